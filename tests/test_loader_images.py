"""Images: how they are decoded and changed, and what can be wrong with them."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from support.loader import found, images, make  # noqa: F401


def test_images_with_labels_by_folder(images):  # noqa: F811
    with make(str(images), batch=5, size=(20, 30), labels="folder") as loader:
        assert loader.classes == ["a cat", "b hünd"]
        assert loader.samples == 24
        seen = 0
        for pictures, labels in loader:
            assert pictures.shape[1:] == (20, 30, 3)
            assert pictures.dtype == np.uint8
            seen += len(labels)
            assert set(labels.tolist()) <= {0, 1}
        assert seen == 24


def test_decoding_is_pils_and_resizing_within_a_level(images):  # noqa: F811
    with make(str(images), batch=1, shuffle=False) as loader:
        for number, picture in enumerate(loader):
            wanted = np.asarray(Image.open(loader.name(number)).convert("RGB"))
            assert (picture[0] == wanted).all()
    with make(str(images), batch=1, shuffle=False, size=(37, 41)) as loader:
        for number, picture in enumerate(loader):
            image = Image.open(loader.name(number)).convert("RGB").resize((41, 37), Image.BILINEAR)
            assert np.abs(np.asarray(image, int) - picture[0]).mean() < 1


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_png_of_every_kind(tmp_path, mode):
    random = np.random.default_rng(0)
    if mode == "I;16":
        image = Image.fromarray(random.integers(0, 65536, (13, 17), dtype=np.uint16))
        wanted = (np.asarray(image) >> 8).astype(np.uint8)[..., None].repeat(3, -1)
    else:
        image = Image.fromarray(random.integers(0, 256, (13, 17, 3), dtype=np.uint8)).convert(mode)
        wanted = np.asarray(image.convert("RGB"))
    image.save(tmp_path / "a.png")
    with make(str(tmp_path), batch=1) as loader:
        assert (next(iter(loader))[0] == wanted).all()


@pytest.mark.parametrize("kind", ["progressive", "grey", "inks"])
def test_jpeg_of_every_kind(tmp_path, kind):
    pixels = np.random.default_rng(0).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    image = Image.fromarray(pixels).resize((80, 60), Image.BICUBIC)
    image = image.convert({"progressive": "RGB", "grey": "L", "inks": "CMYK"}[kind])
    image.save(tmp_path / "a.jpg", progressive=kind == "progressive")
    wanted = np.asarray(Image.open(tmp_path / "a.jpg").convert("RGB"), int)
    with make(str(tmp_path), batch=1) as loader:
        assert np.abs(next(iter(loader))[0] - wanted).max() <= (1 if kind == "inks" else 0)


def test_pictures_in_every_kind_of_number(images):  # noqa: F811
    options = {"batch": 4, "size": 16, "shuffle": False}
    with make(str(images), **options) as plain:
        whole = next(iter(plain)).copy()
    mean, std = [0.5, 0.4, 0.3], [0.2, 0.3, 0.4]
    wanted = (whole / 255 - mean) / std
    for dtype, error in (("float32", 1e-6), ("float16", 2e-3)):
        with make(str(images), dtype=dtype, mean=mean, std=std, **options) as loader:
            assert np.abs(next(iter(loader)) - wanted).max() < error
    with make(str(images), dtype="bfloat16", mean=mean, std=std, **options) as loader:
        bits = next(iter(loader)).astype(np.uint32) << 16
        assert np.abs(bits.view(np.float32) - wanted).max() < 2e-2
    with make(str(images), layout="CHW", **options) as loader:
        assert (next(iter(loader)) == whole.transpose(0, 3, 1, 2)).all()


def test_random_crops_and_flips_repeat_by_seed_epoch_and_sample(images):  # noqa: F811
    options = {"batch": 24, "size": 16, "crop": "random", "flip": True, "shuffle": False}
    with (
        make(str(images), threads=1, **options) as one,
        make(str(images), threads=4, **options) as two,
    ):
        first = next(iter(one)).copy()
        assert (next(iter(two)) == first).all()
        one.set_epoch(1)
        assert (next(iter(one)) != first).any()


def test_labels_by_a_function_a_csv_and_an_array(images, tmp_path):  # noqa: F811
    files = sorted(str(path) for path in images.rglob("*.*"))
    table = tmp_path / "labels.csv"
    table.write_text("file,label\n" + "".join(f"{Path(f).name},{n}\n" for n, f in enumerate(files)))
    options = {"batch": 24, "size": 8, "shuffle": False}
    for labels in (lambda path: files.index(path), str(table), np.arange(24)):
        with make(str(images), labels=labels, **options) as loader:
            names = [loader.name(i) for i in range(24)]
            found = next(iter(loader))[1].tolist()
        assert found == (
            [files.index(name) for name in names]
            if callable(labels) or isinstance(labels, str)
            else list(range(24))
        )


def test_a_map_gets_images_in_their_own_sizes(images):  # noqa: F811
    Image.new("RGB", (200, 30), (255, 0, 0)).save(images / "a cat" / "wide.png")

    def middle(image, rng):
        top = rng.integers(0, image.shape[0] - 20)
        return image[top : top + 20, :20].astype(np.float32)

    runs = []
    for _ in range(2):
        with make(str(images), batch=5, labels="folder", map=middle, seed=1) as loader:
            runs.append([(x.copy(), y.copy()) for x, y in loader])
    assert sum(len(x) for x, _ in runs[0]) == 25
    assert all((a == b).all() for one, two in zip(*runs) for a, b in zip(one, two))


def test_images_of_different_sizes_are_an_error_that_names_the_first(images):  # noqa: F811
    from holdfast.loader import SampleError

    Image.new("RGB", (81, 60)).save(images / "a cat" / "odd.png")
    with make(str(images), batch=4, shuffle=False) as loader:
        with pytest.raises(
            SampleError, match=r"odd\.png: 81 x 60 pixels, where the first.* 80 x 60"
        ):
            for _ in loader:
                pass


def test_a_truncated_image_is_an_error_or_skipped_counted_and_named(images):  # noqa: F811
    from holdfast.loader import SampleError

    victim = sorted(images.rglob("*.JPG"))[3]
    victim.write_bytes(victim.read_bytes()[:-300])
    with make(str(images), size=16) as loader:
        with pytest.raises(SampleError, match="truncated") as caught:
            list(loader)
        assert str(victim) in str(caught.value)
    with make(str(images), size=16, bad="skip", batch=5) as loader:
        assert sum(len(batch) for batch in loader) == 23
        stats = loader.stats()
    assert stats["skipped"] == 1
    assert victim.name in stats["skipped_names"][0]


def test_a_file_that_vanishes_is_named(images):  # noqa: F811
    from holdfast.loader import SampleError

    with make(str(images), size=16, batch=1) as loader:
        gone = sorted(images.rglob("*.png"))[1]
        gone.unlink()
        with pytest.raises(SampleError, match="No such file") as caught:
            for _ in loader:
                pass
        assert gone.name in str(caught.value)


def test_symbolic_links_are_followed_and_dead_ones_told(images, tmp_path):  # noqa: F811
    from holdfast.loader import SampleError

    elsewhere = tmp_path / "elsewhere"
    images.rename(elsewhere)
    images.symlink_to(elsewhere)
    (elsewhere / "a cat" / "link.png").symlink_to(sorted((elsewhere / "b hünd").glob("*.png"))[0])
    with make(str(images), size=16) as loader:
        assert loader.samples == 25
        assert sum(len(batch) for batch in loader) == 25
    (elsewhere / "a cat" / "dead.png").symlink_to("nowhere.png")
    with make(str(images), size=16) as loader, pytest.raises(SampleError, match=r"dead\.png"):
        for _ in loader:
            pass


def test_patterns_choose_files(images):  # noqa: F811
    with make(f"{images}/a*/*.JPG", size=8) as loader:
        assert loader.samples == len(list(images.glob("a*/*.JPG")))
    with make(f"{images}/**/*.png", size=8) as loader:
        assert loader.samples == len(list(images.glob("**/*.png")))
    files = [str(path) for path in sorted(images.rglob("*.png"))]
    with make(files, size=8, shuffle=False) as loader:
        assert [loader.name(i) for i in range(loader.samples)] == files
