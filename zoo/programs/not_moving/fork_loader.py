"""A DataLoader forks its workers while another thread holds the lock that the data set takes."""
# zoo end: killed
# zoo root: fork-deadlock
# zoo role: worker
# zoo outcome: stuck
# zoo needs: torch
# zoo then: sleep 12; kill -TERM $PID

import os
import threading
import time

import torch

index_lock = threading.Lock()


class Images(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, number):
        with index_lock:  # guilty
            return torch.zeros(3)


def rebuild_index():
    with index_lock:
        time.sleep(3)


threading.Thread(target=rebuild_index).start()
time.sleep(0.2)
loader = torch.utils.data.DataLoader(
    Images(), batch_size=4, num_workers=2, multiprocessing_context="fork"
)
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
for batch in loader:
    print(batch.sum())
