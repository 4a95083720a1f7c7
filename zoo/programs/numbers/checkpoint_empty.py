"""A checkpoint of no bytes, after a full disk."""
# zoo end: checkpoint-corrupt
# zoo needs: torch

import torch


def resume(path):
    return torch.load(path, map_location="cpu")  # guilty


open("model.ckpt", "wb").close()
resume("model.ckpt")
