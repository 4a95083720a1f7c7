"""Shapes, number types, labels and numbers, in PyTorch's words."""

import os
import signal
import threading
import time
from pathlib import Path

from cases import said_by


def ones(*shape, **options):
    import torch

    return torch.ones(*shape, **options)


@said_by("torch")
def torch_add():
    """Two tensors of different sizes are added."""
    ones(3) + ones(4)


@said_by("torch")
def torch_cat():
    """Tensors that differ in another dimension than the one they are joined along."""
    import torch

    torch.cat([ones(2, 3), ones(2, 4)])


@said_by("torch")
def torch_histc_nan():
    """A histogram of weights that are not numbers."""
    import torch

    torch.histc(torch.tensor([1.0, float("nan")]))


@said_by("torch")
def torch_cat_dimensions():
    """A vector and a matrix are joined."""
    import torch

    torch.cat([ones(2, 3), ones(2)])


@said_by("torch")
def torch_collate():
    """A batch is made of samples of different lengths."""
    from torch.utils.data import DataLoader

    next(iter(DataLoader([ones(3), ones(4)], batch_size=2)))


@said_by("torch")
def torch_conv_channels():
    """An image of one channel goes into a layer for three."""
    import torch

    torch.nn.Conv2d(3, 8, 3)(ones(1, 1, 8, 8))


@said_by("torch")
def torch_cross_entropy_batch():
    """Fewer labels than outputs."""
    import torch

    torch.nn.functional.cross_entropy(ones(4, 3), torch.zeros(3, dtype=torch.long))


@said_by("torch")
def torch_bce_target_size():
    """A label per row and an output of one column."""
    import torch

    torch.nn.functional.binary_cross_entropy(ones(4, 1), ones(4))


@said_by("torch")
def torch_cross_entropy_target_size():
    """Labels per pixel, of another picture size."""
    import torch

    torch.nn.functional.cross_entropy(ones(2, 3, 5), torch.zeros(2, 4, dtype=torch.long))


@said_by("torch")
def torch_reshape():
    """Six numbers into a shape for eight."""
    ones(6).reshape(2, 4)


@said_by("torch")
def torch_nll_float_target():
    """Labels that are floating-point numbers."""
    import torch

    torch.nn.functional.nll_loss(ones(2, 3), ones(2))


@said_by("torch")
def torch_conv_double():
    """Doubles go into a layer of floats."""
    import torch

    torch.nn.Conv2d(1, 1, 3)(ones(1, 1, 8, 8, dtype=torch.double))


@said_by("torch")
def torch_backward_dtype():
    """The loss of floats against doubles, backwards."""
    import torch

    output = torch.nn.Linear(2, 1)(ones(4, 2)).sigmoid()
    target = ones(4, 1, dtype=torch.double)
    torch.nn.functional.binary_cross_entropy(output, target).backward()


@said_by("torch")
def torch_mm_dtype():
    """Floats times doubles."""
    import torch

    torch.mm(ones(2, 2), ones(2, 2, dtype=torch.double))


@said_by("torch")
def torch_bmm_dtype():
    """Batches of floats times doubles."""
    import torch

    torch.bmm(ones(1, 2, 2), ones(1, 2, 2, dtype=torch.double))


@said_by("torch")
def torch_lstm_dtype():
    """Doubles go into an LSTM of floats."""
    import torch

    torch.nn.LSTM(3, 3)(ones(2, 1, 3, dtype=torch.double))


@said_by("torch")
def torch_batch_norm_dtype():
    """Doubles go into BatchNorm1d of floats."""
    import torch

    torch.nn.BatchNorm1d(3)(ones(2, 3, dtype=torch.double))


@said_by("torch")
def torch_expand():
    """Three columns are made four."""
    ones(2, 3).expand(2, 4)


@said_by("torch")
def torch_batch_norm_dimensions():
    """A flat batch goes into BatchNorm2d."""
    import torch

    torch.nn.BatchNorm2d(3)(ones(2, 3))


@said_by("torch")
def torch_conv1d_dimensions():
    """A batch of images goes into Conv1d."""
    import torch

    torch.nn.Conv1d(3, 8, 3)(ones(1, 3, 8, 8))


@said_by("torch")
def torch_conv2d_dimensions():
    """A flat batch goes into Conv2d."""
    import torch

    torch.nn.Conv2d(3, 8, 3)(ones(1, 8))


@said_by("torch")
def torch_mm_vector():
    """A matrix times a vector by mm."""
    import torch

    torch.mm(ones(2, 3), ones(3))


@said_by("torch")
def torch_lstm_input():
    """Vectors of another length than the LSTM was made for."""
    import torch

    torch.nn.LSTM(10, 20)(ones(5, 3, 7))


@said_by("torch")
def torch_lstm_state():
    """A state for another batch than the one that is given."""
    import torch

    torch.nn.LSTM(3, 4)(ones(5, 7, 3), (ones(1, 64, 4), ones(1, 64, 4)))


@said_by("torch")
def torch_attention_embedding():
    """Vectors of another length than the attention was made for."""
    import torch

    torch.nn.MultiheadAttention(8, 2)(ones(5, 1, 4), ones(5, 1, 4), ones(5, 1, 4))


@said_by("torch")
def torch_assign_shape():
    """Three values are written to two places."""
    import torch

    target = ones(5)
    target[torch.tensor([0, 1])] = ones(3)


@said_by("torch")
def torch_conv_kernel():
    """A picture smaller than the kernel."""
    import torch

    torch.nn.Conv2d(1, 1, 5)(ones(1, 1, 3, 3))


@said_by("torch")
def torch_pool_too_small():
    """A picture that pooling makes vanish."""
    import torch

    torch.nn.MaxPool2d(4)(ones(1, 1, 2, 2))


@said_by("torch")
def torch_batch_norm_features():
    """Four channels go into BatchNorm2d of three."""
    import torch

    torch.nn.BatchNorm2d(3)(ones(2, 4, 5, 5))


@said_by("torch")
def torch_layer_norm():
    """Vectors of another length than LayerNorm was made for."""
    import torch

    torch.nn.LayerNorm(10)(ones(2, 5))


@said_by("torch")
def torch_bmm():
    """Batches of matrices that do not fit."""
    import torch

    torch.bmm(ones(2, 3, 4), ones(2, 5, 6))


@said_by("torch")
def torch_einsum():
    """An index that has two sizes."""
    import torch

    torch.einsum("ij,jk->ik", ones(2, 3), ones(4, 5))


@said_by("torch")
def torch_view():
    """A transposed tensor is viewed flat."""
    ones(2, 3).t().view(6)


@said_by("torch")
def torch_bce_logits_size():
    """A label per row and an output of one column, with logits."""
    import torch

    torch.nn.functional.binary_cross_entropy_with_logits(ones(4, 1), ones(4))


@said_by("torch")
def torch_embedding_float():
    """Tokens that are floating-point numbers."""
    import torch

    torch.nn.Embedding(3, 2)(ones(2))


@said_by("torch")
def torch_mask_shape():
    """A mask of another shape than the tensor."""
    import torch

    ones(2, 3)[torch.ones(4, dtype=torch.bool)]


@said_by("torch")
def torch_permute():
    """Three axes are named of a matrix."""
    ones(2, 3).permute(0, 1, 2)


@said_by("torch")
def torch_interpolate():
    """Three sizes are given for a picture of two."""
    import torch

    torch.nn.functional.interpolate(ones(1, 1, 4, 4), size=(2, 2, 2))


@said_by("torch")
def torch_tensor_dataset():
    """More samples than labels."""
    from torch.utils.data import TensorDataset

    TensorDataset(ones(4, 2), ones(3))


@said_by("torch")
def torch_dimension_range():
    """The second axis of a vector."""
    ones(3).sum(dim=1)


@said_by("torch")
def torch_batch_norm_one_value():
    """A last batch of one sample."""
    import torch

    torch.nn.BatchNorm1d(3)(ones(1, 3))


@said_by("torch")
def torch_negative_dimension():
    """A tensor of -1 rows."""
    import torch

    torch.empty(-1, 3)


@said_by("torch")
def torch_one_hot():
    """A label beyond the number of classes."""
    import torch

    torch.nn.functional.one_hot(torch.tensor([0, 5]), 3)


@said_by("torch")
def torch_margin_label():
    """A label beyond the number of classes, in multi_margin_loss."""
    import torch

    torch.nn.functional.multi_margin_loss(ones(2, 3), torch.tensor([0, 5]))


@said_by("torch", below="1.4")
def torch_label_old():
    """A label beyond the number of classes, in an older torch."""
    import torch

    torch.nn.functional.cross_entropy(ones(2, 3), torch.tensor([0, 5]))


@said_by("torch")
def torch_embedding_bag():
    """A token beyond the vocabulary."""
    import torch

    torch.nn.EmbeddingBag(3, 2)(torch.tensor([[7]]))


@said_by("torch")
def torch_bce_range():
    """A label of 2 where 0 to 1 is allowed."""
    import torch

    torch.nn.functional.binary_cross_entropy(ones(2), 2 * ones(2))


@said_by("torch")
def torch_clip_nonfinite():
    """Gradients that are not finite are clipped."""
    import torch

    parameter = torch.nn.Parameter(ones(2))
    parameter.grad = torch.tensor([float("nan"), 1.0])
    torch.nn.utils.clip_grad_norm_([parameter], 1.0, error_if_nonfinite=True)


@said_by("torch")
def torch_linalg_nonfinite():
    """Singular values of a matrix that holds nan."""
    import torch

    torch.linalg.svd(torch.full((2, 2), float("nan")))


@said_by("torch")
def torch_multinomial_nan():
    """A draw from probabilities that are not finite."""
    import torch

    torch.multinomial(torch.tensor([float("nan"), 1.0]), 1)


@said_by("torch")
def torch_normal_nan():
    """A normal distribution around nan."""
    import torch

    torch.distributions.Normal(torch.tensor([float("nan"), 1.0]), 1.0, validate_args=True)


@said_by("torch")
def torch_normal_nan_matrix():
    """A normal distribution around a matrix with nan."""
    import torch

    torch.distributions.Normal(torch.tensor([[float("nan"), 1.0]]), 1.0, validate_args=True)


@said_by("torch")
def torch_gloo_peer_killed():
    """One of two ranks is killed before it has read what the other sent."""
    import torch
    import torch.distributed as dist

    other = os.fork()
    rank = int(other == 0)
    if rank == 1:
        os.close(2)
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    meet = f"file://{Path.cwd()}/meet"
    dist.init_process_group("gloo", init_method=meet, rank=rank, world_size=2)
    total = torch.ones(1 << 22)
    dist.all_reduce(total)
    if rank == 1:
        os.kill(os.getpid(), signal.SIGSTOP)
    threading.Timer(1, os.kill, (other, signal.SIGKILL)).start()
    dist.all_reduce(total)


@said_by("torch")
def torch_store_gone():
    """The process that hosts the store ends while another waits for a key."""
    from torch.distributed import TCPStore

    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(2)
        store = TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
        os.write(writer, str(store.port).encode())
        time.sleep(2)
        os._exit(0)
    store = TCPStore("localhost", int(os.read(reader, 16)), is_master=False)
    store.get("never set")
