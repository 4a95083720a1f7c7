"""A tokenizer with added tokens and an embedding that was not resized."""
# zoo end: bad-label
# zoo needs: torch

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding = nn.Embedding(words, 16)

    def forward(self, tokens):
        return self.embedding(tokens).mean(1)  # guilty


tokens = torch.tensor([[1, 5, 999, 1003]])
Encoder(1000)(tokens)
