"""Libraries that cannot be loaded or used, in the loader's words and in their own."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

from cases import llvm_library, said_by


def library(name, source, *options):
    """Compiles a shared library."""
    Path("a.c").write_text(source)
    subprocess.run(["gcc", "-shared", "-fPIC", *options, "a.c", "-o", name], check=True)
    return f"./{name}"


def python(program, **environment):
    """Another interpreter, as what it loads depends on its environment."""
    subprocess.run([sys.executable, "-c", program], env=os.environ | environment, check=False)


def nvidia(part):
    """A library of the CUDA packages."""
    import nvidia

    return next(path for folder in nvidia.__path__ for path in Path(folder).rglob(part))


@said_by("glibc", "ctypes")
def loader_version():
    """A library was linked against a newer version of another."""
    Path("new.map").write_text("NEW_2 { global: f; };")
    Path("old.map").write_text("NEW_1 { global: f; };")
    library("libpart.so", "void f() {}", "-Wl,--version-script=new.map")
    user = "void f(); void g() { f(); }"
    library("libuser.so", user, "-Wl,--no-as-needed", "./libpart.so")
    library("libpart.so", "void f() {}", "-Wl,--version-script=old.map")
    ctypes.CDLL("./libuser.so")


@said_by("glibc", "ctypes")
def loader_symbol():
    """A library uses a function that nobody has."""
    ctypes.CDLL(library("a.so", "void missing(); void f() { missing(); }", "-Wl,-z,now"))


@said_by("glibc", "ctypes")
def loader_header():
    """A file of words is loaded as a library."""
    Path("a.so").write_text("no library at all, " * 100)
    ctypes.CDLL("./a.so")


@said_by("glibc", "ctypes")
def loader_class():
    """A library for 32 bits is loaded."""
    path = Path(library("a.so", "void f() {}"))
    content = bytearray(path.read_bytes())
    content[4] = 1  # EI_CLASS: ELFCLASS32
    path.write_bytes(content)
    ctypes.CDLL("./a.so")


@said_by("glibc", "ctypes")
def loader_short():
    """A library of ten bytes is loaded."""
    path = Path(library("a.so", "void f() {}"))
    path.write_bytes(path.read_bytes()[:10])
    ctypes.CDLL("./a.so")


@said_by("glibc", "ctypes")
def loader_static_tls():
    """A library asks for more room for thread variables than the loader has left."""
    source = '__thread char room[1 << 20] __attribute__((tls_model("initial-exec")));'
    ctypes.CDLL(library("a.so", source + "char *f() { return room; }"))


@said_by("nvidia-cusolver", "nvidia")
def cuda_library_missing():
    """libcusolver is loaded where its libnvJitLink is not."""
    shutil.copy(nvidia("libcusolver.so.12"), ".")
    python("import ctypes; ctypes.CDLL('./libcusolver.so.12')")


@said_by("nvidia-cusparse-cu12", "nvidia")
def cuda_library_mixed():
    """libcusparse is loaded with the libnvJitLink of an older CUDA."""
    os.environ["LD_LIBRARY_PATH"] = str(nvidia("libnvJitLink.so.12").parent)
    python(f"import ctypes; ctypes.CDLL('{nvidia('libcusparse.so.12')}')")


@said_by("nvidia-cudnn-cu12", "torch")
def torch_old_cudnn():
    """torch is asked for its cuDNN, where an older one is found first."""
    folder = nvidia("cudnn/lib/libcudnn.so.9").parent
    python("import torch; torch.backends.cudnn.version()", LD_LIBRARY_PATH=str(folder))


@said_by("nvidia-cudnn-cu13", "nvidia")
def cudnn_part_missing():
    """libcudnn is used where its parts are not."""
    use_cudnn(nvidia("cudnn/lib/libcudnn.so.9"))


@said_by("nvidia-cudnn-cu12", "nvidia", below="9.2")
def cudnn_part_missing_old():
    """An older libcudnn is used where its parts are not."""
    use_cudnn(nvidia("cudnn/lib/libcudnn.so.9"))


def use_cudnn(path):
    """Alone."""
    shutil.copy(path, ".")
    python(
        "import ctypes; handle = ctypes.c_void_p();"
        "ctypes.CDLL('./libcudnn.so.9').cudnnCreate(ctypes.byref(handle))"
    )


@said_by("cupy-cuda13x", "cupy")
def cuda_driver_missing():
    """An array on a GPU, where there is no driver."""
    import cupy

    cupy.zeros(1)


@said_by("nvidia-cuda-runtime", "nvidia")
def cuda_driver_combination():
    """libcudart says what its error 803 is."""
    runtime = ctypes.CDLL(str(nvidia("libcudart.so.13")))
    runtime.cudaGetErrorString.restype = ctypes.c_char_p
    print(runtime.cudaGetErrorString(803).decode(), file=sys.stderr)


@said_by("protobuf", "google.protobuf", below="6.33")
def protobuf_gencode():
    """Code made for protobuf 6.33 is imported."""
    import google.rpc.status_pb2  # noqa: F401


@said_by("protobuf", "google.protobuf", below="6.0")
def protobuf_gencode_major():
    """Code made for protobuf 6.33 is imported."""
    protobuf_gencode()


@said_by("pandas", "numpy", below="2.1")
def numpy_dtype_size():
    """A pandas that was built for NumPy 1 is imported with NumPy 2."""
    import pandas  # noqa: F401


@said_by("numpy", needs="HOLDFAST_NEW_NUMPY")
def numpy_newer_api():
    """A module that was built for a newer NumPy is imported."""
    # The folder of that NumPy's headers.
    extension(os.environ["HOLDFAST_NEW_NUMPY"])


@said_by("numpy", needs="HOLDFAST_NUMPY_1")
def numpy_two():
    """A module that was built for NumPy 1 is imported with NumPy 2."""
    # The folder of that NumPy's headers.
    extension(os.environ["HOLDFAST_NUMPY_1"])


def extension(headers):
    """Compiles and imports a Python module that uses NumPy's C interface."""
    import sysconfig

    source = """
        #include <Python.h>
        #include <numpy/arrayobject.h>
        static PyModuleDef def = {PyModuleDef_HEAD_INIT, "ext", 0, -1, 0};
        PyMODINIT_FUNC PyInit_ext(void) { import_array(); return PyModule_Create(&def); }
    """
    include = [f"-I{sysconfig.get_path('include')}", f"-I{headers}"]
    library("ext.so", source, "-DNPY_TARGET_VERSION=NPY_API_VERSION", *include)
    sys.path.insert(0, ".")
    import ext  # noqa: F401


@said_by("llvm", "ctypes")
def llvm_twice():
    """A second LLVM finds the options of the first."""
    shutil.copy(llvm_library(), "other.so")
    python(
        f"from ctypes import *; [CDLL(p, RTLD_GLOBAL) for p in ('{llvm_library()}', './other.so')]"
    )


@said_by("tkinter", "tkinter")
def tk_display():
    """A window on a display that is not there."""
    import tkinter

    os.environ["DISPLAY"] = ":99"
    tkinter.Tk()


@said_by("gtk", "ctypes")
def gtk_display():
    """A window on a display that is not there."""
    python("import ctypes; ctypes.CDLL('libgtk-3.so.0').gtk_init(None, None)", DISPLAY=":99")
