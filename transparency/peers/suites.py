"""The suites, and which parts of them run."""

from __future__ import annotations

from dataclasses import dataclass, field

# Tests of processes, signals, memory, files, terminals, the interpreter's start and end, and a good
# part of the rest. A file that a version does not have is skipped there.
CPYTHON = """
test_subprocess test_signal test_faulthandler test_threading test_threadsignals test_fork1 test_wait3
test_wait4 test_popen test_posix test_os test_pty test_resource test_mmap test_gc test_weakref
test_sys test_sys_settrace test_sys_setprofile test_traceback test_exceptions test_atexit
test_cmd_line test_cmd_line_script test_site test_venv test_runpy test_import test_importlib
test_multiprocessing_fork test_multiprocessing_spawn test_multiprocessing_forkserver
test_multiprocessing_main_handling test_concurrent_futures test_asyncio test_selectors test_select
test_poll test_epoll test_socket test_socketserver test_ssl test_io test_fileio test_file test_tempfile
test_shutil test_pathlib test_glob test_zipfile test_zipapp test_tarfile test_gzip test_bz2 test_lzma
test_pickle test_copy test_json test_logging test_warnings test_unittest test_doctest test_pdb
test_bdb test_trace test_tracemalloc test_profile test_cprofile test_code test_codeop test_repl
test_readline test_curses test_tty test_pwd test_grp test_fcntl test_ioctl test_openpty test_crypt
test_ctypes test_capi test_embed test_gdb test_audit test_sched test_time test_datetime test_locale
test_unicode test_bytes test_list test_dict test_set test_array test_memoryview test_struct
test_decimal test_sqlite3 test_dbm test_shelve test_queue test_thread test_thread_local_bytes
test_context test_contextlib test_contextlib_async test_generators test_coroutines test_descr
test_inspect test_ast test_compile test_compileall test_py_compile test_peepholer test_eof
test_regrtest test_smtpd test_http_cookiejar test_httpservers test_urllib test_xmlrpc test_webbrowser
""".split()

# Files that show most about us in little time, for `make check`.
QUICK = "test_signal test_fork1 test_popen test_atexit test_threadsignals".split()


@dataclass(frozen=True)
class Project:
    """A project whose source distribution contains its tests. All projects share one environment,
    which tools/requirements-peers.txt pins."""

    name: str
    tests: str
    env: dict[str, str] = field(default_factory=dict)
    kernels: bool = False  # it starts Jupyter kernels
    options: tuple[str, ...] = ()  # of pytest


# The version for which multiprocess's tests are written, so all of them run on it.
PROJECTS_PYTHON = "3.11"
PROJECTS = (
    # Its scripts have ten seconds each. On a loaded machine, a script that is ended then leaves
    # workers that hold its output, and its test waits for them for ever, also plain.
    Project("joblib", "joblib/test", options=("--timeout=60",)),
    Project("multiprocess", f"py{PROJECTS_PYTHON}/multiprocess/tests"),
    Project("nbclient", "tests", kernels=True),
    Project("ipykernel", "tests", kernels=True),
    # Its tests run pytest within pytest, and would see the plugins of the other projects.
    Project("pytest", "testing", {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}),
)
