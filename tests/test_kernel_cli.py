"""holdfast kernel: kernelspecs made, listed and restored, without starting a kernel."""

import json

import pytest

from support.jupyter import PYTHON, Jupyter, require

PLAIN = {
    "argv": ["python", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
    "display_name": "Python 3",
    "language": "python",
    "metadata": {"debugger": True},
}


@pytest.fixture
def jupyter(holdfast, tmp_path):
    return Jupyter(holdfast, tmp_path)


@pytest.fixture
def plain(tmp_path):
    """A kernelspec as ipykernel installs it into an environment, with that environment's Python."""
    folder = tmp_path / "env/share/jupyter/kernels/python3"
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(json.dumps(PLAIN))
    (tmp_path / "env/bin").mkdir()
    (tmp_path / "env/bin/python").symlink_to(PYTHON)
    return folder


def spec_of(folder) -> dict:
    return json.loads((folder / "kernel.json").read_text())


def test_a_watched_kernel_starts_ours_with_the_python_that_was_meant(jupyter, plain, tmp_path):
    made = jupyter.kernel("install", "--from", str(plain), "--display-name", "Held")
    assert made.returncode == 0, made.stderr
    spec = spec_of(tmp_path / "data/kernels/holdfast-python3")
    program, *rest = spec["argv"]
    assert program == str(jupyter.holdfast.binary)
    python = str(tmp_path / "env/bin/python")
    assert rest[:5] == ["run", "--kernel", "{connection_file}", "--", python]
    assert spec["display_name"] == "Held"
    assert spec["metadata"]["debugger"] is True


def test_a_kernel_can_be_installed_with_the_guard_on(jupyter, plain, tmp_path):
    made = jupyter.kernel("install", "--from", str(plain), "--name", "held", "--guard=on")
    assert made.returncode == 0, made.stderr
    argv = spec_of(tmp_path / "data/kernels/held")["argv"]
    assert argv.index("--guard=on") < argv.index("--")
    wrong = jupyter.kernel("install", "--from", str(plain), "--name", "bad", "--guard=yes")
    assert wrong.returncode == 2
    assert "use off, warn or on" in wrong.stderr
    assert not (tmp_path / "data/kernels/bad").exists()


def test_list_tells_which_kernels_are_watched(jupyter, plain):
    jupyter.kernel("install", "--from", str(plain), "--name", "held")
    listed = json.loads(jupyter.kernel("list", "--json").stdout)
    assert listed["schema"] == 1
    assert {"held": True}.items() <= {k["name"]: k["watched"] for k in listed["kernels"]}.items()
    assert "held" in jupyter.kernel("list").stdout


def test_a_kernel_watched_in_place_comes_back(jupyter, plain, tmp_path):
    jupyter.more = {"VIRTUAL_ENV": str(tmp_path / "env")}
    options = ["--from", "python3", "--name", "python3", "--sys-prefix"]
    made = jupyter.kernel("install", *options)
    assert made.returncode == 0, made.stderr
    assert spec_of(plain)["argv"][0] == str(jupyter.holdfast.binary)
    assert jupyter.kernel("remove", "python3").returncode == 0
    assert spec_of(plain) == PLAIN


def test_what_is_not_ours_is_not_removed(jupyter, plain, tmp_path):
    jupyter.more = {"VIRTUAL_ENV": str(tmp_path / "env")}
    refused = jupyter.kernel("remove", "python3")
    assert refused.returncode == 1
    assert "jupyter kernelspec remove python3" in refused.stderr
    assert spec_of(plain) == PLAIN


def test_mistakes_get_one_line_that_says_what_to_do(jupyter, plain):
    for arguments, status, told in [
        ([], 2, "install, list or remove"),
        (["tidy"], 2, "unknown argument 'tidy'"),
        (["remove"], 2, "which kernel?"),
        (["remove", "absent"], 3, "holdfast kernel list"),
        (["install", "--from", "absent"], 3, "holdfast kernel list"),
        (["install", "--from", "a", "--python", "b"], 2, "not both"),
        (["install", "--from", str(plain), "--name", "a/b"], 1, "is no name for a kernel"),
        (["install", "--python", "/bin/true"], 1, "-m pip install ipykernel"),
    ]:
        answer = jupyter.kernel(*arguments)
        assert (answer.returncode, told in answer.stderr) == (status, True), answer.stderr
        assert answer.stderr.count("\n") == 1


def test_the_kernelspec_of_an_environment_comes_from_its_own_ipykernel(jupyter, tmp_path):
    require("ipykernel")
    assert jupyter.install("mine") == "mine"
    spec = spec_of(tmp_path / "data/kernels/mine")
    assert spec["argv"][5] == PYTHON
    assert spec["language"] == "python"
    assert (tmp_path / "data/kernels/mine/logo-64x64.png").exists()
