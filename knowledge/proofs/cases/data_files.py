"""Files that their readers cannot make sense of."""

from pathlib import Path

from cases import said_by

NOISE = bytes(range(1, 256)) * 8


def noise(name):
    """A file of nothing in particular."""
    Path(name).write_bytes(NOISE)
    return name


def cut(name, keep):
    """The file, without its end."""
    path = Path(name)
    path.write_bytes(path.read_bytes()[:keep])
    return name


def changed(name, at, new):
    """The file with other bytes in it."""
    content = bytearray(Path(name).read_bytes())
    content[at : at + len(new)] = new
    Path(name).write_bytes(content)
    return name


def picture(name):
    """A photograph of noise."""
    import numpy
    from PIL import Image

    pixels = numpy.random.default_rng(0).integers(0, 255, (64, 64, 3), dtype="uint8")
    Image.fromarray(pixels).save(name)
    return name


@said_by("pillow", "PIL.Image")
def pillow_broken_stream():
    """A JPEG whose middle was overwritten."""
    from PIL import Image

    picture("a.jpg")
    size = Path("a.jpg").stat().st_size
    Image.open(changed("a.jpg", size // 2, b"\xff\xc0\x00\x00" * 64)).load()


@said_by("pillow", "PIL.Image", below="7.0")
def pillow_noise_old():
    """A file of noise is opened as an image by an older Pillow."""
    from PIL import Image

    Image.open(noise("a.jpg"))


@said_by("pillow", "PIL.Image")
def pillow_broken_png():
    """A PNG with a wrong checksum is verified."""
    from PIL import Image

    picture("a.png")
    at = Path("a.png").read_bytes().index(b"IDAT")
    Image.open(changed("a.png", at + 200, b"????")).verify()


@said_by("pillow", "PIL.PngImagePlugin")
def pillow_not_png():
    """A file of noise is opened as PNG."""
    from PIL import PngImagePlugin

    PngImagePlugin.PngImageFile(noise("a.png"))


@said_by("pandas")
def pandas_empty():
    """An empty CSV file is read."""
    import pandas

    Path("a.csv").touch()
    pandas.read_csv("a.csv")


@said_by("python", "zipfile")
def zip_noise():
    """A file of noise is opened as zip."""
    import zipfile

    zipfile.ZipFile(noise("a.zip"))


@said_by("python", "gzip")
def gzip_noise():
    """A file of noise is read as gzip."""
    import gzip

    with gzip.open(noise("a.gz")) as file:
        file.read()


@said_by("python", "tarfile")
def tar_noise():
    """A file of noise is opened as tar."""
    import tarfile

    with tarfile.open(noise("a.tar")):
        pass


@said_by("python", "tarfile")
def tar_cut():
    """A member of a tar file that was cut is read."""
    import tarfile

    noise("member")
    with tarfile.open("a.tar", "w") as archive:
        archive.add("member")
    with tarfile.open(cut("a.tar", 2500)) as archive:
        archive.extractfile("member").read()


@said_by("python", "sqlite3")
def sqlite_noise():
    """A file of noise is asked as a data base."""
    import sqlite3

    sqlite3.connect(noise("a.db")).execute("select * from t")


@said_by("python", "sqlite3")
def sqlite_damaged():
    """A data base whose pages were overwritten is asked."""
    import sqlite3

    connection = sqlite3.connect("a.db")
    connection.execute("create table t (a text)")
    connection.executemany("insert into t values (?)", [("x" * 100,)] * 500)
    connection.commit()
    connection.close()
    size = Path("a.db").stat().st_size
    sqlite3.connect(changed("a.db", 4096, NOISE * ((size - 4096) // len(NOISE)))).execute(
        "select count(a), max(a) from t"
    ).fetchall()


@said_by("python", "lzma")
def lzma_noise():
    """A file of noise is read as xz."""
    import lzma

    with lzma.open(noise("a.xz")) as file:
        file.read()


@said_by("python", "zlib")
def zlib_noise():
    """Noise is decompressed."""
    import zlib

    zlib.decompress(NOISE)


@said_by("python", "xml.etree.ElementTree")
def xml_broken():
    """An XML file with a tag that is not closed."""
    from xml.etree import ElementTree

    Path("a.xml").write_text("<annotation><object></annotation>")
    ElementTree.parse("a.xml")


@said_by("lxml", "lxml.etree")
def lxml_broken():
    """An XML file with a tag that is not closed."""
    from lxml import etree

    Path("a.xml").write_text("<annotation><object></annotation>")
    etree.parse("a.xml")


@said_by("python", "csv")
def csv_long_field():
    """A CSV file with a field longer than allowed."""
    import csv

    Path("a.csv").write_text("a," + "x" * 200_000)
    with Path("a.csv").open() as file:
        list(csv.reader(file))


@said_by("python", "tomllib")
def toml_broken():
    """A TOML file with a value missing."""
    import tomllib

    tomllib.loads("rate = \n")


@said_by("PyYAML", "yaml")
def yaml_scanner():
    """A YAML file with a tab where spaces belong."""
    import yaml

    yaml.safe_load("model:\n\tlayers: 3")


@said_by("PyYAML", "yaml")
def yaml_parser():
    """A YAML file with a bracket that is not closed."""
    import yaml

    yaml.safe_load("layers: [1, 2\nrate: 3")


@said_by("python", "wave")
def wave_noise():
    """A file of noise is opened as WAV."""
    import wave

    with wave.open(noise("a.wav")):
        pass


@said_by("soundfile")
def soundfile_noise():
    """A file of noise is read as WAV."""
    import soundfile

    soundfile.read(noise("a.wav"))


@said_by("opencv-python-headless", "cv2")
def opencv_empty():
    """An image that imread could not read is converted."""
    import cv2

    cv2.cvtColor(cv2.imread(noise("a.png")), cv2.COLOR_BGR2RGB)


@said_by("numpy")
def numpy_as_pickle():
    """A file of noise is loaded, pickles allowed."""
    import numpy

    numpy.load(noise("a.npy"), allow_pickle=True)


@said_by("numpy")
def numpy_pickled():
    """A file of noise is loaded."""
    import numpy

    numpy.load(noise("a.npy"))


@said_by("numpy", below="2.0")
def numpy_pickled_old():
    """A file of noise is loaded by an older NumPy."""
    numpy_pickled()


@said_by("numpy", below="1.22")
def numpy_cut_old():
    """A file that was cut is loaded by an older NumPy."""
    import numpy

    numpy.save("a.npy", numpy.ones(1000))
    numpy.load(cut("a.npy", 4000))


@said_by("numpy")
def numpy_archive_cut():
    """An array whose bytes end too early, in a zip file of arrays."""
    import zipfile

    import numpy

    numpy.save("a.npy", numpy.ones(1000))
    with zipfile.ZipFile("a.npz", "w") as archive:
        archive.write(cut("a.npy", 4000))
    numpy.load("a.npz")["a"]


@said_by("numpy")
def numpy_mapped_cut():
    """A file that was cut is mapped."""
    import numpy

    numpy.save("a.npy", numpy.ones(10000))
    numpy.load(cut("a.npy", 4000), mmap_mode="r")


@said_by("numpy")
def numpy_empty():
    """An empty file is loaded."""
    import numpy

    Path("a.npy").touch()
    numpy.load("a.npy")


@said_by("numpy")
def numpy_loadtxt():
    """A word among numbers."""
    import numpy

    Path("a.txt").write_text("1 2\n3 four\n")
    numpy.loadtxt("a.txt")


@said_by("numpy")
def numpy_genfromtxt():
    """Rows of different lengths."""
    import numpy

    Path("a.txt").write_text("1 2\n3 4 5\n")
    numpy.genfromtxt("a.txt")


@said_by("pandas")
def pandas_json_value():
    """A file of words is read as JSON."""
    import pandas

    Path("a.json").write_text("hello")
    pandas.read_json("a.json")


@said_by("pandas")
def pandas_json_character():
    """JSON with a misspelt word."""
    import pandas

    Path("a.json").write_text('{"a": trye}')
    pandas.read_json("a.json")


@said_by("pandas")
def pandas_json_trailing():
    """A file of JSON lines is read as one value."""
    import pandas

    Path("a.json").write_text('{"a": 1}\n{"a": 2}\n')
    pandas.read_json("a.json")


@said_by("pandas")
def pandas_pickle():
    """A file of noise is read as a pickled table."""
    import pandas

    pandas.read_pickle(noise("a.pkl"))


@said_by("pyarrow", "pyarrow.parquet")
def parquet_small():
    """A Parquet file of three bytes."""
    import pyarrow.parquet

    Path("a.parquet").write_bytes(b"PAR")
    pyarrow.parquet.ParquetFile("a.parquet")


def parquet():
    """A table of words, as they compress well."""
    import pyarrow.parquet

    table = pyarrow.table({"a": ["some words " * 20] * 2000})
    pyarrow.parquet.write_table(table, "a.parquet", use_dictionary=False)
    return "a.parquet"


@said_by("pyarrow", "pyarrow.parquet")
def parquet_header():
    """A Parquet file whose first bytes were overwritten."""
    import pyarrow.parquet

    parquet()
    pyarrow.parquet.read_table(changed("a.parquet", 4, b"\xff" * 150))


@said_by("pyarrow", "pyarrow.parquet")
def parquet_data():
    """A Parquet file whose compressed data was overwritten."""
    import pyarrow.parquet

    size = Path(parquet()).stat().st_size
    pyarrow.parquet.read_table(changed("a.parquet", size // 2, b"\xff" * 150))


@said_by("pyarrow", "pyarrow.ipc")
def arrow_noise():
    """A file of noise is opened as Arrow."""
    import pyarrow.ipc

    pyarrow.ipc.open_file(noise("a.arrow"))


@said_by("pyarrow", "pyarrow.feather")
def feather_noise():
    """A file of noise is read as Feather."""
    import pyarrow.feather

    pyarrow.feather.read_table(noise("a.feather"))


@said_by("pyarrow", "pyarrow.csv")
def arrow_csv():
    """A CSV file with a row that is too long."""
    import pyarrow.csv

    Path("a.csv").write_text("a,b\n1,2\n1,2,3\n")
    pyarrow.csv.read_csv("a.csv")


@said_by("pyarrow", "pyarrow.json")
def arrow_json():
    """A file of JSON lines with a misspelt word."""
    import pyarrow.json

    Path("a.json").write_text('{"a": trye}\n')
    pyarrow.json.read_json("a.json")


@said_by("h5py")
def h5py_noise():
    """A file of noise is opened as HDF5."""
    import h5py

    h5py.File(noise("a.h5"))


@said_by("h5py")
def h5py_data():
    """Compressed data of an HDF5 file was overwritten."""
    import h5py

    with h5py.File("a.h5", "w") as file:
        data = file.create_dataset("a", data=range(50000), compression="gzip")
        at = data.id.get_chunk_info(0).byte_offset
    h5py.File(changed("a.h5", at + 100, NOISE))["a"][:]


@said_by("datasets")
def datasets_csv():
    """A CSV file with a row that is too long is loaded."""
    import datasets

    datasets.disable_progress_bars()
    Path("a.csv").write_text("a,b\n1,2\n1,2,3,4\n")
    datasets.load_dataset("csv", data_files="a.csv", cache_dir="cache")


@said_by("transformers")
def transformers_config():
    """A model's configuration that was cut."""
    from transformers import AutoConfig

    Path("config.json").write_text('{"model_type": "bert", "hidden_size": ')
    AutoConfig.from_pretrained(".")
