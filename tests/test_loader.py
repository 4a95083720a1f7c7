"""holdfast.Loader keeps its promises, on small data that the tests make themselves."""

import gc
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tarfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from support.run import ROOT

MIB = 1 << 20


@pytest.fixture(autouse=True)
def found(binary, monkeypatch):
    """The library lies beside the program."""
    monkeypatch.setenv("HOLDFAST_BIN", str(binary))


@pytest.fixture
def records(tmp_path):
    """A thousand rows that know their own number."""
    rows = np.arange(1000 * 16, dtype=np.float32).reshape(1000, 16)
    np.save(tmp_path / "x.npy", rows)
    np.save(tmp_path / "y.npy", np.arange(1000))
    return tmp_path


@pytest.fixture
def images(tmp_path):
    """Two classes; names with blanks and letters beyond ASCII; JPEG and PNG."""
    random = np.random.default_rng(0)
    for number in range(24):
        folder = tmp_path / "train" / ("a cat" if number % 2 else "b hünd")
        folder.mkdir(parents=True, exist_ok=True)
        pixels = random.integers(0, 256, (6, 8, 3), dtype=np.uint8)
        image = Image.fromarray(pixels).resize((80, 60), Image.BICUBIC)
        image.save(folder / f"{number:03d} ß{'.png' if number % 3 == 0 else '.JPG'}")
    return tmp_path / "train"


def make(*arguments, **options):
    from holdfast import Loader

    return Loader(*arguments, **{"as_": "numpy", "budget": "8MiB", "threads": 2, **options})


def numbers(loader):
    return np.concatenate([labels.copy() for _, labels in loader]).tolist()


# Promise 1: bytes

WATCHED = """
import json, os, sys, threading
import numpy as np
sys.path.insert(0, {python!r})
from holdfast import Loader
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
with Loader(np.zeros((4, 2)), budget="1MiB", batch=2, as_="numpy") as warm:
    for _ in warm: pass
start = resident()
peak = [0]; over = threading.Event()
def watch():
    while not over.wait(0.01): peak[0] = max(peak[0], resident())
thread = threading.Thread(target=watch); thread.start()
loader = Loader({source!r}, as_="numpy", **{options!r})
count = 0
held = []
for _ in range(2):
    for batch in loader:
        first = batch[0] if isinstance(batch, (tuple, list)) else batch
        count += len(first)
        held = [*held, batch][-2:]
over.set(); thread.join()
print(json.dumps({{"added": max(peak[0], resident()) - start, "count": count}}))
"""


def added_memory(source, **options):
    program = WATCHED.format(python=str(ROOT / "python"), source=source, options=options)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("budget", [12, 32])
def test_resident_memory_stays_within_the_budget_and_eight_mebibytes(tmp_path, budget):
    np.save(tmp_path / "x.npy", np.ones((30_000, 512), np.float32))  # 59 MiB
    seen = added_memory(str(tmp_path / "x.npy"), budget=f"{budget}MiB", batch=512)
    assert seen["count"] == 60_000
    assert seen["added"] <= (budget + 8) * MIB


def test_in_a_container_a_little_larger_than_the_budget_nothing_is_killed(tmp_path, control_group):
    np.save(tmp_path / "x.npy", np.ones((60_000, 512), np.float32))  # 117 MiB
    group = control_group(memory=16 * MIB + 64 * MIB + 32 * MIB)
    program = WATCHED.format(
        python=str(ROOT / "python"),
        source=str(tmp_path / "x.npy"),
        options={"budget": "16MiB", "batch": 512},
    )
    done = subprocess.run(
        group.inside(sys.executable, "-c", program), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["count"] == 120_000
    assert group.oom_kills == 0


def test_images_are_decoded_within_the_budget(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (900, 1200, 3), dtype=np.uint8)
    for number in range(4):
        Image.fromarray(pixels).save(tmp_path / f"{number}.jpg", quality=90, progressive=number % 2)
    seen = added_memory(str(tmp_path), budget="24MiB", batch=2, size=224)
    assert seen["count"] == 8
    assert seen["added"] <= (24 + 8) * MIB


def test_pages_behind_the_reader_are_dropped_where_asked_for(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.ones((20_000, 256), np.float32))
    os.sync()

    def cached():
        import ctypes
        import mmap

        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as area:
            view = np.frombuffer(area, np.uint8)
            pages = -(-len(view) // mmap.PAGESIZE)
            table = (ctypes.c_ubyte * pages)()
            libc = ctypes.CDLL(None, use_errno=True)
            address = ctypes.c_void_p(view.ctypes.data)
            assert libc.mincore(address, ctypes.c_size_t(len(view)), table) == 0
            del view
            return sum(one & 1 for one in table) / pages

    with make(str(path), shuffle=False, cache="keep") as loader:
        for _ in loader:
            pass
    if cached() < 0.9:
        pytest.skip("this file system keeps no pages")
    with make(str(path), shuffle=False, cache="drop") as loader:
        for _ in loader:
            pass
    if cached() > 0.9 and path.stat().st_dev == os.stat("/dev/shm").st_dev:
        pytest.skip("a file system in memory drops nothing")
    assert cached() < 0.2


# Promise 2: never a deadlock


def test_a_program_that_holds_every_batch_is_told(records):
    from holdfast import BudgetHeld

    with make(str(records / "x.npy"), batch=100, budget="64KiB") as loader:
        with pytest.raises(BudgetHeld, match=r"holds all \d+ batches"):
            list(loader)
        assert len([None for _ in loader]) == 10  # and goes on when it has let go


def test_a_slot_comes_back_when_the_last_view_dies(records):
    with make(str(records / "x.npy"), batch=10) as loader:
        batches = iter(loader)
        part = next(batches)[2:4, 1]
        expected = part.copy()
        gc.collect()
        assert loader.stats()["held"] == 1
        for _ in batches:
            pass
        assert (part == expected).all()
        del part, _
        assert loader.stats()["held"] == 0


def test_a_budget_too_small_names_the_smallest_one(records):
    from holdfast.loader import LoaderError

    with pytest.raises(LoaderError, match=r"need a budget of (\d+) MiB"):
        make(str(records / "x.npy"), batch=1000, budget="64KiB")
    with make(str(records / "x.npy"), batch=1000, budget="1MiB") as loader:
        smallest = loader.smallest_budget
    with make(str(records / "x.npy"), batch=1000, budget=smallest) as loader:
        assert sum(len(batch) for batch in loader) == 1000


# Promise 3: order


def test_order_does_not_depend_on_threads_or_budget(records):
    source = (str(records / "x.npy"), str(records / "y.npy"))
    with make(source, batch=16, threads=1, budget="1MiB", seed=3) as one:
        first = numbers(one)
        second = numbers(one)
    with make(source, batch=16, threads=4, budget="32MiB", seed=3) as many:
        assert numbers(many) == first
        assert numbers(many) == second
    assert sorted(first) == list(range(1000))
    assert first != second
    with make(source, batch=16, seed=4) as other:
        assert numbers(other) != first


def test_rows_are_the_files_rows(records):
    with make((str(records / "x.npy"), str(records / "y.npy")), batch=33) as loader:
        for x, y in loader:
            assert (x[:, 0] == y * 16).all()


# Promise 4: resume


def test_a_state_is_small_and_goes_on_where_it_was_taken(records):
    source = (str(records / "x.npy"), str(records / "y.npy"))
    with make(source, batch=16, seed=3) as loader:
        whole = numbers(loader)
        loader.set_epoch(0)
        batches = iter(loader)
        for _ in range(20):
            next(batches)
        state = loader.state_dict()
        assert len(pickle.dumps(state)) < 1024
        assert len(json.dumps(state)) < 1024
    with make(source, batch=16, budget="1MiB", threads=1) as again:
        again.load_state_dict(state)
        assert numbers(again) == whole[320:]
        assert numbers(again) != whole  # the next epoch


def test_a_state_is_valid_for_another_number_of_ranks(records):
    source = (str(records / "x.npy"), str(records / "y.npy"))
    seen = []
    states = []
    for rank in range(2):
        with make(source, batch=10, rank=rank, ranks=2) as loader:
            batches = iter(loader)
            for _ in range(7):
                seen += next(batches)[1].tolist()
            states.append(loader.state_dict())
    assert states[0] == states[1]
    for rank in range(3):
        with make(source, batch=10, rank=rank, ranks=3) as loader:
            loader.load_state_dict(states[0])
            seen += numbers(loader)
    # 860 left over three ranks: 28 steps of 30, then 20 samples, 7 + 7 + 6.
    assert sorted(seen) == list(range(1000))


def test_ranks_share_an_epoch_without_a_sample_twice(records):
    source = (str(records / "x.npy"), str(records / "y.npy"))
    seen, lengths = [], set()
    for rank in range(3):
        with make(source, batch=64, rank=rank, ranks=3) as loader:
            batches = [labels.copy() for _, labels in loader]
            lengths.add(len(batches))
            assert len(batches) == len(loader)
            seen += np.concatenate(batches).tolist()
    assert lengths == {6}
    assert sorted(seen) == list(range(1000))


def test_a_state_of_other_data_is_refused(records):
    from holdfast.loader import LoaderError

    with make(str(records / "x.npy")) as loader, make(str(records / "y.npy")) as other:
        with pytest.raises(LoaderError, match="other data"):
            other.load_state_dict(loader.state_dict())


KILLED = """
import json, sys
sys.path.insert(0, {python!r})
from holdfast import Loader
state = {state!r}
loader = Loader({source!r}, budget="4MiB", batch=20, seed=9, as_="numpy")
try:
    loader.load_state_dict(json.load(open(state)))
except FileNotFoundError:
    pass
for x, y in loader:
    line = json.dumps([y.tolist(), x.sum(axis=1).tolist(), loader.state_dict()])
    print(line, flush=True)
"""


def test_killed_at_any_place_and_resumed_every_sample_comes_once(records, tmp_path):
    source = (str(records / "x.npy"), str(records / "y.npy"))
    state = tmp_path / "state.json"
    program = KILLED.format(python=str(ROOT / "python"), state=str(state), source=source)
    seen = {}
    order = []
    random = np.random.default_rng(1)
    for _ in range(30):
        child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        over = True
        wanted = int(random.integers(3, 15))
        for count, line in enumerate(child.stdout):
            numbers_, sums, now = json.loads(line)
            seen.update(zip(numbers_, sums))
            order += numbers_
            state.write_text(json.dumps(now))
            if count == wanted:
                child.kill()
                over = False
                break
        child.stdout.close()
        child.wait()
        if over:
            break
    assert over
    assert sorted(order) == list(range(1000))
    rows = np.load(records / "x.npy").sum(axis=1)
    assert all(seen[number] == rows[number] for number in range(1000))


# Promise 5: death


class Deadly:
    """A dataset with one sample that ends whoever makes it."""

    def __len__(self):
        return 200

    def __getitem__(self, index):
        if index == 77:
            os.kill(os.getpid(), signal.SIGKILL)
        return np.full(4, index, np.float32), index


class Hungry(Deadly):
    def __getitem__(self, index):
        return np.ones((64 if index else 4) * MIB)[:2]


def test_a_workers_death_is_told_with_its_signal():
    from holdfast.loader import WorkerDied

    with make(Deadly(), batch=8, processes=2) as loader:
        for _ in range(3):  # each time, since dead workers are replaced
            with pytest.raises(WorkerDied, match="ended by signal SIGKILL"):
                for _batch in loader:
                    pass


CRASHING = f"""
import ctypes, sys
sys.path.insert(0, {str(ROOT / "python")!r})
from holdfast import Loader
class Crashing:
    def __len__(self): return 50
    def __getitem__(self, index):
        if index == 7:
            ctypes.string_at(0)  # line 8
        return index
if __name__ == "__main__":
    with Loader(Crashing(), batch=4, processes=2, budget="16MiB", as_="numpy") as loader:
        try:
            for _ in loader: pass
        except Exception as error:
            print(type(error).__name__, error)
"""


def test_in_a_supervised_run_a_workers_crash_has_its_cause_and_line(binary, tmp_path):
    script = tmp_path / "crashing.py"
    script.write_text(CRASHING)
    done = subprocess.run(
        [binary, "run", "--", sys.executable, script],
        capture_output=True,
        text=True,
        env={**os.environ, "HOLDFAST_HOME": str(tmp_path / "home")},
    )
    assert "ended by signal SIGSEGV: HF301 segfault" in done.stdout, done.stderr
    assert f"{script}:9" in done.stdout


def test_a_worker_fails_with_memoryerror_at_its_share():
    from holdfast.loader import SampleError

    with make(Hungry(), batch=8, processes=2, budget="16MiB") as loader:
        with pytest.raises(SampleError, match="MemoryError"):
            for _batch in loader:
                pass


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_give_the_same_batches(method):
    code = (
        "import multiprocessing, sys\n"
        f"sys.path[:0] = [{str(ROOT / 'python')!r}, {str(ROOT / 'tests')!r}]\n"
        "from test_loader import Fine, make\n"
        "if __name__ == '__main__':\n"
        f"    multiprocessing.set_start_method({method!r})\n"
        "    for processes in (0, 2):\n"
        "        with make(Fine(), batch=7, processes=processes, seed=2) as loader:\n"
        "            print([y.tolist() for _ in range(2) for _, y in loader])\n"
    )
    script = Path(os.environ.get("TMPDIR", "/tmp")) / f"loader-{method}-{os.getpid()}.py"
    script.write_text(code)
    try:
        done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    finally:
        script.unlink()
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == second


class Fine(Deadly):
    def __getitem__(self, index):
        return np.full(4, index, np.float32), index


# Images


def test_images_with_labels_by_folder(images):
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


def test_decoding_is_pils_and_resizing_within_a_level(images):
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


def test_pictures_in_every_kind_of_number(images):
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


def test_random_crops_and_flips_repeat_by_seed_epoch_and_sample(images):
    options = {"batch": 24, "size": 16, "crop": "random", "flip": True, "shuffle": False}
    with (
        make(str(images), threads=1, **options) as one,
        make(str(images), threads=4, **options) as two,
    ):
        first = next(iter(one)).copy()
        assert (next(iter(two)) == first).all()
        one.set_epoch(1)
        assert (next(iter(one)) != first).any()


def test_labels_by_a_function_a_csv_and_an_array(images, tmp_path):
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


def test_a_map_gets_images_in_their_own_sizes(images):
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


# Bad input


def test_images_of_different_sizes_are_an_error_that_names_the_first(images):
    from holdfast.loader import SampleError

    Image.new("RGB", (81, 60)).save(images / "a cat" / "odd.png")
    with make(str(images), batch=4, shuffle=False) as loader:
        with pytest.raises(
            SampleError, match=r"odd\.png: 81 x 60 pixels, where the first.* 80 x 60"
        ):
            for _ in loader:
                pass


def test_a_truncated_image_is_an_error_or_skipped_counted_and_named(images):
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


def test_a_file_that_vanishes_is_named(images):
    from holdfast.loader import SampleError

    with make(str(images), size=16, batch=1) as loader:
        gone = sorted(images.rglob("*.png"))[1]
        gone.unlink()
        with pytest.raises(SampleError, match="No such file") as caught:
            for _ in loader:
                pass
        assert gone.name in str(caught.value)


def test_symbolic_links_are_followed_and_dead_ones_told(images, tmp_path):
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


def test_patterns_choose_files(images):
    with make(f"{images}/a*/*.JPG", size=8) as loader:
        assert loader.samples == len(list(images.glob("a*/*.JPG")))
    with make(f"{images}/**/*.png", size=8) as loader:
        assert loader.samples == len(list(images.glob("**/*.png")))
    files = [str(path) for path in sorted(images.rglob("*.png"))]
    with make(files, size=8, shuffle=False) as loader:
        assert [loader.name(i) for i in range(loader.samples)] == files


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        ("nowhere", {}, "no such file"),
        ("empty", {}, "no JPEG or PNG"),
        ("x.npy", {"batch": 0}, "batch must be 1"),
        ("x.npy", {"budget": "much"}, "is no size"),
        ("a.npz", {}, "save its arrays as .npy"),
        ("text.npy", {}, "not a .npy file"),
        ("cut.npy", {}, "truncated"),
        ("columns.npy", {}, "Fortran"),
        ("objects.npy", {}, "Python objects"),
        ("x.npy", {"rank": 3, "ranks": 2}, "cannot be"),
        ("x.npy", {"bad": "ignore"}, "raise"),
    ],
)
def test_what_cannot_be_is_said(records, source, options, words):
    from holdfast.loader import LoaderError

    (records / "empty").mkdir()
    np.savez(records / "a.npz", a=np.ones(3))
    (records / "text.npy").write_text("hello")
    (records / "cut.npy").write_bytes((records / "x.npy").read_bytes()[:-10])
    np.save(records / "columns.npy", np.asfortranarray(np.ones((4, 5))))
    np.save(records / "objects.npy", np.array([None, {}]), allow_pickle=True)
    with pytest.raises(LoaderError, match=words):
        make(str(records / source), **options)
    assert not [name for name in os.listdir("/dev/shm") if "holdfast-loader" in name]


def test_use_after_close_and_pickling_are_errors(records):
    from holdfast.loader import LoaderError

    loader = make(str(records / "x.npy"), batch=10)
    batch = next(iter(loader))
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(loader)
    wanted = batch.copy()
    loader.close()
    loader.close()
    assert (batch == wanted).all()  # what is held stays
    for use in (lambda: next(iter(loader)), loader.stats, loader.state_dict, lambda: len(loader)):
        with pytest.raises(LoaderError, match="closed"):
            use()


def test_a_map_that_raises_or_changes_its_shape_names_the_sample(records):
    from holdfast.loader import SampleError

    def broken(row):
        return 1 / 0 if row[0] == 160 else row

    def uneven(row):
        return row[:3] if row[0] == 160 else row

    path = str(records / "x.npy")
    with make(path, map=broken, shuffle=False) as loader:
        with pytest.raises(
            SampleError, match=r"x\.npy\[10\]: map raised ZeroDivisionError"
        ) as caught:
            next(iter(loader))
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with make(path, map=uneven, shuffle=False) as loader:
        with pytest.raises(SampleError, match=r"x\.npy\[10\]: shape \(3,\)"):
            next(iter(loader))


# Other sources


def test_csv_with_quotes_and_a_label(tmp_path):
    lines = [f'{n},"{n / 4}",{n % 3},"a\nb"' for n in range(500)]
    (tmp_path / "d.csv").write_text("a,b,kind,note\n" + "\n".join(lines) + "\n")
    with make(str(tmp_path / "d.csv"), columns=["a", "b"], labels="kind", batch=32) as loader:
        seen = 0
        for x, y in loader:
            assert x.dtype == np.float32
            assert y.dtype == np.int64
            assert (x[:, 0] == x[:, 1] * 4).all()
            assert (x[:, 0] % 3 == y).all()
            seen += len(x)
        assert seen == loader.samples == 500


def test_a_ragged_csv_names_its_line(tmp_path):
    from holdfast.loader import SampleError

    (tmp_path / "d.csv").write_text("a,b\n" + "1,2\n" * 50 + "1\n" + "1,2\n" * 50)
    with make(str(tmp_path / "d.csv"), shuffle=False) as loader:
        with pytest.raises(SampleError, match=r"d\.csv:52: 1 cells, where the first line has 2"):
            for _ in loader:
                pass


def test_csv_columns_of_text_are_told(tmp_path):
    from holdfast.loader import LoaderError

    (tmp_path / "d.csv").write_text("a,b\n1,red\n")
    with pytest.raises(LoaderError, match=r'column "b" holds text \("red"\)'):
        make(str(tmp_path / "d.csv"))


def test_lines_of_text_and_json(tmp_path):
    (tmp_path / "a.txt").write_text("".join(f"line {n} ü\n" for n in range(300)))
    with make(str(tmp_path / "a.txt"), batch=7, budget="1MiB") as loader:
        assert sorted(line for batch in loader for line in batch) == sorted(
            f"line {n} ü" for n in range(300)
        )
    rows = [{"x": [n, n / 2], "y": n, "t": "é" * (n % 9)} for n in range(300)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with make(str(tmp_path / "a.jsonl"), batch=7, shuffle=False) as loader:
        assert [row for batch in loader for row in batch] == rows
    with make(str(tmp_path / "a.jsonl"), batch=7, columns=["x", "y"]) as loader:
        for batch in loader:
            assert batch["y"].dtype == np.int64
            assert (batch["x"][:, 1] * 2 == batch["y"]).all()


def shard(path, entries):
    import io

    with tarfile.open(path, "w") as tar:
        for name, data in entries:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def test_tar_shards_of_images(images, tmp_path):
    files = sorted(images.rglob("*.*"))
    for number in range(2):
        shard(
            tmp_path / f"s{number}.tar",
            [
                entry
                for n, path in list(enumerate(files))[number::2]
                for entry in (
                    (f"long {'x' * 120}/{n:04d}{path.suffix.lower()}", path.read_bytes()),
                    (f"long {'x' * 120}/{n:04d}.cls", str(n).encode()),
                )
            ],
        )
    with make(f"{tmp_path}/s*.tar", size=(60, 80), batch=5) as loader:
        seen = {}
        for pictures, labels in loader:
            seen.update({int(label): picture.copy() for label, picture in zip(labels, pictures)})
    assert sorted(seen) == list(range(24))
    for number, path in enumerate(files):
        assert (seen[number] == np.asarray(Image.open(path).convert("RGB"))).all()


def test_tar_shards_of_anything(tmp_path):
    entries = [(f"{n}.{kind}", f"{kind}{n}".encode()) for n in range(20) for kind in ("txt", "bin")]
    shard(tmp_path / "s.tar", entries)
    with make(str(tmp_path / "s.tar"), columns=(), batch=3, shuffle=False) as loader:
        rows = [row for batch in loader for row in batch]
    assert rows[7] == {"__key__": "7", "txt": b"txt7", "bin": b"bin7"}
    assert len(rows) == 20


def test_a_cut_shard_is_refused(tmp_path):
    from holdfast.loader import LoaderError

    shard(tmp_path / "s.tar", [(f"{n}.txt", b"x" * 1000) for n in range(20)])
    whole = (tmp_path / "s.tar").read_bytes()
    (tmp_path / "s.tar").write_bytes(whole[:5000])
    with pytest.raises(LoaderError, match="truncated"):
        make(str(tmp_path / "s.tar"), columns=())


def test_raw_files_memory_maps_and_shards_of_npy(records):
    rows = np.load(records / "x.npy")
    rows.tofile(records / "x.raw")
    np.save(records / "part1.npy", rows[:300])
    np.save(records / "part2.npy", rows[300:])
    raw = {"dtype": "f4", "shape": (16,)}
    mapped = np.load(records / "x.npy", mmap_mode="r")
    for source, options in (
        (str(records / "x.raw"), raw),
        (mapped, {}),
        ([str(records / "part1.npy"), str(records / "part2.npy")], {}),
        (f"{records}/part*.npy", {}),
    ):
        with make(source, batch=64, shuffle=False, **options) as loader:
            assert (np.concatenate([batch.copy() for batch in loader]) == rows).all()


def test_datasets_iterators_and_arrays():
    from holdfast.loader import LoaderError

    with make(Fine(), batch=7) as loader:
        assert sorted(numbers(loader)) == list(range(200))
    with make(({"a": n, "b": "text"} for n in range(10)), batch=4) as loader:
        batches = list(loader)
        assert [batch["a"].tolist() for batch in batches] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
        assert batches[0]["b"] == ["text"] * 4
        with pytest.raises(TypeError):
            len(loader)
        with pytest.raises(LoaderError, match="used up"):
            list(loader)
    with pytest.raises(LoaderError, match="cannot be shuffled"):
        make(iter([1, 2]), shuffle=True)
    pair = (np.arange(100).reshape(50, 2), np.arange(50))
    with make(pair, batch=8) as loader:
        assert all((x[:, 0] == y * 2).all() for x, y in loader)


# Fitting in


def test_a_forked_child_has_no_arena_and_is_told(records):
    with make(str(records / "x.npy"), batch=10) as loader:
        batch = next(iter(loader))
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                next(iter(loader))
            except RuntimeError as error:
                os.write(writer, str(error).encode())
            os._exit(0)
        os.close(writer)
        assert os.waitpid(child, 0)[1] == 0
        assert b"belongs to the process that made it" in os.read(reader, 1000)
        os.close(reader)
        assert batch.sum() >= 0


def test_two_loaders_and_many_threads(records):
    path = str(records / "x.npy")
    with make(path, batch=10) as one, make(path, batch=10, seed=1) as two:
        batches = [iter(one), iter(two)]
        sums = [0.0, 0.0]
        lock = threading.Lock()

        def work(which):
            while True:
                batch = next(batches[which], None)
                if batch is None:
                    return
                total = float(batch.sum(dtype=np.float64))
                with lock:
                    sums[which] += total

        threads = [threading.Thread(target=work, args=(n % 2,)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    wanted = float(np.load(path).sum(dtype=np.float64))
    assert sums == [wanted, wanted]


def test_an_interrupt_is_seen_and_the_cell_runs_again(tmp_path):
    program = f"""
import signal, sys, threading, time
sys.path.insert(0, {str(ROOT / "python")!r})
from holdfast import Loader
class Slow:
    def __len__(self): return 40
    def __getitem__(self, index):
        time.sleep(0.05)
        return index
with Loader(Slow(), batch=4, as_="numpy") as loader:
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    try:
        list(map(len, loader))
    except KeyboardInterrupt:
        print("interrupted")
    print(sum(map(len, loader)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["interrupted", "40"], done.stderr


def test_a_newer_iteration_ends_the_older(records):
    from holdfast.loader import LoaderError

    with make(str(records / "x.npy"), batch=10) as loader:
        old = iter(loader)
        next(old)
        new = iter(loader)
        next(new)
        with pytest.raises(LoaderError, match="another iteration"):
            next(old)
        assert sum(1 for _ in new) == 99


def test_the_last_short_batch_can_be_dropped(records):
    with make(str(records / "x.npy"), batch=64, drop_last=True) as loader:
        assert len(loader) == 15
        assert [len(batch) for batch in loader] == [64] * 15


def test_stats_tell_what_is_held_and_waited_for(records):
    with make(str(records / "x.npy"), batch=10) as loader:
        for _batch in loader:
            time.sleep(0.001)
        stats = loader.stats()
    assert stats["samples"] == 1000
    assert 0 < stats["bytes_held"] <= stats["budget"]
    assert stats["waited_for_program"] > 0


def test_nothing_is_left_behind_by_processes():
    def ours():  # or multiprocessing's; others use the folder as well
        names = ("holdfast-loader", "psm_", "pym-", f"sem.mp-{os.getpid()}")
        return {name for name in os.listdir("/dev/shm") if name.startswith(names)}

    before = ours()
    with make(Fine(), batch=8, processes=2) as loader:
        for _ in loader:
            pass
    assert ours() == before
    assert not multiprocessing.active_children()
