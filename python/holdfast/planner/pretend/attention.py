"""scaled_dot_product_attention as the pretended GPU would run it.

torch asks the device which of its kernels may run. If none may, it silently takes the plain
formula, which saves quite different tensors. The choice here follows the conditions that torch
documents for its kernels: cuDNN first if it is preferred, then flash, memory-efficient, plain.
"""

from typing import Any

import torch
import torch.nn.functional as F

from holdfast.planner.exchange.device import Device

aten = torch.ops.aten
_HALF = (torch.float16, torch.bfloat16)
_CUDNN_PREFERRED = 91500  # torch puts cuDNN first on sm_90 and sm_100 with versions above this


class Attention:
    """Callable in place of F.scaled_dot_product_attention."""

    def __init__(self, device: Device, original: Any) -> None:
        self.device = device
        self.original = original

    def __call__(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attn_mask: torch.Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> torch.Tensor:
        if query.device.type != "cuda":
            result: torch.Tensor = self.original(
                query,
                key,
                value,
                attn_mask,
                dropout_p,
                is_causal,
                scale=scale,
                enable_gqa=enable_gqa,
            )
            return result
        if torch.is_autocast_enabled("cuda"):
            query, key, value, attn_mask = (
                _cast(tensor) for tensor in (query, key, value, attn_mask)
            )
        train = torch.is_grad_enabled() and any(t.requires_grad for t in (query, key, value))
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            additive = torch.zeros_like(attn_mask, dtype=query.dtype)
            attn_mask = additive.masked_fill_(attn_mask.logical_not(), float("-inf"))
        if self._cudnn(query, value, attn_mask):
            mask = _expanded(attn_mask, query, key)
            out = aten._scaled_dot_product_cudnn_attention(
                query, key, value, mask, train, dropout_p, is_causal, False, scale=scale
            )
            return out[0]  # type: ignore[no-any-return]
        if self._flash(query, key, value, attn_mask):
            return _flash(query, key, value, dropout_p, is_causal, scale)
        if self._efficient(query, key, attn_mask):
            mask = _expanded(_padded(attn_mask), query, key)
            out = aten._scaled_dot_product_efficient_attention(
                query, key, value, mask, train, dropout_p, is_causal, scale=scale
            )
            return out[0]  # type: ignore[no-any-return]
        with torch.autocast("cuda", enabled=False):
            out = aten._scaled_dot_product_attention_math(
                query,
                key,
                value,
                attn_mask,
                dropout_p,
                is_causal,
                scale=scale,
                enable_gqa=enable_gqa,
            )
        return out[0]  # type: ignore[no-any-return]

    def _cudnn(self, query: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None) -> bool:
        preferred = self.device.capability in ((9, 0), (10, 0)) and (
            self.device.cudnn > _CUDNN_PREFERRED
        )
        head, head_value = query.shape[-1], value.shape[-1]
        return (
            preferred
            and query.dtype in _HALF
            and query.dim() == 4
            and head % 8 == 0
            and head_value % 8 == 0
            and head <= 128
            and head_value <= 128
            and not (mask is not None and mask.requires_grad)
            and _usable(mask)
        )

    def _flash(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        mask: torch.Tensor | None,
    ) -> bool:
        return (
            self.device.major >= 8
            and query.dtype in _HALF
            and mask is None
            and query.dim() == 4
            and query.shape[-1] == value.shape[-1]
            and query.shape[-1] <= 256
        )

    def _efficient(self, query: torch.Tensor, key: torch.Tensor, mask: torch.Tensor | None) -> bool:
        kinds = (torch.float32, torch.float16, torch.bfloat16)
        return (
            query.dim() == 4
            and query.dtype in kinds
            and query.shape[-1] % 4 == 0
            and key.shape[1] == query.shape[1]  # no grouped queries
            and _usable(mask)
        )


def _cast(tensor: torch.Tensor | None) -> Any:
    if tensor is None or tensor.dtype != torch.float32:
        return tensor
    return tensor.to(torch.get_autocast_dtype("cuda"))


def _usable(mask: torch.Tensor | None) -> bool:
    # Every fused kernel refuses a mask whose last dimension is not dense (T5's permuted bias).
    return mask is None or mask.stride(-1) == 1


def _expanded(
    mask: torch.Tensor | None, query: torch.Tensor, key: torch.Tensor
) -> torch.Tensor | None:
    if mask is None:
        return None
    return mask.expand(query.shape[0], query.shape[1], query.shape[2], key.shape[2])


def _padded(mask: torch.Tensor | None) -> torch.Tensor | None:
    # The kernel wants rows aligned to 16 elements: padded storage, sliced back.
    if mask is None or mask.shape[-1] % 16 == 0:
        return mask
    length = mask.shape[-1]
    return F.pad(mask, (0, 16 - length % 16))[..., :length]


def _flash(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    dropout: float,
    causal: bool,
    scale: float | None,
) -> torch.Tensor:
    head = query.shape[-1]
    short = -head % 8
    if short:
        query, key, value = (F.pad(tensor, (0, short)) for tensor in (query, key, value))
    out = aten._scaled_dot_product_flash_attention(
        query,
        key,
        value,
        dropout,
        causal,
        False,
        scale=scale if scale is not None else head**-0.5,
    )
    return out[0][..., :head]  # type: ignore[no-any-return]
