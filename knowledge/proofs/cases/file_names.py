"""Names of files in tracebacks, which tell whose code runs."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

from cases import said_by

ROOT = Path(__file__).resolve().parents[3]
FAILS = "def fail():\n    raise ValueError('here')\n"


def python(*arguments, program=sys.executable, **options):
    """Another interpreter, whose traceback counts."""
    subprocess.run([program, *arguments], check=False, **options)


def compiled(folder):
    """A package of which only compiled files are left, which know what folder they are made for."""
    Path(folder).mkdir(parents=True)
    Path(folder, "part.py").write_text(FAILS)
    python("-m", "compileall", "-q", "-b", "-d", folder, folder)
    Path(folder, "part.py").unlink()
    python("-c", f"import sys; sys.path.insert(0, {folder!r}); import part; part.fail()")


@said_by("python", "sys")
def stdin_program():
    """A program is read from stdin."""
    python("-", input=f"{FAILS}fail()\n", text=True)


@said_by("python", "sys")
def relative_site_packages():
    """A package that was compiled for a folder without its root (compileall -d)."""
    compiled("site-packages")


@said_by("python", "sys")
def relative_dist_packages():
    """A package that was compiled for a folder without its root (compileall -d)."""
    compiled("dist-packages")


@said_by("python", "sys")
def relative_library():
    """A part of the library that was compiled for a folder without its root (compileall -d)."""
    compiled(f"lib/python{sys.version_info[0]}.{sys.version_info[1]}")


@said_by("python", "sys")
def relative_library_64():
    """A part of the library that was compiled for a folder without its root (compileall -d)."""
    compiled(f"lib64/python{sys.version_info[0]}.{sys.version_info[1]}")


def zipped_library():
    """The interpreter finds its whole library in the file that it looks for first."""
    library = Path(sysconfig.get_path("stdlib"))
    name = f"python{sys.version_info[0]}{sys.version_info[1]}.zip"
    Path("lib").mkdir()
    with zipfile.ZipFile(f"lib/{name}", "w") as file:
        for path in [*library.glob("*.py"), *library.glob("[a-z]*/*.py")]:
            if path.parts[-2] not in ("test", "site-packages"):
                file.write(path, path.relative_to(library))
    python("-c", "import json; json.loads('{')", env=dict(os.environ, PYTHONHOME=str(Path.cwd())))


@said_by("python", "sys", below="3.9")
def zipped_library_38():
    """The library of Python 3.8 in a zip file."""
    zipped_library()


@said_by("python", "sys", below="3.10")
def zipped_library_39():
    """The library of Python 3.9 in a zip file."""
    zipped_library()


@said_by("python", "sys")
def zipped_library_31():
    """The library of a later Python in a zip file."""
    zipped_library()


@said_by("python", "sys")
def holdfast_sources():
    """Holdfast's own package, run from its sources."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); import holdfast; holdfast.why('/nowhere')"
    python("-c", code, str(ROOT / "python"))


@said_by("debian", "sys")
def debian_package():
    """A package that Debian installs."""
    python("-c", "import yaml; yaml.safe_load('[')", program="/usr/bin/python3")


@said_by("debian", "sys")
def expat_callback():
    """Debian's Python calls a function of Python from C, which leaves a frame."""
    program = """if True:
        from xml.parsers import expat
        parser = expat.ParserCreate()
        parser.StartElementHandler = lambda name, attributes: 1 / 0
        parser.Parse("<a/>")
    """
    python("-c", program, program="/usr/bin/python3")


@said_by("Cython", "Cython")
def cython_inline():
    """A function in a .pxd file, which Cython compiles into the module that uses it."""
    Path("part.pxd").write_text("cdef inline int fail() except -1:\n    raise ValueError('here')\n")
    Path("user.pyx").write_text("cimport part\ndef run():\n    part.fail()\n")
    Path("part.pyx").write_text("")
    program = "import pyximport; pyximport.install(build_dir='.'); import user; user.run()"
    python("-c", program, env=dict(os.environ, PYTHONPATH=os.pathsep.join([".", *sys.path])))


@said_by("apache-tvm-ffi", "tvm_ffi")
def tvm_frame():
    """A function of a C++ library raises."""
    import tvm_ffi

    tvm_ffi.get_global_func("ffi.Shape")("one")


@said_by("apache-tvm-ffi", "tvm_ffi")
def tvm_own_frame():
    """A function of one's own in C++ raises."""
    import tvm_ffi

    Path("part.cpp").write_text("""
        #include <tvm/ffi/tvm_ffi.h>
        static int fail() { TVM_FFI_THROW(ValueError) << "here"; }
        TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, fail);
    """)
    config = [sys.executable, "-m", "tvm_ffi.config", "--cxxflags", "--ldflags", "--libs"]
    options = subprocess.run(config, capture_output=True, text=True, check=True).stdout.split()
    command = ["c++", "-shared", "-fPIC", "-g", f"-ffile-prefix-map={Path.cwd()}/=", "part.cpp"]
    subprocess.run([*command, *options, "-o", "part.so"], check=True)
    tvm_ffi.load_module("./part.so").fail()
