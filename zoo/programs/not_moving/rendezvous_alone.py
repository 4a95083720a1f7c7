"""The other rank never comes to the rendezvous."""
# zoo end: collective-timeout
# zoo needs: torch

import datetime

import torch.distributed as dist

dist.init_process_group(  # guilty
    "gloo", init_method="tcp://127.0.0.1:29611", rank=0, world_size=2,  # guilty
    timeout=datetime.timedelta(seconds=5),  # guilty
)  # guilty
