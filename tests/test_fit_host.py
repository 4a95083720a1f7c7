"""`holdfast fit` on the machine's own memory, against a real run in a control group."""

import json
import os
import subprocess

import pytest

MIB = 1 << 20
TORCH = os.environ.get("HOLDFAST_TORCH_PYTHON")
pytestmark = pytest.mark.skipif(not TORCH, reason="needs torch: see `make frameworks`")

# When given a group, it prints what its dataset and loader take, as the kernel counts it.
TRAIN = """
import os, sys, threading, time
import torch
from torch.utils.data import DataLoader, Dataset

workers, prefetch = int(sys.argv[1]), int(sys.argv[2])
stat = os.environ.get("MEMORY_STAT")

def used():
    if not stat: return 0
    figures = dict(line.split() for line in open(stat))
    return int(figures.get("rss") or figures["anon"]) + int(figures["shmem"])

class Data(Dataset):
    def __init__(self): self.x = torch.ones(64, 1_000_000)
    def __len__(self): return 4000
    def __getitem__(self, i): return self.x[i % 64].clone(), i

device = "cuda" if torch.cuda.is_available() else "cpu"
weight = torch.nn.Parameter(torch.ones(1, device=device))
optimizer = torch.optim.SGD([weight], 0.1)
(weight * 2).sum().backward()
before = peak = used()
done = False

def watch():
    global peak
    while not done:
        peak = max(peak, used())
        time.sleep(0.003)

data = Data()
if stat:
    watcher = threading.Thread(target=watch)
    watcher.start()
options = {"num_workers": workers, "prefetch_factor": prefetch} if workers else {}
for i, (x, y) in enumerate(DataLoader(data, batch_size=5, **options)):
    (weight * x[0, 0].item()).sum().backward()
    optimizer.step()
    if stat: time.sleep(0.4)  # until every worker has made all it may
    if i == 6: break
done = True
print(peak - before, flush=True)
os._exit(0)
"""


@pytest.mark.parametrize(("workers", "prefetch"), [(0, 0), (2, 2), (2, 4)])
def test_the_hosts_memory_is_near_what_a_real_run_takes(
    binary, control_group, tmp_path, workers, prefetch
):
    (tmp_path / "train.py").write_text(TRAIN)
    group = control_group(memory=4 << 30)
    run = subprocess.run(
        group.inside(TORCH, str(tmp_path / "train.py"), str(workers), str(prefetch)),
        env={
            **os.environ,
            "MEMORY_STAT": str(group.memory_folder / "memory.stat"),
            "OMP_NUM_THREADS": "1",
            "CUDA_VISIBLE_DEVICES": "",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    measured = int(run.stdout)
    words = ["--gpu", "8GiB", "--no-largest", "--json", "--python", TORCH, "train.py"]
    answer = subprocess.run(
        [binary, "fit", *words, "--", str(workers), str(prefetch)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    host = json.loads(answer.stdout)["host"]
    batch = 5 * (4_000_000 + 8)
    assert host["batch_bytes"] == batch
    assert host["waiting_bytes"] == (workers * prefetch + 1) * batch
    assert 256_000_000 <= host["dataset_bytes"] < 257_000_000
    loader = host["total_bytes"] - host["dataset_bytes"]
    assert loader == pytest.approx(measured - host["dataset_bytes"], rel=0.35)
