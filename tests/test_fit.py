"""`holdfast fit`: plans from captures, and captures of real programs on pretended GPUs."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from holdfast.planner.exchange import capture_file as file
from holdfast.planner.measure import table_file
from support.run import ROOT

MIB = 1 << 20
TORCH = os.environ.get("HOLDFAST_TORCH_PYTHON")
needs_torch = pytest.mark.skipif(not TORCH, reason="needs torch: see `make frameworks`")

TRAIN = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(1024, 1024), nn.GELU(), nn.Linear(1024, 1024)) for _ in range(4)
        )
    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return x

def make(batch):
    model = Net().to("cuda")
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    def step():
        x = torch.randn(batch, 1024, device="cuda")
        model(x).pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return step

if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = torch.utils.data.TensorDataset(torch.randn(4096, 1024))
    model = Net().to(device)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for (x,) in torch.utils.data.DataLoader(data, batch_size=256, num_workers=2):
        loss = model(x.to(device)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("loss", loss.item())
"""


ODD = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.LSTM(64, 128, 2, batch_first=True)
        self.head = nn.Linear(128, 10)
    def forward(self, x, mask):
        lengths = torch.full((x.shape[0],), x.shape[1])
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        y, _ = nn.utils.rnn.pad_packed_sequence(self.layer(packed)[0], batch_first=True)
        if mask.all():
            return self.head(y)
        return self.head(y[mask])

def make(batch, hidden=0, chosen=False):
    model = Net().to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), 1e-3, fused=True)
    def step():
        x = torch.randn(batch, 32, 64, device="cuda")
        mask = torch.ones(batch, 32, dtype=torch.bool, device="cuda")
        mask[:, 32 - hidden:] = False
        out = model(x, mask)
        global shape
        shape = tuple(out.shape)
        (out[out > 0] if chosen else out).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return step
"""


def write(path: Path, batch: int) -> Path:
    """A step with 64 MiB of weights and 8 MiB a sample."""
    header = {
        "torch": "2.11.0",
        "sm": 90,
        "batch": batch,
        "marks": ["step"],
        "missing": [],
        "sites": [["layer1", "train.py", 3]],
    }
    events = [(file.ALLOC, 1, 64 * MIB, 0)]
    for step in range(2):
        events += [(file.ALLOC, 10 + step, 8 * MIB * batch, 0), (file.FREE, 10 + step)]
        events.append((file.MARK, 0))
    file.write(path, header, events, {1: 2})
    return path


@pytest.fixture
def fit(binary, tmp_path):
    def run(*words: str | Path, status: int = 0) -> subprocess.CompletedProcess:
        environment = {k: v for k, v in os.environ.items() if "ALLOC_CONF" not in k}
        answer = subprocess.run(
            [binary, "fit", *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.returncode == status, answer.stderr
        return answer

    return run


def test_a_saved_capture_is_planned_without_torch(fit, tmp_path):
    capture = write(tmp_path / "a.capture", 32)
    plan = json.loads(fit("--replay", capture, "--gpu", "1GiB", "--context", "0", "--json").stdout)
    assert plan["schema"] == 1
    assert plan["fits"] is True
    assert plan["peak_allocated_bytes"] == (64 + 8 * 32) * MIB
    assert plan["anatomy"]["weights_bytes"] == 64 * MIB
    assert plan["anatomy"]["activations"][0]["line"] == 3


def test_what_is_over_can_fail_a_pipeline(fit, tmp_path):
    capture = write(tmp_path / "a.capture", 32)
    words = ("--replay", capture, "--gpu", "300MiB", "--context", "0", "--no-ways")
    assert "does not fit" in fit(*words).stdout
    fit(*words, "--fail-if-over", status=1)


def test_captures_at_other_batches_tell_the_largest(fit, tmp_path):
    paths = [str(write(tmp_path / f"{batch}.capture", batch)) for batch in (8, 16, 24)]
    words = ["--replay", ",".join(paths), "--context", "0", "--json"]
    answer = fit(*words, "--gpu", "512MiB")
    assert json.loads(answer.stdout)["largest_batch"] == (512 - 64) // 8
    # If a sample is less than a hundredth of the card, half a hundredth is kept back.
    answer = fit(*words, "--gpu", "1GiB")
    assert json.loads(answer.stdout)["largest_batch"] == (1024 - 64) // 8 - 1


def test_the_context_counts(fit, tmp_path):
    capture = write(tmp_path / "a.capture", 32)
    words = ("--replay", capture, "--gpu", "400MiB", "--json", "--no-ways")
    assert json.loads(fit(*words, "--context", "10MiB").stdout)["fits"] is True
    assert json.loads(fit(*words, "--context", "90MiB").stdout)["fits"] is False


def test_the_anatomy_is_drawn(fit, tmp_path):
    capture = write(tmp_path / "a.capture", 32)
    words = ("--replay", capture, "--gpu", "1GiB", "--context", "0")
    for name in ("plan.svg", "plan.html"):
        fit(*words, "--picture", tmp_path / name)
        drawn = (tmp_path / name).read_text()
        assert "Batch 32 fits" in drawn
        svg = ElementTree.fromstring(drawn[drawn.index("<svg") : drawn.index("</svg>") + 6])
        titles = [title.text for title in svg.iter("{http://www.w3.org/2000/svg}title")]
        assert {"weights: 64 MiB", "activations: 256 MiB"} <= set(titles)
    assert "FILE.svg" in fit(*words, "--picture", "plan.png", status=2).stderr
    assert "cannot be written" in fit(*words, "--picture", "no/such/plan.svg", status=1).stderr


def test_the_replays_speed_is_told(fit, tmp_path):
    paths = [str(write(tmp_path / f"{batch}.capture", batch)) for batch in (8, 16)]
    answer = fit("--replay", ",".join(paths), "--gpu", "1GiB", "--speed").stdout
    assert re.findall(r"batch (\d+): \d+ steps a second \(3 steps of", answer) == ["8", "16"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "--gpu"),
        (("--gpu", "abacus", "x.py:make"), "RTX 4090"),
        (("--gpu", "1GiB"), "holdfast fit"),
        (("--gpu", "1GiB", "train"), "-- python train.py"),
        (("--gpu", "1GiB", "--", "torchrun", "train.py"), "holdfast fit train.py"),
        (("--gpu", "1GiB", "train.py:make"), "--batch"),
        (("--gpu", "1GiB", "--alloc-conf", "nonsense", "a.py:b"), "PYTORCH_CUDA_ALLOC_CONF"),
    ],
)
def test_bad_usage_gets_one_line_that_says_what_to_do(fit, words, says):
    answer = fit(*words, status=2)
    (line,) = answer.stderr.splitlines()
    assert says in line


def test_a_damaged_capture_is_refused(fit, tmp_path):
    capture = write(tmp_path / "a.capture", 32)
    capture.write_bytes(capture.read_bytes()[:-1])
    answer = fit("--replay", capture, "--gpu", "1GiB", status=1)
    assert "capture it again" in answer.stderr


@needs_torch
def test_a_function_is_planned_to_the_byte(fit, tmp_path):
    (tmp_path / "train.py").write_text(TRAIN)
    words = ("train.py:make", "--batch", "256", "--gpu", "16GiB", "--python", TORCH, "--json")
    plan = json.loads(fit(*words, "--no-largest").stdout)
    weights = 4 * 8 * (1024 * 1024 + 1024)
    assert plan["anatomy"]["weights_bytes"] == weights
    assert plan["anatomy"]["optimizer_bytes"] in (0, 2 * weights, 2 * weights + 8 * 4)
    assert plan["fits"] is True


@needs_torch
def test_ways_are_found_by_replay(fit, tmp_path):
    (tmp_path / "train.py").write_text(TRAIN)
    words = ("train.py:make", "--batch", "65536", "--gpu", "4GiB", "--python", TORCH, "--json")
    plan = json.loads(fit(*words, "--no-largest").stdout)
    assert plan["fits"] is False
    ways = {way["name"]: way for way in plan["ways"]}
    assert ways["accumulate-4"]["saves_bytes"] > ways["accumulate-2"]["saves_bytes"] > 0
    assert {"bf16", "checkpoint"} <= ways.keys()


@needs_torch
def test_an_unchanged_script_is_planned(fit, tmp_path):
    (tmp_path / "train.py").write_text(TRAIN)
    answer = fit("--gpu", "16GiB", "--json", "--no-largest", "--", TORCH, "train.py")
    plan = json.loads(answer.stdout)
    assert plan["batch"] == 256
    assert plan["fits"] is True
    assert "loss 0.0" in answer.stderr  # its own output goes elsewhere


@needs_torch
def test_a_script_is_planned_at_another_batch_and_told_its_largest(fit, tmp_path):
    (tmp_path / "train.py").write_text(TRAIN)
    words = ("train.py", "--gpu", "2GiB", "--context", "0", "--json", "--python", TORCH)
    own = json.loads(fit(*words).stdout)
    # 4096 samples are fewer than the largest batch: they are repeated to fill it.
    assert own["batch"] == 256
    assert own["largest_batch"] > 4096
    words += ("--no-largest", "--batch", str(own["largest_batch"]))
    at_largest = json.loads(fit(*words).stdout)
    assert at_largest["batch"] == own["largest_batch"]
    assert at_largest["fits"] is True
    assert at_largest["peak_reserved_bytes"] > 0.9 * 2 * 1024 * MIB


SCRIPTS = {
    "no_loader.py": """
import sys, torch
if "--help-me" in sys.argv: sys.exit("one --help-me is enough")
model = torch.compile(torch.nn.Linear(64, 64).cuda())
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for i in range(3):
    model(torch.randn(32, 64).cuda()).sum().backward()
    print(next(model.parameters()).detach().cpu().numpy().shape)
    optimizer.step()
""",
    "no_step.py": "import torch\ntorch.nn.Linear(2, 2).cuda()\n",
    "broken.py": "import torch\n\nopen('data.bin')\n",
}


@needs_torch
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("no_loader.py", "--batch", "8"), "no DataLoader"),
        (("no_loader.py", "--", "--help-me"), "one --help-me is enough"),
        (("no_step.py",), "made no optimizer step"),
        (("broken.py",), "at broken.py:3"),
        (("absent.py",), "no such file"),
    ],
)
def test_a_script_that_cannot_be_planned_gets_one_line_that_says_why(fit, tmp_path, words, says):
    for name, text in SCRIPTS.items():
        (tmp_path / name).write_text(text)
    answer = fit("--gpu", "1GiB", "--python", TORCH, *words, status=1)
    assert says in answer.stderr.splitlines()[-1]


@needs_torch
def test_without_a_loader_the_batch_is_not_known(fit, tmp_path):
    (tmp_path / "train.py").write_text(SCRIPTS["no_loader.py"])
    words = ("--gpu", "4GiB", "--python", TORCH, "train.py")
    plan = json.loads(fit(*words, "--json").stdout)
    assert plan["batch"] is None
    assert plan["largest_batch"] is None
    assert plan["fits"] is True
    assert any("torch.compile" in text for text in plan["missing"])
    assert "It fits" in fit(*words).stdout


@needs_torch
def test_python_gets_the_same_plan(binary, tmp_path):
    (tmp_path / "train.py").write_text(TRAIN)
    code = (
        "import train, holdfast\n"
        "plan = holdfast.fit(train.make, 256, '16GiB', largest=False)\n"
        "import torch\n"
        "assert not torch.cuda.is_available() or torch.cuda.device_count() > 0\n"
        "assert plan._repr_html_().startswith('<svg')\n"
        "print(plan.fits, plan.peak_reserved_bytes)\n"
    )
    environment = {
        **os.environ,
        "HOLDFAST_BIN": str(binary),
        "PYTHONPATH": f"{ROOT / 'python'}:{tmp_path}",
        "CUDA_VISIBLE_DEVICES": "",
    }
    told = subprocess.run(
        [TORCH, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout.split()
    words = ["fit", "train.py:make", "--batch", "256", "--gpu", "16GiB", "--json", "--no-largest"]
    answer = subprocess.run(
        [binary, *words, "--python", TORCH],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    plan = json.loads(answer.stdout)
    assert told == [str(plan["fits"]), str(plan["peak_reserved_bytes"])]


@needs_torch
@pytest.mark.parametrize(("skipped", "runs"), [(0, 3), (5, 8), (1000, 24)])
def test_what_is_verified_includes_the_optimizers_state(skipped, runs):
    # Like a GradScaler that must find its scale first.
    code = (
        "import torch\n"
        "from holdfast.planner.measure.verify import run_steps\n"
        "weight = torch.ones(3, requires_grad=True)\n"
        "weight.grad = torch.ones(3)\n"
        "optimizer = torch.optim.Adam([weight])\n"
        "runs = 0\n"
        "def step():\n"
        "    global runs\n"
        "    runs += 1\n"
        f"    if runs > {skipped}: optimizer.step()\n"
        "run_steps(step)\n"
        "print(runs)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "CUDA_VISIBLE_DEVICES": ""}
    told = subprocess.run(
        [TORCH, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == [str(runs)]


@needs_torch
@pytest.mark.parametrize(
    ("arguments", "shape", "missing"),
    [
        ("", (4, 32, 10), 0),
        (", hidden=12", (4 * 20, 10), 0),
        (", chosen=True", (4, 32, 10), 1),
    ],
)
def test_what_depends_on_data_follows_the_data_that_is_known(tmp_path, arguments, shape, missing):
    (tmp_path / "odd.py").write_text(ODD)
    code = (
        "import odd, pathlib\n"
        "from holdfast.planner.capture.capture import capture\n"
        f"made = lambda batch: odd.make(batch{arguments})\n"
        "recorder = capture(made, 4, pathlib.Path('odd.capture'))\n"
        "print((odd.shape, recorder.missing))\n"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'python'}:{tmp_path}",
        "CUDA_VISIBLE_DEVICES": "",
    }
    answer = subprocess.run(
        [TORCH, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    found, said = ast.literal_eval(answer.stdout)
    assert found == shape
    assert len(said) == missing
    line = 1 + next(i for i, text in enumerate(ODD.splitlines()) if "out > 0" in text)
    assert all(f"odd.py:{line} " in text for text in said)


def test_measurements_on_a_crowded_gpu_are_left_out(tmp_path):
    shape = "1 2 {} 64 64 56 56 56 56 3 3 1 1 1 1 1 1"
    rows = {16: 100 << 20, 32: 0, 64: 400 << 20, 128: 800 << 20}
    lines = [f"conv 0 0 0 0 {shape.format(batch)} = {size}" for batch, size in rows.items()]
    (tmp_path / "a.txt").write_text("gpu X\n" + "\n".join(lines) + "\n")
    answer = subprocess.run(
        [sys.executable, ROOT / "bench" / "fit" / "table.py", tmp_path / "a.txt"],
        capture_output=True,
        text=True,
        check=True,
    )
    kept = " ".join(f"{batch}:{size}" for batch, size in rows.items() if size)
    assert answer.stdout == f"gpu X\nconv 0 0 0 0 {shape.format(0)} = {kept}\n"
    # The shipped form can be read again.
    (tmp_path / "b.txt").write_text(answer.stdout)
    told = table_file.measured(table_file.lines_of(tmp_path / "b.txt"))
    assert [f"{call} = {size}" for call, size in told if size] == lines[:1] + lines[2:]


OPERATION = """
import torch
from torch import nn

@torch.library.custom_op("mine::swish", mutates_args=())
def swish(x: torch.Tensor) -> torch.Tensor:
    return x * torch.sigmoid(x)

@torch.library.custom_op("mine::swish_backward", mutates_args=())
def swish_backward(g: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    s = torch.sigmoid(x)
    return g * (s + x * s * (1 - s))

def keep(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])

swish.register_autograd(lambda ctx, g: swish_backward(g, *ctx.saved_tensors), setup_context=keep)

def make(batch, act=swish, counted=False):
    model = nn.ModuleList(nn.Linear(1024, 1024) for _ in range(4)).to("cuda")
    optimizer = torch.optim.Adam(model.parameters())
    def step():
        x = torch.randn(batch, 64, 1024, device="cuda")
        for layer in model:
            x = act(layer(x))
        if counted:
            torch.bincount((x.detach().flatten()[:100] * 100).abs().long())
        x.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return step

def known(batch):
    return make(batch, act=nn.functional.silu)

def counted(batch):
    return make(batch, act=nn.functional.silu, counted=True)
"""


@needs_torch
@pytest.mark.parametrize(
    ("name", "operation", "line"),
    [("make", "mine::swish", "act(layer"), ("counted", "aten::bincount", "torch.bincount")],
)
def test_what_cannot_be_pretended_is_estimated_from_small_runs(
    fit, tmp_path, name, operation, line
):
    (tmp_path / "train.py").write_text(OPERATION)
    words = ("--batch", "48", "--gpu", "8GiB", "--python", TORCH, "--no-largest", "--json")
    estimate = json.loads(fit(f"train.py:{name}", *words).stdout)
    number = 1 + next(i for i, text in enumerate(OPERATION.splitlines()) if line in text)
    assert f"{operation} at train.py:{number}" in estimate["missing"][0]
    assert "estimate" in estimate["missing"][1]
    assert (estimate["estimate"], estimate["confidence"]) == (True, "likely")
    captured = json.loads(fit("train.py:known", *words).stdout)
    assert captured["estimate"] is False
    assert estimate["peak_reserved_bytes"] == pytest.approx(
        captured["peak_reserved_bytes"], rel=estimate["band"]
    )


@needs_torch
def test_when_a_small_run_fails_too_the_operation_is_still_named(fit, tmp_path):
    broken = OPERATION.replace("    return x * torch.sigmoid(x)", "    raise OSError('GPU only')")
    (tmp_path / "train.py").write_text(broken)
    words = ("train.py:make", "--batch", "48", "--gpu", "8GiB", "--python", TORCH)
    line = fit(*words, status=1).stderr.splitlines()[-1]
    assert "mine::swish at train.py:" in line
    assert "GPU only" in line


def test_called_by_its_path_it_takes_the_python_of_its_environment(binary, tmp_path):
    environment = tmp_path / "an environment"
    (environment / "bin").mkdir(parents=True)
    (environment / "pyvenv.cfg").touch()
    shutil.copy(binary, environment / "bin/holdfast")
    python = environment / "bin/python"
    python.write_text('#!/bin/sh\necho "this is the right one" >&2\nexit 3\n')
    python.chmod(0o755)
    script = tmp_path / "train.py"
    script.touch()
    outside = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    ended = subprocess.run(
        [environment / "bin/holdfast", "fit", script, "--gpu", "24GiB"],
        env=outside, capture_output=True, text=True,
    )  # fmt: skip
    assert "this is the right one" in ended.stderr
