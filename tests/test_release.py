"""The part of `make release` that decides and writes; the builds have their own checks."""

import hashlib
import importlib.machinery
import importlib.util
import subprocess

import pytest

from support.run import ROOT


def tool():
    loader = importlib.machinery.SourceFileLoader("release", str(ROOT / "tools/release"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", loader))
    loader.exec_module(module)
    return module


CHANGELOG = """# Changelog

## [Unreleased]

### Added

- A thing.

## [0.1.0] - 2026-01-01

- Old.
"""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    def git(*arguments):
        told = subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=e@x.example", *arguments],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        )
        return told.stdout

    monkeypatch.setenv("GIT_AUTHOR_NAME", "n")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "e@x.example")
    monkeypatch.setenv("GIT_COMMITTER_NAME", "n")
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "e@x.example")
    git("init", "--quiet")
    (tmp_path / "VERSION").write_text("0.1.0\n")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    git("add", ".")
    git("commit", "--quiet", "--message", "first")
    git("tag", "v0.1.0")
    release = tool()
    monkeypatch.setattr(release, "ROOT", tmp_path)
    return release, git


def test_a_release_writes_version_and_heading_in_one_commit(repository):
    release, git = repository
    release.prepare("0.2.0")
    assert (release.ROOT / "VERSION").read_text() == "0.2.0\n"
    assert git("log", "-1", "--format=%s") == "release 0.2.0\n"
    assert git("status", "--porcelain") == ""
    lines = (release.ROOT / "CHANGELOG.md").read_text().splitlines()
    assert lines[2] == "## [Unreleased]"
    assert lines[4].startswith("## [0.2.0] - 2")
    assert lines[8] == "- A thing."
    # Once more: nothing is unreleased now.
    with pytest.raises(release.Refused, match="says nothing"):
        release.prepare("0.3.0")


@pytest.mark.parametrize("version", ["0.1.0", "0.0.9", "1.2", "v1.2.3", "1.2.3rc1", "01.2.3"])
def test_a_version_that_does_not_follow_changes_nothing(repository, version):
    release, git = repository
    with pytest.raises(release.Refused):
        release.prepare(version)
    assert git("status", "--porcelain") == ""
    assert git("log", "-1", "--format=%s") == "first\n"


def test_changes_that_are_not_committed_stop_it(repository):
    release, _ = repository
    (release.ROOT / "VERSION").write_text("0.1.5\n")
    with pytest.raises(release.Refused, match="not committed"):
        release.prepare("0.2.0")


def test_a_commit_that_fails_leaves_nothing_behind(repository):
    release, git = repository
    hook = release.ROOT / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(release.Refused, match="as before"):
        release.prepare("0.2.0")
    assert git("status", "--porcelain") == ""
    assert (release.ROOT / "VERSION").read_text() == "0.1.0\n"


def test_checksums_are_those_of_the_files(tmp_path):
    (tmp_path / "a.whl").write_bytes(b"one")
    (tmp_path / "SHA256SUMS").write_text("old")
    expected = hashlib.sha256(b"one").hexdigest() + "  a.whl\n"
    assert tool().checksums(tmp_path) == expected
