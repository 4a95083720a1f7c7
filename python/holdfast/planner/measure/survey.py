"""Which common operations take memory besides their results, and how much: measured on a GPU.

Each line is "op NAME integers = sizes": the allocations that are born and die inside one call, in
order. The rules in src/fit are based on them, and they show when a new version of torch breaks a
rule.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F

aten = torch.ops.aten


def passing_sizes(call: Callable[[], Any]) -> list[int]:
    """The allocations inside a call that do not outlive it, in order."""
    history = torch.cuda.memory._record_memory_history
    torch.cuda.synchronize()
    history(enabled="all", context=None, stacks="python", max_entries=100_000)
    result = call()
    torch.cuda.synchronize()
    trace = torch.cuda.memory._snapshot()["device_traces"][0]
    history(enabled=None)
    del result
    born: dict[int, int] = {}
    passing: list[tuple[int, int]] = []
    for number, entry in enumerate(trace):
        if entry["action"] == "alloc":
            born[entry["addr"]] = number
        elif entry["action"] == "free_requested" and entry["addr"] in born:
            start = born.pop(entry["addr"])
            passing.append((start, trace[start]["size"]))
    return [size for _, size in sorted(passing)]


def _cases() -> Iterator[tuple[str, list[int], Callable[[], Any]]]:
    def new(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.zeros(*shape, device="cuda", dtype=dtype)

    kinds = ((0, torch.float32), (2, torch.bfloat16))
    for code, kind in kinds:
        for m, n in (
            (512, 512),
            (4096, 512),
            (4096, 768),
            (16384, 768),
            (16384, 96),
            (65536, 512),
            (262144, 128),
            (1000000, 96),
        ):
            x, w = new(m, n, dtype=kind), new(n, dtype=kind)
            mean = new(m, 1)
            yield (
                "layer_norm_backward",
                [code, m, n],
                lambda x=x, w=w, mean=mean, n=n: aten.native_layer_norm_backward(
                    x, x, [n], mean, mean, w, w, [True, True, True]
                ),
            )
            yield (
                "layer_norm",
                [code, m, n],
                lambda x=x, w=w, n=n: aten.native_layer_norm(x, [n], w, w, 1e-5),
            )
            yield (
                "softmax_backward",
                [code, m, n],
                lambda x=x, kind=kind: aten._softmax_backward_data(x, x, -1, kind),
            )
            yield "sum0", [code, m, n], lambda x=x: x.sum(0)
            yield "sum", [code, m, n], lambda x=x: x.sum()
            yield "norm", [code, m, n], lambda x=x: torch.linalg.vector_norm(x)
            yield "foreach_norm", [code, m, n], lambda x=x: torch._foreach_norm([x, x])
            y = torch.zeros(m, dtype=torch.long, device="cuda")
            yield (
                "nll_loss",
                [code, m, n],
                lambda x=x, y=y: aten.nll_loss_forward(x, y, None, 1, -100),
            )
            yield (
                "embedding_backward",
                [code, m, n],
                lambda x=x, y=y: aten.embedding_dense_backward(x, y, 1000, -1, False),
            )
            yield "gelu_backward", [code, m, n], lambda x=x: aten.gelu_backward(x, x)
            yield "dropout", [code, m, n], lambda x=x: aten.native_dropout(x, 0.1, True)
            yield "sort", [code, m, n], lambda x=x: torch.sort(x, -1)
            yield "topk", [code, m, n], lambda x=x: torch.topk(x, 5, -1)
            yield "cumsum", [code, m, n], lambda x=x: torch.cumsum(x, -1)
            yield (
                "index_put",
                [code, m, n],
                lambda x=x, y=y: aten._index_put_impl_(x, [y], x, True, True),
            )
        for b, c, s in ((16, 64, 56), (64, 64, 56), (32, 256, 28), (128, 512, 7), (16, 3, 224)):
            x, w = new(b, c, s, s, dtype=kind), new(c)
            yield (
                "batch_norm",
                [code, b, c, s],
                lambda x=x, w=w: torch.batch_norm(x, w, w, w, w, True, 0.1, 1e-5, True),
            )
            yield (
                "cudnn_batch_norm_backward",
                [code, b, c, s],
                lambda x=x, w=w: aten.native_batch_norm_backward(
                    x, x, w, w, w, w, w, True, 1e-5, [True] * 3
                ),
            )
            yield (
                "group_norm_backward",
                [code, b, c, s],
                lambda x=x, b=b, c=c, s=s, kind=kind: aten.native_group_norm_backward(
                    x,
                    x,
                    new(b, 1, dtype=kind),
                    new(b, 1, dtype=kind),
                    new(c, dtype=kind),
                    b,
                    c,
                    s * s,
                    1,
                    [True, True, True],
                ),
            )
            yield "max_pool_backward", [code, b, c, s], lambda x=x: _pool_backward(x)
            yield (
                "upsample_backward",
                [code, b, c, s],
                lambda x=x, b=b, c=c, s=s: aten.upsample_bilinear2d_backward(
                    x, [s, s], [b, c, s // 2 or 1, s // 2 or 1], False
                ),
            )
            yield (
                "avg_pool_backward",
                [code, b, c, s],
                lambda x=x, b=b, c=c, kind=kind: aten._adaptive_avg_pool2d_backward(
                    new(b, c, 1, 1, dtype=kind), x
                ),
            )
            yield (
                "nll_loss2d",
                [code, b, c, s],
                lambda x=x, b=b, s=s: aten.nll_loss2d_forward(
                    x, torch.zeros(b, s, s, dtype=torch.long, device="cuda"), None, 1, -100
                ),
            )
        for b, h, s, d in (
            (16, 8, 256, 64),
            (4, 12, 512, 64),
            (64, 12, 197, 64),
            (8, 16, 1024, 128),
        ):
            yield from _attention(code, kind, b, h, s, d)


def _pool_backward(x: torch.Tensor) -> Any:
    y, where = F.max_pool2d_with_indices(x, 3, 2, 1)
    return aten.max_pool2d_with_indices_backward(y, x, [3, 3], [2, 2], [1, 1], [1, 1], False, where)


def _attention(
    code: int, kind: torch.dtype, b: int, h: int, s: int, d: int
) -> Iterator[tuple[str, list[int], Callable[[], Any]]]:
    for dropout in (0.0, 0.1):
        q, k, v = (
            torch.zeros(b, h, s, d, device="cuda", dtype=kind, requires_grad=True) for _ in range(3)
        )
        gradient = torch.zeros(b, h, s, d, device="cuda", dtype=kind)
        numbers = [code, b, h, s, d, int(dropout > 0)]

        def forward(q: Any = q, k: Any = k, v: Any = v, p: float = dropout) -> Any:
            return F.scaled_dot_product_attention(q, k, v, dropout_p=p)

        yield "attention", numbers, forward
        out = forward()

        def backward(out: Any = out, gradient: Any = gradient, qkv: Any = (q, k, v)) -> Any:
            return torch.autograd.grad(out, qkv, gradient, retain_graph=True)

        yield "attention_backward", numbers, backward


def lines() -> Iterator[str]:
    """The survey, one line per operation and shape."""
    for name, numbers, call in _cases():
        left = f"op {name} {' '.join(map(str, numbers))}"
        try:
            with torch.autograd.set_grad_enabled(name.startswith("attention")):
                call()  # the first call may load libraries
                sizes = passing_sizes(call)
            yield f"{left} = {' '.join(map(str, sizes))}".rstrip()
        except Exception as error:
            yield f"# {left}: {type(error).__name__}: {str(error).splitlines()[0][:120]}"
        torch.cuda.empty_cache()
