"""The table behind matrix.py: things that libraries make, one row each.

A row: name, the module it needs, code that runs once, and an expression that makes one thing from a
number `i`. A thing has a few hundred kilobytes to a few megabytes.
"""

from __future__ import annotations

from typing import NamedTuple


class Maker(NamedTuple):
    name: str
    needs: str
    setup: str
    make: str
    megabytes: int = 512  # the limit it dies below


def _rows(needs: str, setup: str, megabytes: int, makes: dict[str, str]) -> list[Maker]:
    return [Maker(name, needs, setup, make, megabytes) for name, make in makes.items()]


MAKERS = [
    *_rows("json", "", 256, {
        "bytes": "bytes([i % 256]) * 400_000",
        "bytearray": "bytearray(b'x') * (1 << 20)",
        "ints": "list(range(i, i + 20_000))",
        "dicts": "{str(j): j for j in range(i, i + 3_000)}",
        "strings": "[str(j) * 5 for j in range(i, i + 5_000)]",
        "text_joined": "' '.join(map(str, range(i, i + 50_000)))",
        "sets": "{j * 7 for j in range(i, i + 10_000)}",
        "floats": "[j / 7 for j in range(20_000)]",
        "slices": "(list(range(50_000)) * 2)[::2]",
        "big_numbers": "(1 << 3_000_000) + i",
    }),
    *_rows("json", "import json, pickle, zlib, lzma, bz2, re, csv, io, struct, base64, copy, decimal, "
           "sqlite3, xml.etree.ElementTree as tree, collections, itertools, hashlib, string\n"
           "packed = zlib.compress(b'abcdefgh' * 100_000)\nlpacked = lzma.compress(b'abcdefgh' * 100_000)\n"
           "bpacked = bz2.compress(b'abcdefgh' * 100_000)\n"
           "words = ' '.join(f'w{j}' for j in range(20_000))\n"
           "document = '<r>' + '<a b=\"1\">text</a>' * 4_000 + '</r>'\n"
           "numbers = json.dumps(list(range(30_000)))\nlines = '\\n'.join(f'{j},{j},{j}' for j in range(5_000))\n"
           "nested = {j: [j, str(j)] for j in range(2_000)}\n"
           "data = sqlite3.connect(':memory:'); data.execute('create table t (a, b)')\n"
           "data.executemany('insert into t values (?, ?)', ((j, str(j) * 4) for j in range(5_000)))", 256, {
        "json_loads": "json.loads(numbers)",
        "json_dumps": "json.dumps(list(range(i, i + 60_000)))",
        "pickle_loads": "pickle.loads(pickle.dumps(nested))",
        "zlib_decompress": "zlib.decompress(packed)",
        "lzma_decompress": "lzma.decompress(lpacked)",
        "bz2_decompress": "bz2.decompress(bpacked)",
        "lzma_compress": "lzma.compress(hashlib.sha256(str(i).encode()).digest() * 9_000, preset=0) + bytes(300_000)",
        "re_findall": "re.findall(r'\\w+', words)",
        "csv_rows": "list(csv.reader(io.StringIO(lines)))",
        "struct_unpack": "struct.unpack('40000d', bytes(320_000))",
        "base64": "base64.b64encode(bytes([i % 256]) * 300_000)",
        "deepcopy": "copy.deepcopy(nested)",
        "decimals": "[decimal.Decimal(j) / 7 for j in range(4_000)]",
        "sqlite_rows": "data.execute('select a, b from t').fetchall()",
        "sqlite_database": "data.executemany('insert into t values (?, ?)', ((j, str(j) * 40) for j in range(3_000)))",
        "xml_tree": "tree.fromstring(document)",
        "deques": "collections.deque(range(i, i + 20_000))",
        "counters": "collections.Counter(itertools.islice(words, 100_000)), words.split()",
        "string_io": "io.StringIO(words * 4)",
        "bytes_io": "io.BytesIO(bytes(500_000) + b'x').getvalue()",
        "encoded": "(words * 3).encode('utf-16')",
        "translated": "words.translate({97: 'bb'}) + str(i)",
    }),
    *_rows("numpy", "import numpy as np, io\nr = np.random.default_rng(0)\nbase = r.random((400, 400))\n"
           "file = io.BytesIO(); np.save(file, np.arange(200_000.0))\n"
           "names = [f'name{j}' for j in range(20_000)]", 512, {
        "numpy_ones": "np.ones(1 << 18)",
        "numpy_random": "np.random.default_rng(i).random(1 << 18)",
        "numpy_integers": "np.random.default_rng(i).integers(0, 9, 1 << 18)",
        "numpy_sorted": "np.sort(np.random.default_rng(i).random(1 << 17))",
        "numpy_fft": "np.fft.fft(base)",
        "numpy_matmul": "base @ base",
        "numpy_einsum": "np.einsum('ij,jk->ik', base, base)",
        "numpy_svd": "np.linalg.svd(base[:60, :60]), base + i",
        "numpy_outer": "np.outer(base[0], base[1])",
        "numpy_strings": "np.array(names)",
        "numpy_astype": "base.astype('c16')",
        "numpy_where": "np.where(base > 0.5, base, -base)",
        "numpy_unique": "np.unique(np.random.default_rng(i).random(100_000))",
        "numpy_loaded": "(file.seek(0), np.load(file))[1]",
        "numpy_stacked": "np.stack([base] * 4)",
        "numpy_text": "np.loadtxt(['1 2 3'] * 5_000)",
        "numpy_nonzero": "np.nonzero(base > 0.1)",
        "numpy_pad": "np.pad(base, 50)",
        "numpy_objects": "np.array([str(j) for j in range(i, i + 10_000)], dtype=object)",
        "numpy_tolist": "base.tolist()",
    }),
    *_rows("pandas", "import io, numpy as np, pandas as pd\n"
           "text = 'a,b,c\\n' + ''.join(f'{j},{j * 0.5},word{j}\\n' for j in range(8_000))\n"
           "frame = pd.DataFrame({'a': np.arange(60_000), 'b': np.arange(60_000.0), 'g': np.arange(60_000) % 97})\n"
           "named = pd.DataFrame({'n': [f'name{j}' for j in range(8_000)], 'k': range(8_000)})", 512, {
        "pandas_frames": "frame * 2",
        "pandas_read_csv": "pd.read_csv(io.StringIO(text))",
        "pandas_concat": "pd.concat([frame, frame])",
        "pandas_merge": "frame.merge(frame.head(200), on='g', how='inner')",
        "pandas_groupby": "frame.groupby('g').transform('cumsum')",
        "pandas_dummies": "pd.get_dummies(frame.g)",
        "pandas_strings": "named.n.str.upper()",
        "pandas_split": "named.n.str.split('e')",
        "pandas_apply": "named.apply(lambda row: str(row.k), axis=1) if i % 50 == 0 else frame.copy()",
        "pandas_pivot": "frame.head(5_000).pivot_table(index='a', columns='g', values='b')",
        "pandas_sorted": "frame.sort_values('b', ascending=False)",
        "pandas_dates": "pd.to_datetime(frame.a, unit='s')",
        "pandas_melt": "frame.melt(id_vars='a')",
        "pandas_rolling": "frame.b.rolling(9).mean()",
        "pandas_records": "named.to_dict('records')",
    }),
    *_rows("pyarrow", "import io, numpy as np, pyarrow as pa, pyarrow.compute as pc, pyarrow.csv as pcsv, pyarrow.parquet as pq\n"
           "column = pa.array(np.arange(100_000.0)); table = pa.table({'a': column, 'b': column})\n"
           "text = b'a,b\\n' + b''.join(b'%d,%d\\n' % (j, j) for j in range(20_000))\n"
           "sink = io.BytesIO(); pq.write_table(table, sink)\nnames = [f'name{j}' for j in range(20_000)]", 512, {
        "arrow_arrays": "pa.array(np.arange(i, i + 100_000))",
        "arrow_compute": "pc.add(column, i)",
        "arrow_read_csv": "pcsv.read_csv(io.BytesIO(text))",
        "arrow_parquet": "pq.read_table(io.BytesIO(sink.getvalue()))",
        "arrow_strings": "pa.array(names)",
        "arrow_to_pandas": "table.to_pandas()",
        "arrow_to_python": "column.slice(0, 10_000).to_pylist()",
        "arrow_take": "table.take(list(range(0, 100_000, 2)))",
    }),
    *_rows("polars", "import io, polars as pl\n"
           "frame = pl.DataFrame({'a': range(60_000), 'g': [j % 97 for j in range(60_000)]})\n"
           "text = b'a,b\\n' + b''.join(b'%d,w%d\\n' % (j, j) for j in range(20_000))", 512, {
        "polars_columns": "frame.with_columns(b=pl.col('a') * 2.5 + i)",
        "polars_read_csv": "pl.read_csv(io.BytesIO(text))",
        "polars_join": "frame.join(frame.head(300), on='g')",
        "polars_strings": "frame.select(pl.col('a').cast(pl.String) + '_text')",
        "polars_sorted": "frame.sort('a', descending=True)",
        "polars_to_numpy": "(frame * 2).to_numpy()",
        "polars_rows": "frame.head(10_000).rows()",
    }),
    *_rows("scipy", "import numpy as np, scipy.sparse, scipy.fft, scipy.ndimage, scipy.signal, scipy.spatial.distance as distance, scipy.linalg\n"
           "a = np.random.default_rng(0).random((300, 300)); s = scipy.sparse.random(2_000, 2_000, 0.02, format='csr', random_state=0)", 512, {
        "scipy_sparse_sum": "s + s.T",
        "scipy_sparse_product": "s @ s",
        "scipy_dense": "s[:400].toarray()",
        "scipy_fft": "scipy.fft.fft2(a)",
        "scipy_zoom": "scipy.ndimage.zoom(a, 1.5, order=1)",
        "scipy_distances": "distance.cdist(a, a)",
        "scipy_inverse": "scipy.linalg.inv(a[:100, :100]), a + i",
        "scipy_convolve": "scipy.signal.fftconvolve(a, a)",
    }),
    *_rows("sklearn", "import numpy as np\nfrom sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler\n"
           "from sklearn.feature_extraction.text import CountVectorizer\nfrom sklearn.tree import DecisionTreeRegressor\n"
           "from sklearn.neighbors import NearestNeighbors\nfrom sklearn.metrics import pairwise_distances\nfrom sklearn.decomposition import PCA\n"
           "x = np.random.default_rng(0).random((3_000, 20)); y = x[:, 0]\ntexts = [f'word{j} other{j % 7}' for j in range(2_000)]", 512, {
        "sklearn_polynomial": "PolynomialFeatures(2).fit_transform(x[:1_000])",
        "sklearn_scaled": "StandardScaler().fit_transform(x)",
        "sklearn_words": "CountVectorizer().fit(texts)",
        "sklearn_tree": "DecisionTreeRegressor(random_state=0).fit(x[:500], y[:500]), x + i",
        "sklearn_neighbours": "NearestNeighbors().fit(x + i), x * 2",
        "sklearn_distances": "pairwise_distances(x[:500])",
        "sklearn_one_hot": "OneHotEncoder(sparse_output=False).fit_transform(np.arange(400).reshape(-1, 1))",
        "sklearn_pca": "PCA(5, random_state=0).fit_transform(x), x + i",
    }),
    *_rows("PIL", "import io, numpy as np\nfrom PIL import Image\nimage = Image.effect_noise((700, 700), 50).convert('RGB')\n"
           "file = io.BytesIO(); image.save(file, 'JPEG')", 512, {
        "pil_new": "Image.new('RGB', (600, 600), i % 255)",
        "pil_resized": "image.resize((900, 900))",
        "pil_rotated": "image.rotate(45, expand=True)",
        "pil_decoded": "(lambda one: (one.load(), one))(Image.open(io.BytesIO(file.getvalue())))",
        "pil_to_numpy": "np.asarray(image) + 1",
    }),
    *_rows("cv2", "import cv2, numpy as np\nimage = np.random.default_rng(0).integers(0, 255, (600, 600, 3), dtype='u1')\n"
           "coded = cv2.imencode('.png', image)[1]", 512, {
        "cv2_resized": "cv2.resize(image, (900, 900))",
        "cv2_blurred": "cv2.GaussianBlur(image, (5, 5), 0)",
        "cv2_decoded": "cv2.imdecode(coded, 1)",
        "cv2_converted": "cv2.cvtColor(image, cv2.COLOR_BGR2HSV)",
        "cv2_border": "cv2.copyMakeBorder(image, 90, 90, 90, 90, cv2.BORDER_REFLECT)",
    }),
    *_rows("lxml", "from lxml import etree\ndocument = '<r>' + '<a b=\"1\">text</a>' * 4_000 + '</r>'", 512, {
        "lxml_parsed": "etree.fromstring(document)",
        "lxml_written": "etree.tostring(etree.fromstring(document)) * 4",
        "lxml_found": "etree.fromstring(document).xpath('//a')",
    }),
    *_rows("orjson", "import orjson\ntext = orjson.dumps([{'a': j, 'b': str(j)} for j in range(4_000)])\nvalue = orjson.loads(text)", 512, {
        "orjson_loads": "orjson.loads(text)",
        "orjson_dumps": "orjson.dumps([value, i])",
    }),
    *_rows("numba", "import numba, numpy as np\n@numba.njit\ndef grow(n):\n    a = np.empty(n)\n    for j in range(n): a[j] = j\n    return a\ngrow(3)", 512, {
        "numba_arrays": "grow(100_000)",
    }),
    *_rows("torch", "import torch\ntorch.set_num_threads(1)\na = torch.ones(400, 400)\nnet = torch.nn.Conv2d(3, 16, 3)\nimage = torch.ones(1, 3, 128, 128)", 1024, {
        "torch_ones": "torch.ones(1 << 18) + i",
        "torch_matmul": "a @ a",
        "torch_convolved": "net(image)",
        "torch_lists": "a.tolist()",
        "torch_embedding": "torch.nn.Linear(500, 500)",
    }),
]  # fmt: skip

# Makers for the other ways of growing, too: cheap, and with different allocators.
CHOSEN = (
    "bytes",
    "dicts",
    "json_loads",
    "zlib_decompress",
    "numpy_ones",
    "pandas_frames",
    "arrow_compute",
)
