"""Lists the convolutions and recurrent layers of common models, for `holdfast fit --calibrate
--calls`.

usage: python bench/fit/calls.py OUT.txt.gz     (torchvision and timm; no GPU)
The most common calls come first, so a calibration that runs out of time has measured those.
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

from holdfast.planner.pretend import facts  # noqa: E402

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

MORE_TIMM = """
resnet14t resnet18d resnet101d resnetv2_50 nf_resnet50 tresnet_m botnet26t_256 mixnet_s
spnasnet_100 fbnetc_100
semnasnet_100 efficientnet_lite0 gcresnet50t convmixer_768_32 visformer_small crossvit_tiny_240
xcit_nano_12_p16_224
convit_tiny focalnet_tiny_srf inception_resnet_v2 legacy_xception ese_vovnet39b nest_tiny
mvitv2_tiny efficientvit_b1
repghostnet_100 hgnet_tiny regnetz_b16 cs3darknet_m resnetrs50 seresnext50_32x4d mobileone_s0
mobilevitv2_100
tf_efficientnet_b0 tf_efficientnet_lite0 regnetx_002 regnetx_004 regnetx_016 regnety_002
regnety_004 regnety_032
convnext_nano convnextv2_nano repvgg_a2 densenetblur121d dla60 dpn92 hrnet_w32 ghostnetv2_100
""".split()  # noqa: SIM905
# Channels, kernel and length of plain networks of one dimension: sensors, series, raw audio.
SERIES = (
    ((1, 64, 128, 256), 9, 16000),
    ((1, 32, 64, 128), 3, 1000),
    ((1, 64, 128, 256, 512), 3, 4096),
    ((1, 128, 128, 256, 512), 80, 16000),
    ((12, 32, 64, 128), 7, 5000),
    ((3, 64, 64, 128), 5, 128),
    ((9, 64, 128), 3, 128),
    ((64, 128, 256, 512), 3, 256),
    ((300, 100, 100), 5, 128),
    ((80, 512, 512, 512), 3, 1000),
)
# Channels and input of plain networks of three dimensions: scans, clips.
VOLUMES = (
    ((3, 32, 64, 128), (16, 64, 64)),
    ((1, 16, 32, 64), (32, 32, 32)),
    ((1, 32, 64, 128, 256), (64, 64, 64)),
    ((3, 64, 128, 256, 512), (16, 112, 112)),
    ((1, 16, 32, 64, 128), (96, 96, 96)),
    ((4, 32, 64, 128), (64, 64, 64)),
)

Models = Iterator[tuple[str, Callable[[], nn.Module], tuple[int, ...]]]


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


def zoo() -> Models:
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


def more_zoo() -> Models:
    """Less common ones: series, volumes, the rest of torchvision, more of timm."""
    import timm
    import torchvision.models as tv

    def of(kind: Any, pool: Any, channels: tuple[int, ...], size: int) -> nn.Module:
        layers: list[nn.Module] = []
        for a, b in pairwise(channels):
            layers += [kind(a, b, size, padding=size // 2), nn.ReLU(), pool(2)]
        return nn.Sequential(*layers)

    for channels, kernel, length in SERIES:
        yield (
            f"series{kernel}",
            lambda c=channels, k=kernel: of(nn.Conv1d, nn.MaxPool1d, c, k),  # type: ignore[misc]
            (channels[0], length),
        )
        yield (
            f"series{kernel} by four",
            lambda c=channels, k=kernel: of(nn.Conv1d, lambda _: nn.MaxPool1d(4), c, k),  # type: ignore[misc]
            (channels[0], length),
        )
    for channels, image in VOLUMES:
        yield (
            "volume",
            lambda c=channels: of(nn.Conv3d, nn.MaxPool3d, c, 3),  # type: ignore[misc]
            (channels[0], *image),
        )
    for size in (96, 128, 256, 512):
        for width in (24, 48):
            yield f"unet{width}", lambda width=width: UNet(width), (3, size, size)  # type: ignore[misc]
    for name in tv.list_models(module=tv):
        if name not in FIRST and "quantized" not in name:
            yield name, lambda name=name: tv.get_model(name, weights=None), (3, 224, 224)  # type: ignore[misc]
    for name in MORE_TIMM:
        size = timm.get_pretrained_cfg(name).input_size[-1]
        yield name, lambda name=name: timm.create_model(name), (3, size, size)  # type: ignore[misc]


class Listener(TorchDispatchMode):
    """Notes every convolution that runs, as its facts forward and backward."""

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


def shapes(models: Models) -> Iterator[tuple[int, ...]]:
    """Every convolution of these models at batch 2 in float32, on tensors without data."""
    for name, build, shape in models:
        started = time.monotonic()
        listener = Listener()
        try:
            try:
                with torch.device("meta"):
                    model = build()
            except (RuntimeError, NotImplementedError):  # the model reads values while it is built
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


def handmade() -> Iterator[tuple[int, ...]]:
    """Layers as people write them by hand: every usual kernel over channels that double."""
    widths = (16, 32, 64, 128, 256, 512)
    pairs = (
        [(c, c) for c in widths] + list(pairwise(widths)) + [(b, a) for a, b in pairwise(widths)]
    )
    ends = [(e, c) for c in widths[:4] for e in (1, 3)]
    # Kernel, stride, padding, whether it is transposed.
    kinds = [(3, 1, 1, False), (4, 2, 1, False), (4, 2, 1, True), (3, 2, 1, False)]
    kinds += [
        (5, 1, 2, False),
        (2, 2, 0, True),
        (3, 2, 1, True),
        (5, 2, 2, False),
        (1, 1, 0, False),
    ]
    images = (32, 64, 16, 128, 8, 28, 14, 7, 256, 4)
    for kernel, stride, padding, transposed in kinds:
        for image in images:
            for inputs, outputs in pairs + [(c, e) if transposed else (e, c) for e, c in ends]:
                if inputs * outputs * image > 128 * 256 * 128:
                    continue
                kind = nn.ConvTranspose2d if transposed else nn.Conv2d
                more = {"output_padding": 1} if transposed and kernel == 3 else {}
                yield from calls_of(
                    kind(inputs, outputs, kernel, stride, padding, device="meta", **more),
                    (inputs, image, image),
                )
    for length in (128, 256, 512, 1024, 4096):
        for dilation in (1, 2, 4, 8, 16, 32):
            for kernel in (3, 5, 7):
                for inputs, outputs in ((1, 32), (16, 64), (32, 32), (64, 64), (128, 128)):
                    padding = dilation * (kernel // 2)
                    layer = nn.Conv1d(
                        inputs, outputs, kernel, padding=padding, dilation=dilation, device="meta"
                    )
                    yield from calls_of(layer, (inputs, length))


def calls_of(layer: nn.Module, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The calls of one layer at batch 2."""
    listener = Listener()
    with torch.no_grad(), listener:
        layer(torch.empty(2, *shape, device="meta"))
    return listener.found


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


def more_recurrent() -> Iterator[str]:
    """Other sizes, each at a few batches and lengths, from which the rest follows."""
    sizes = ((64, 64), (64, 1), (32, 32), (50, 1), (100, 100), (128, 64), (128, 300), (200, 200))
    sizes += ((256, 128), (256, 300), (256, 512), (300, 300), (384, 384), (512, 256), (512, 300))
    sizes += ((512, 1024), (650, 650), (768, 768), (1024, 256), (1500, 1500), (2048, 1024))
    for hidden, inputs in sizes:
        for mode in (2, 3, 1):
            for dtype in (0, 1):
                for layers, ways in ((1, 1), (2, 1), (3, 1), (1, 2), (2, 2)):
                    for batch, steps in ((8, 128), (32, 64), (64, 256), (64, 64)):
                        numbers = (mode, dtype, batch, steps, inputs, hidden, layers, ways)
                        yield "rnn_work 0 " + " ".join(map(str, numbers))


def main() -> None:
    """Writes the list."""
    lines: dict[str, None] = {}

    def add(known: list[tuple[int, ...]], *turns: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
        for batches, dtypes in turns:
            for values in known:
                lines.update(dict.fromkeys(variants(values, batches, dtypes)))

    first = dict.fromkeys(shapes(zoo()))
    known = list(first)
    more = [values for values in dict.fromkeys(shapes(more_zoo())) if values not in first]
    print(f"{len(known)} and {len(more)} convolutions", file=sys.stderr)
    add(known, ((16, 64), (0, 2)))
    lines.update(dict.fromkeys(recurrent()))
    add(known, ((4, 32, 128), (0, 2)), ((16, 64), (1,)), ((8, 256), (0, 2)))
    few = [values for values in more if values[5] != 2]  # of one or three dimensions
    add(few, ((4, 16, 64), (0, 2)), ((8, 32, 128), (0, 2)), ((2, 256), (0, 2)), ((16, 64), (1,)))
    lines.update(dict.fromkeys(more_recurrent()))
    add(more, ((16, 64), (0, 2)), ((32, 128), (0, 2)), ((4, 8), (0, 2)), ((16, 64), (1,)))
    # Plans change between two batches; these batches show where.
    add(known[:1500], ((24, 48, 96), (0, 2)))
    add(known + more, ((2,), (0, 2)), ((32, 128), (1,)), ((1,), (0, 2)), ((2, 4, 8), (1,)))
    add(known[1500:], ((24, 48, 96), (0, 2)))
    by_hand = list(dict.fromkeys(handmade()))
    print(f"{len(by_hand)} convolutions by hand", file=sys.stderr)
    add(by_hand, ((64,), (0, 2)), ((16,), (0, 2)), ((128,), (0, 2)), ((32, 256), (0, 2)))
    with gzip.open(sys.argv[1], "wt", compresslevel=9) as file:
        file.write("\n".join(lines) + "\n")
    print(f"{len(lines)} calls", file=sys.stderr)


if __name__ == "__main__":
    main()
