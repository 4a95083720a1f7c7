"""Finds the tools that cases need and builds their programs, each once."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from transparency.case import Skip

PROGRAMS = Path(__file__).parent / "programs"
VERSIONS = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"]
_LIBRARIES = {
    "jemalloc": "libjemalloc.so.2",
    "tcmalloc": "libtcmalloc_minimal.so.4",
    "faketime": "libfaketime.so.1",
}


class Toolbox:
    """`folder` holds the built programs; it is kept between runs of the suite."""

    def __init__(self, folder: Path, python: str = sys.executable, modules_python: str = ""):
        self.folder = folder
        self.python = python
        self.modules_python = modules_python or python
        folder.mkdir(parents=True, exist_ok=True)

    def fill_in(self, text: str) -> str:
        """Replaces {python}, {c:NAME}, {library:NAME} and the like by paths."""
        return re.sub(r"\{([a-z]+(?::[\w.+-]+)?)\}", lambda found: self._named(found[1]), text)

    def check(self, need: str) -> None:
        """Raises Skip if something is missing."""
        kind, _, name = need.partition(":")
        if kind == "module":
            self.python_with(name)
        elif kind == "lib":
            self.library(name)
        elif kind == "works":
            self._try(name)
        elif need == "unprivileged":
            if os.geteuid() == 0 and not shutil.which("setpriv"):
                raise Skip("no setpriv to become somebody else with")
        else:
            self.tool(need)

    @functools.cache  # noqa: B019 - there is one toolbox, for as long as the suite runs
    def tool(self, name: str) -> str:
        found = shutil.which(name)
        if not found:
            raise Skip(f"{name} is not installed")
        return found

    @functools.cache  # noqa: B019
    def library(self, name: str) -> str:
        file = _LIBRARIES.get(name, name)
        for folder in Path("/usr").glob("lib*/**/"):
            if (folder / file).exists():
                return str(folder / file)
        raise Skip(f"{file} is not installed")

    @functools.cache  # noqa: B019
    def python_of(self, version: str) -> str:
        ask = "import sys; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"
        folders = [Path(part) for part in os.environ.get("HOLDFAST_PYTHONS", "").split(":") if part]
        folders.append(Path(__file__).parents[1] / "build/pythons")
        built = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
        named = [str(folder / f"python{version}") for folder in folders]
        for path in [*named, *map(str, built), shutil.which(f"python{version}")]:
            if not path or not os.access(path, os.X_OK):
                continue
            said = subprocess.run([path, "-c", ask], capture_output=True, text=True, check=False)
            if said.returncode == 0 and said.stdout.split()[0] == version:
                return said.stdout.split()[1]
        raise Skip(f"no Python {version}")

    @functools.cache  # noqa: B019
    def python_with(self, module: str) -> str:
        for path in (self.modules_python, self.python):
            asked = subprocess.run([path, "-c", f"import {module}"], capture_output=True)
            if asked.returncode == 0:
                return path
        raise Skip(f"no Python with {module} (see --modules)")

    @functools.cache  # noqa: B019
    def _try(self, what: str) -> None:
        lines = {
            "unshare-user": ["unshare", "--user", "--map-root-user", "true"],
            "unshare-pid": ["unshare", "--pid", "--fork", "--mount-proc", "true"],
            "unshare-net": ["unshare", "--net", "true"],
            "bwrap": ["bwrap", "--ro-bind", "/", "/", "true"],
            "firejail": ["firejail", "--quiet", "--noprofile", "true"],
            "runsc": ["runsc", "--network=none", "--platform=ptrace", "do", "true"],
            "ptrace": ["strace", "-o", "/dev/null", "true"],
            "systemd-run": ["systemd-run", "--scope", "--quiet", "true"],
        }
        self.tool(lines[what][0])
        tried = subprocess.run(lines[what], capture_output=True, stdin=subprocess.DEVNULL)
        if tried.returncode != 0:
            raise Skip(f"{lines[what][0]} is not allowed here")

    def _named(self, name: str) -> str:
        kind, _, rest = name.partition(":")
        if kind == "python":
            return self.python_of(rest) if rest else self.python
        if kind == "with":
            return self.python_with(rest)
        if kind == "lib":
            return self.library(rest)
        if kind == "programs":
            return str(PROGRAMS)
        if kind == "tool":
            return self.tool(rest)
        build = {
            "c": self._c,
            "static": self._static,
            "asan": self._asan,
            "seccomp": self._seccomp,
            "musl": self._musl,
            "go": self._go,
            "cgo": self._cgo,
            "rust": self._rust,
            "java": self._java,
        }[kind]
        return build(rest)

    def _build(self, source: Path, target: Path, line: list[str], **extra: str) -> str:
        if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
            self.tool(line[0])
            new = target.with_suffix(f".new{os.getpid()}")
            made = subprocess.run(
                [word.replace("@", str(new)) for word in line],
                capture_output=True,
                env=os.environ | extra,
            )
            if made.returncode != 0:
                last = made.stderr.decode(errors="replace").strip().splitlines()[-1:]
                raise Skip(f"{line[0]} cannot build {source.name}: {' '.join(last)}")
            new.rename(target)
        return str(target)

    def _compiled(self, name: str, suffix: str, line: list[str], **extra: str) -> str:
        ending = {"go": "go", "cgo": "go", "rust": "rs"}.get(suffix, "c")
        source = PROGRAMS / f"{name}.{ending}"
        return self._build(source, self.folder / f"{name}.{suffix}", [*line, str(source)], **extra)

    def _c(self, name: str) -> str:
        return self._compiled(name, "dynamic", ["cc", "-O1", "-g", "-pthread", "-o", "@"])

    def _static(self, name: str) -> str:
        return self._compiled(name, "static", ["cc", "-static", "-O1", "-pthread", "-o", "@"])

    def _asan(self, name: str) -> str:
        flags = ["-g", "-fsanitize=address", "-pthread", "-o", "@"]
        return self._compiled(name, "asan", ["cc", *flags])

    def _seccomp(self, name: str) -> str:
        flags = ["-O1", "-Wl,--no-as-needed", "-lseccomp", "-o", "@"]
        return self._compiled(name, "seccomp", ["cc", *flags])

    def _musl(self, name: str) -> str:
        return self._compiled(name, "musl", ["musl-gcc", "-O1", "-o", "@"])

    def _go(self, name: str) -> str:
        return self._compiled(name, "go", ["go", "build", "-o", "@"], CGO_ENABLED="0")

    def _cgo(self, name: str) -> str:
        return self._compiled(name, "cgo", ["go", "build", "-o", "@"], CGO_ENABLED="1")

    def _rust(self, name: str) -> str:
        return self._compiled(name, "rust", ["rustc", "-O", "-o", "@"])

    def _java(self, name: str) -> str:
        source = PROGRAMS / f"{name}.java"
        folder = self.folder / f"{name}.java"
        if not folder.exists():
            self.tool("javac")
            new = folder.with_suffix(f".new{os.getpid()}")
            made = subprocess.run(["javac", "-d", str(new), str(source)], capture_output=True)
            if made.returncode != 0:
                raise Skip("javac cannot build it")
            new.rename(folder)
        return str(folder)
