"""The guard refuses a batch that is too large; the program halves it and goes on."""
# zoo end: clean-exit
# zoo memory: 320M
# zoo needs: numpy
# zoo environment: HOLDFAST_GUARD=on
# zoo notices: guard

import numpy as np

weights = np.ones(1000)
batch = 64_000
for epoch in range(3):
    try:
        x = np.random.default_rng(epoch).random((batch, 1000))
        print("epoch", epoch, "batch", batch, "loss", float((x @ weights).mean()), flush=True)
        del x
    except MemoryError:
        batch //= 4
        print("batch is now", batch, flush=True)
