"""Lists the convolutions and recurrent layers of common models, for `holdfast fit --calibrate
--calls`.

usage: python bench/fit/calls.py OUT.txt.gz     (torchvision and timm; no GPU)
The list runs from the most common on: a calibration that runs out of time has measured those.
"""

import gzip
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from holdfast.planner import facts  # noqa: E402

TIMM = """
resnet26d resnet34 resnet50d resnext50_32x4d seresnet50 ecaresnet50d res2net50_26w_4s resnest50d
wide_resnet50_2
regnetx_032 regnety_016 efficientnet_b1 efficientnet_b2 efficientnet_b3 efficientnet_b4
tf_efficientnetv2_b0
mobilenetv2_100 mobilenetv3_small_100 mobilenetv4_conv_medium ghostnet_100 mnasnet_100
convnext_small
convnextv2_tiny vit_small_patch16_224 vit_tiny_patch16_224 deit_tiny_patch16_224
swin_small_patch4_window7_224
eca_nfnet_l0 rexnet_100 hrnet_w18 dla34 dpn68 xception41 inception_v4 darknet53 cspresnet50
cspdarknet53
repvgg_b0 edgenext_small mobilevit_s maxvit_tiny_rw_224 poolformer_s12 davit_tiny fastvit_t8
efficientformer_l1
tf_mobilenetv3_large_100 vovnet39a selecsls42b hardcorenas_a lcnet_100 tinynet_a skresnet18
gernet_s coat_tiny
pvt_v2_b1 twins_svt_small levit_128 cait_xxs24_224 beit_base_patch16_224 efficientnetv2_rw_s
""".split()  # noqa: SIM905
FIRST = """
resnet18 resnet34 resnet50 resnet101 wide_resnet50_2 resnext50_32x4d vgg11 vgg13 vgg16 vgg19
vgg11_bn vgg16_bn
alexnet densenet121 densenet169 mobilenet_v2 mobilenet_v3_large mobilenet_v3_small
efficientnet_b0 efficientnet_b1
efficientnet_b2 efficientnet_b3 efficientnet_v2_s convnext_tiny convnext_small squeezenet1_0
squeezenet1_1 googlenet
inception_v3 shufflenet_v2_x1_0 shufflenet_v2_x0_5 mnasnet1_0 mnasnet0_5 regnet_y_400mf
regnet_y_800mf
regnet_y_1_6gf regnet_y_3_2gf regnet_y_8gf regnet_x_400mf regnet_x_3_2gf swin_t swin_s swin_v2_t
vit_b_16 vit_b_32
maxvit_t resnet152 densenet201 resnext101_32x8d efficientnet_b4
""".split()  # noqa: SIM905


class Double(nn.Sequential):
    """Two convolutions of a U-Net."""

    def __init__(self, inputs: int, outputs: int) -> None:
        layers: list[nn.Module] = []
        for channels in (inputs, outputs):
            layers += [
                nn.Conv2d(channels, outputs, 3, padding=1),
                nn.BatchNorm2d(outputs),
                nn.ReLU(),
            ]
        super().__init__(*layers)


class UNet(nn.Module):
    """Downs, ups, and skips between."""

    def __init__(self, width: int, depth: int = 4) -> None:
        super().__init__()
        sizes = [width << level for level in range(depth + 1)]
        self.down = nn.ModuleList(Double(a, b) for a, b in zip([3, *sizes], sizes, strict=False))
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(sizes[i], sizes[i - 1], 2, 2) for i in range(depth, 0, -1)
        )
        self.decode = nn.ModuleList(Double(sizes[i], sizes[i - 1]) for i in range(depth, 0, -1))
        self.out = nn.Conv2d(width, 2, 1)

    def forward(self, x: torch.Tensor) -> Any:
        skips = []
        for block in self.down[:-1]:
            skips.append(block(x))
            x = nn.functional.max_pool2d(skips[-1], 2)
        x = self.down[-1](x)
        for up, decode in zip(self.up, self.decode, strict=True):
            x = decode(torch.cat([up(x), skips.pop()], 1))
        return self.out(x)


def plain(channels: list[int]) -> nn.Module:
    """Convolutions of 3x3 with pooling between, as in tutorials."""
    layers: list[nn.Module] = []
    for a, b in pairwise(channels):
        layers += [nn.Conv2d(a, b, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers)


def zoo() -> Iterator[tuple[str, Callable[[], nn.Module], tuple[int, ...]]]:
    """(name, builder, shape of one input)"""
    import timm
    import torchvision.models as tv
    from torchvision.models import segmentation, video

    def of_tv(name: str) -> Callable[[], nn.Module]:
        return lambda: tv.get_model(name, weights=None)

    for name in FIRST:
        yield name, of_tv(name), (3, 299, 299) if name == "inception_v3" else (3, 224, 224)
    for size in (28, 32, 64, 128, 256):
        for ch in ([1, 32, 64], [3, 32, 64, 128], [3, 16, 32, 64], [3, 64, 128, 256]):
            yield f"plain{size}", lambda ch=ch: plain(ch), (ch[0], size, size)  # type: ignore[misc]
    for size in (128, 256, 512):
        for width in (16, 32, 64):
            yield f"unet{width}", lambda width=width: UNet(width), (3, size, size)  # type: ignore[misc]
    for name in ("resnet18", "resnet50"):
        for size in (32, 64, 128, 256, 384):
            yield name, of_tv(name), (3, size, size)
    for name in (
        "fcn_resnet50",
        "deeplabv3_resnet50",
        "lraspp_mobilenet_v3_large",
        "fcn_resnet101",
        "deeplabv3_mobilenet_v3_large",
    ):
        for size in (224, 256, 512):
            yield (
                name,
                lambda name=name: getattr(segmentation, name)(  # type: ignore[misc]
                    weights=None, weights_backbone=None, num_classes=21
                ),
                (3, size, size),
            )
    for name in TIMM:
        yield name, lambda name=name: timm.create_model(name), (3, 224, 224)  # type: ignore[misc]
    for name in ("r3d_18", "mc3_18", "r2plus1d_18"):
        yield name, lambda name=name: getattr(video, name)(weights=None), (3, 16, 112, 112)  # type: ignore[misc]


class Listener(TorchDispatchMode):
    """Notes every convolution that passes, as its facts forward and backward."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, ...]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        if func is torch.ops.aten.convolution.default:
            x, weight, _, stride, padding, dilation, transposed, _, groups = args[:9]
            for direction in range(3):
                self.found.append(
                    facts.conv_values(
                        direction, x, weight, out, stride, padding, dilation, groups, transposed
                    )
                )
        return out


def shapes() -> Iterator[tuple[int, ...]]:
    """Every convolution of the zoo at batch 2 in float32, on tensors without data."""
    for name, build, shape in zoo():
        started = time.monotonic()
        listener = Listener()
        try:
            try:
                with torch.device("meta"):
                    model = build()
            except (RuntimeError, NotImplementedError):  # it reads values while it is built
                model = build().to("meta")
            with torch.no_grad(), listener:
                model.train()(torch.empty(2, *shape, device="meta"))
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:100]}", file=sys.stderr)
        passed = time.monotonic() - started
        print(f"{name} {shape}: {len(listener.found)}, {passed:.1f} s", file=sys.stderr)
        yield from listener.found


def variants(
    values: tuple[int, ...], batches: tuple[int, ...], dtypes: tuple[int, ...]
) -> Iterator[str]:
    """The same call at other batches and dtypes."""
    for dtype in dtypes:
        for batch in batches:
            yield " ".join(map(str, ("conv", values[0], dtype, *values[2:6], batch, *values[7:])))


def recurrent() -> Iterator[str]:
    """Recurrent layers of common sizes."""
    for mode in (2, 3, 1):
        for dtype in (0, 1):
            for hidden, inputs in ((128, 128), (256, 256), (512, 512), (1024, 512), (1024, 1024)):
                for layers, ways in ((1, 1), (2, 1), (3, 1), (1, 2), (2, 2)):
                    for batch, steps in ((16, 128), (64, 128), (8, 128), (32, 64), (64, 256)):
                        numbers = (mode, dtype, batch, steps, inputs, hidden, layers, ways)
                        text = " ".join(map(str, numbers))
                        yield f"rnn_reserve {text}"
                        yield f"rnn_work 0 {text}"


def main() -> None:
    """Writes the list."""
    known = list(dict.fromkeys(shapes()))
    print(f"{len(known)} convolutions", file=sys.stderr)
    lines: dict[str, None] = {}
    for batches, dtypes in (
        ((16, 64), (0, 2)),
        ((4, 32, 128), (0, 2)),
        ((16, 64), (1,)),
        ((8, 256), (0, 2)),
    ):
        for values in known:
            lines.update(dict.fromkeys(variants(values, batches, dtypes)))
        if batches == (16, 64) and dtypes == (0, 2):
            lines.update(dict.fromkeys(recurrent()))
    with gzip.open(sys.argv[1], "wt", compresslevel=9) as file:
        file.write("\n".join(lines) + "\n")
    print(f"{len(lines)} calls", file=sys.stderr)


if __name__ == "__main__":
    main()
