"""Each row of agent/guard/survivors.txt: that code turns a refusal into an exception."""

import os
import sys

import pytest

from support.interpreters import python_with
from support.run import ROOT

LIMIT = 256 << 20
TABLE = ROOT / "agent/guard/survivors.txt"

# A program that uses the brink's signal itself is not called: only a refusal saves it.
NOT_CALLED = "import signal\nsignal.signal(signal.SIGURG, lambda *_: None)\n"

# Grows until it is refused, frees everything, and uses its library once more.
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


def test_numpy_random(refused):
    pytest.importorskip("numpy")
    refused(
        "import numpy as np\nr = np.random.default_rng(0)\ndef make(i): return r.random(1 << 18)\n"
    )


def test_numpy_transforms(refused):
    refused(
        "import numpy as np\nx = np.random.default_rng(0).random(300_000)\n"
        "def make(i): return np.fft.fft(x)\n",
        python_with("numpy"),
    )


def test_scipy_transforms(refused):
    refused(
        "import numpy as np, scipy.fft\nx = np.random.default_rng(0).random(300_000)\n"
        "def make(i): return scipy.fft.fft(x)\n",
        python_with("scipy"),
        limit=320 << 20,
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
    """torch calls a buffer back to write: an error there once ended the process in a destructor."""
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


def test_pillow_images(refused):
    refused(
        "from PIL import Image\nimage = Image.new('RGB', (500, 500), 9)\n"
        "def make(i): return image.tobytes()\n",
        python_with("PIL"),
    )


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
        assert how in ("asks", "clears", "throws", "passes", "unwinds"), name
        assert f"test_{proof}" in globals(), f"{name}: no test_{proof}"


def test_who_is_not_listed_is_let_through(holdfast, control_group, compiler, tmp_path):
    """A library that never checks the result of malloc is let through, and killed as without us."""
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
