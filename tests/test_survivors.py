"""Each row of agent/guard/survivors.txt: whoever stands there turns a refusal into an exception."""

import os
import sys

import pytest

from support.interpreters import python_with
from support.run import ROOT

LIMIT = 256 << 20
TABLE = ROOT / "agent/guard/survivors.txt"

# A program that wants the brink's signal for itself is not called there: only a refusal saves it.
NOT_CALLED = "import signal\nsignal.signal(signal.SIGURG, lambda *_: None)\n"

# Grows until it is refused, lets go of everything, and uses its library once more.
GROW = """
kept = []
try:
    for i in range(1 << 24):
        kept.append(make(i))
except (MemoryError, RuntimeError) as error:
    what = type(error).__name__, str(error)[:60]
    kept.clear()
    make(0)
    print("survived")
"""


@pytest.fixture
def refused(holdfast, control_group):
    group = control_group(memory=LIMIT)
    inside = holdfast.inside(group.inside)

    def run(code: str, python: str = sys.executable, limit: int = LIMIT) -> None:
        group.set_memory_limit(limit)
        program = NOT_CALLED + code + GROW
        ended = inside.run(python, "-c", program, options=["--guard=on"], text=True)
        assert ended.stdout == "survived\n", ended.stderr
        assert ended.returncode == 0
        assert group.oom_kills == 0
        assert "guard: refused" in ended.stderr

    return run


@pytest.mark.parametrize(
    "make",
    [
        "bytearray(b'x') * (4 << 20)",
        "[i, i + 1, i + 2]",
        "{str(i): i}",
        "'x' * 100_000 + str(i)",
        "list(range(i, i + 50_000))",
        "bytes(1000) + b'x'",
    ],
)
def test_interpreter(refused, make):
    refused(f"def make(i): return {make}\n")


@pytest.mark.parametrize(
    "make",
    [
        "np.ones(1 << 18)",
        "np.arange(1 << 18) + 0.5",
        "np.concatenate([np.ones(1 << 17)] * 4)",
        "np.sort(np.arange(1 << 18)[::-1])",
        "np.array([[1.5] * 64] * 64)",
        "np.frombuffer(b'x' * (1 << 20), 'u1').astype('f4')",
        "np.add(zeros := np.zeros(1 << 20), 1, out=zeros)",
    ],
)
def test_numpy_arrays(refused, make):
    pytest.importorskip("numpy")
    refused(f"import numpy as np\ndef make(i): return {make}\n")


@pytest.mark.parametrize("make", ["np.fft.fft2(square)", "np.fft.rfft(square)"])
def test_numpy_transforms(refused, make):
    pytest.importorskip("numpy")
    refused(f"import numpy as np\nsquare = np.ones((500, 500))\ndef make(i): return {make}\n")


def test_numpy_random(refused):
    pytest.importorskip("numpy")
    refused(
        "import numpy as np\nr = np.random.default_rng(0)\ndef make(i): return r.random(1 << 18)\n"
    )


@pytest.mark.parametrize(
    "make", ["np.tanh(m @ m)", "np.outer(m[0], m[0])", "np.linalg.inv(m + eye)"]
)
def test_numpy_matrices(refused, make):
    pytest.importorskip("numpy")
    # OpenBLAS's threads spin while they wait: a tenth of a second each, on a busy machine.
    refused(
        "import os\nos.environ['OPENBLAS_NUM_THREADS'] = '1'\n"
        "import numpy as np\nm, eye = np.ones((300, 300)), 9 * np.eye(300)\n"
        f"def make(i): return {make}\n"
    )


def test_pickled_objects(refused):
    refused("import pickle\ndef make(i): return pickle.loads(pickle.dumps(list(range(20_000))))\n")


def test_json_text(refused):
    refused("import json\ndef make(i): return json.loads(json.dumps(list(range(20_000))))\n")


def test_array_module(refused):
    refused("import array\ndef make(i): return array.array('d', [0.5]) * (1 << 17)\n")


@pytest.mark.parametrize("threads", [1, 2])
def test_torch_tensors(refused, threads):
    refused(
        f"import torch\ntorch.set_num_threads({threads})\n"
        "piece = torch.ones(1 << 22)\ndef make(i): return torch.cat([piece, piece + 1])\n",
        python_with("torch"),
        limit=1536 << 20,
    )


def test_torch_checkpoints(holdfast, control_group):
    """torch calls a buffer back to write: an error there ended the process in a destructor."""
    group = control_group(memory=1536 << 20)
    code = (
        "import io, torch\nmodel, kept = torch.nn.Linear(1024, 1024), []\n"
        "try:\n"
        "    while True:\n"
        "        kept.append(io.BytesIO())\n"
        "        torch.save(model.state_dict(), kept[-1])\n"
        "except (MemoryError, RuntimeError):\n    kept.clear()\n    print('survived')\n"
    )
    ended = holdfast.inside(group.inside).run(
        python_with("torch"), "-c", code, options=["--guard=on"], text=True
    )
    assert (ended.stdout, ended.returncode) == ("survived\n", 0), ended.stderr


@pytest.mark.parametrize(
    "make",
    [
        "list(csv.reader(['1,2,3'] * 4_000))",
        "struct.unpack('30000d', bytes(240_000))",
        "[decimal.Decimal(j) / 7 for j in range(4_000)]",
        "zlib.decompress(zlib.compress(bytes(400_000)))",
        "lzma.decompress(packed)",
        "bz2.decompress(bpacked)",
        "binascii.hexlify(bytes(300_000))",
        "[random.random() for _ in range(20_000)]",
        "[datetime.datetime(2026, 1, 1) + datetime.timedelta(j) for j in range(9_000)]",
    ],
)
def test_stdlib_modules(refused, make):
    refused(
        "import binascii, bz2, csv, datetime, decimal, lzma, random, struct, zlib\n"
        "packed, bpacked = lzma.compress(bytes(400_000)), bz2.compress(bytes(400_000))\n"
        f"def make(i): return {make}\n"
    )


def test_sqlite_rows(refused):
    refused(
        "import sqlite3\n"
        "data = sqlite3.connect(':memory:')\n"
        "data.execute('create table t (a, b)')\n"
        "data.executemany('insert into t values (?, ?)', ((j, 'x' * j) for j in range(900)))\n"
        "def make(i): return data.execute('select a, b from t').fetchall()\n"
    )


def test_sqlite_rows_by_one_statement(holdfast, control_group):
    group = control_group(memory=LIMIT)
    code = (
        "import sqlite3\n"
        "data = sqlite3.connect(':memory:')\ndata.execute('create table t (a, b)')\n"
        "numbers = ('with recursive n(i) as (select 1 union all select i + 1 from n limit {}) '\n"
        "           'insert into t select i, hex(randomblob(40)) from n')\n"
        "data.execute(numbers.format(9))\n"
        "data.commit()\n"
        "try: data.execute(numbers.format(1 << 40))\n"
        "except MemoryError: data.rollback()\n"
        "print(data.execute('select count(*) from t').fetchall())\n"
    )
    ended = holdfast.inside(group.inside).run(
        sys.executable, "-c", NOT_CALLED + code, options=["--guard=on"], text=True
    )
    assert (ended.stdout, ended.returncode, group.oom_kills) == ("[(9,)]\n", 0, 0), ended.stderr


def test_xml_trees(refused):
    refused(
        "import xml.etree.ElementTree as tree\n"
        "def make(i): return tree.fromstring('<r>' + '<a b=\"1\">text</a>' * 4_000 + '</r>')\n"
    )


@pytest.mark.parametrize(
    "make",
    [
        "frame * 2",
        "pd.concat([frame] * 3)",
        "frame.groupby('g').transform('sum')",
        "frame.merge(frame.head(200), on='g')",
        "pd.get_dummies(frame.g)",
        "pd.DataFrame({'n': [str(j) for j in range(5_000)]}, dtype=object)",
    ],
)
def test_pandas_frames(refused, make):
    refused(
        "import numpy as np, pandas as pd\n"
        "n = np.arange(60_000)\n"
        "frame = pd.DataFrame({'a': n, 'b': n * 0.5, 'g': n % 97})\n"
        f"def make(i): return {make}\n",
        python_with("pandas"),
        limit=512 << 20,
    )


@pytest.mark.parametrize("make", ["column.to_pylist()", "pa.table({'a': column}).to_pandas()"])
def test_arrow_to_python(refused, make):
    refused(
        "import numpy as np, pyarrow as pa\n"
        f"column = pa.array(np.arange(40_000.0))\ndef make(i): return {make}\n",
        python_with("pyarrow", "pandas"),
        limit=512 << 20,
    )


@pytest.mark.parametrize(
    "make",
    [
        "distance.cdist(a, a)",
        "s @ s",
        "s.toarray()",
        "scipy.ndimage.zoom(a, 1.5, order=1)",
        "scipy.fft.fft2(a)",
        "scipy.linalg.inv(a + 9 * np.eye(300))",
    ],
)
def test_scipy_arrays(refused, make):
    refused(
        "import numpy as np, scipy.fft, scipy.linalg, scipy.ndimage, scipy.sparse\n"
        "import scipy.spatial.distance as distance\n"
        "a = np.random.default_rng(0).random((300, 300))\n"
        "s = scipy.sparse.random(900, 900, 0.05, format='csr', random_state=0)\n"
        f"def make(i): return {make}\n",
        python_with("scipy"),
        limit=512 << 20,
    )


@pytest.mark.parametrize(
    "make", ["KDTree(x).query_radius(x, 0.4)", "BallTree(x).query_radius(x, 0.4)"]
)
def test_sklearn_neighbours(refused, make):
    refused(
        "import numpy as np\nfrom sklearn.neighbors import BallTree, KDTree\n"
        "x = np.random.default_rng(0).random((2_000, 3))\n"
        f"def make(i): return {make}\n",
        python_with("sklearn"),
        limit=512 << 20,
    )


@pytest.mark.parametrize(
    "make",
    [
        "tree.DecisionTreeRegressor().fit(x, x[:, 0]), x + 1",
        "PolynomialFeatures().fit_transform(x)",
    ],
)
def test_sklearn_models(refused, make):
    refused(
        "import numpy as np\nfrom sklearn import tree\n"
        "from sklearn.preprocessing import PolynomialFeatures\n"
        "x = np.random.default_rng(0).random((2_000, 20))\n"
        f"def make(i): return {make}\n",
        python_with("sklearn"),
        limit=512 << 20,
    )


@pytest.mark.parametrize(
    "make",
    [
        "image.tobytes()",
        "image.resize((2_600, 2_600))",  # several blocks, tried again in pieces
        "image.rotate(30, expand=True)",
        "image.convert('RGBA').filter(ImageFilter.GaussianBlur(2))",
        "image.quantize(16)",
        "Image.open(io.BytesIO(file.getvalue())).copy()",
    ],
)
def test_pillow_images(refused, make):
    refused(
        "import io\nfrom PIL import Image, ImageFilter\nimage = Image.new('RGB', (500, 500), 9)\n"
        "file = io.BytesIO(); image.save(file, 'PNG')\n"
        f"def make(i): return {make}\n",
        python_with("PIL"),
    )


@pytest.mark.parametrize(
    "make",
    [
        "cKDTree(points).query_ball_point(points, 0.5)",
        "cKDTree(points).query_pairs(0.5)",
    ],
)
def test_caught_exceptions(refused, make):
    """operator new throws, and Cython makes a MemoryError of it."""
    refused(
        "import numpy as np\nfrom scipy.spatial import cKDTree\n"
        "points = np.random.default_rng(0).random((1_000, 2))\n"
        f"def make(i): return {make}\n",
        python_with("scipy"),
        limit=512 << 20,
    )


@pytest.mark.parametrize(
    "make",
    ["xgboost.DMatrix(x, label=x[:, 0])", "lightgbm.Dataset(x, label=x[:, 0]).construct()"],
)
def test_boosted_trees(refused, make):
    module = make.split(".")[0]
    refused(
        f"import numpy as np, {module}\nx = np.random.default_rng(0).random((20_000, 20))\n"
        f"def make(i): return {make}\n",
        python_with(module),
        limit=768 << 20,
    )


@pytest.mark.parametrize("make", ["grow(200_000)", "rows(40)"])
def test_numba_arrays(refused, make):
    refused(
        "import numba, numpy as np\n"
        "@numba.njit\n"
        "def grow(n):\n"
        "    a = np.empty(n)\n"
        "    for j in range(n): a[j] = j\n"
        "    return a\n"
        "@numba.njit\n"
        "def rows(n):\n"
        "    kept = [np.ones(5_000) * j for j in range(n)]\n"
        "    return np.concatenate((kept[0], kept[-1]))\n"
        "grow(3), rows(2)\n"
        f"def make(i): return {make}, bytes(500_000)\n",
        python_with("numba"),
        limit=768 << 20,
    )


def test_stored_datasets(refused):
    refused(
        "import h5py, io, numpy as np\n"
        "data = h5py.File(io.BytesIO(), 'w').create_dataset('a', data=np.ones((300, 1_000)))\n"
        "def make(i): return data[()], data[:100] + 1\n",
        python_with("h5py"),
        limit=512 << 20,
    )


@pytest.mark.parametrize(
    "make",
    [
        "cv2.resize(image, (900, 900))",
        "cv2.GaussianBlur(image, (5, 5), 0)",
        "cv2.imdecode(coded, 1)",
        "cv2.cvtColor(image, cv2.COLOR_BGR2HSV)",
    ],
)
def test_camera_images(holdfast, control_group, make):
    """What NumPy is refused, OpenCV tries itself, and then throws an error of its own."""
    group = control_group(memory=512 << 20)
    code = (
        "import cv2, numpy as np\nimage, kept = np.ones((600, 600, 3), 'u1'), []\n"
        "coded = cv2.imencode('.png', image)[1]\n"
        f"def make(): return {make}\n"
        "try:\n"
        "    while True: kept.append(make())\n"
        "except (MemoryError, cv2.error):\n"
        "    kept.clear()\n    make()\n    print('survived')\n"
    )
    ended = holdfast.inside(group.inside).run(
        python_with("cv2"), "-c", NOT_CALLED + code, options=["--guard=on"], text=True
    )
    assert (ended.stdout, ended.returncode, group.oom_kills) == ("survived\n", 0, 0), ended.stderr


def test_lxml_trees(refused):
    refused(
        "from lxml import etree\ntree = etree.fromstring('<r>' + '<a>text</a>' * 4_000 + '</r>')\n"
        "def make(i): return etree.tostring(tree) * 9, [one.text for one in tree]\n",
        python_with("lxml"),
    )


def test_every_row_is_proven_here():
    rows = [line.split() for line in TABLE.read_text().splitlines() if line[:1] not in ("#", "")]
    assert rows
    for name, how, proof in rows:
        kinds = ("asks", "clears", "throws", "serves", "seeks", "repeats", "passes", "unwinds")
        assert how in kinds, name
        assert f"test_{proof}" in globals(), f"{name}: no test_{proof}"


def test_who_is_not_listed_is_let_through(holdfast, control_group, compiler, tmp_path):
    """A library that never looks at what malloc returns lives on, and is killed as without us."""
    (tmp_path / "grow.c").write_text(
        "#include <stdlib.h>\n#include <string.h>\n"
        "void grow(void) { for (;;) memset(malloc(1 << 20), 1, 1 << 20); }\n"
    )
    library = tmp_path / "libgrow.so"
    assert os.system(f"{compiler} -O1 -shared -fPIC -o {library} {tmp_path}/grow.c") == 0
    group = control_group(memory=LIMIT)
    code = f"import ctypes; ctypes.PyDLL({str(library)!r}).grow()"
    ended = holdfast.inside(group.inside).run(
        sys.executable, "-c", code, options=["--guard=on"], text=True
    )
    assert ended.returncode == -9, ended.stderr
    assert group.oom_kills == 1
    assert "refused" not in ended.stderr
