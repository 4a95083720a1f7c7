"""Programs that use memory as they should, in the way the argument names."""

import functools
import sys
import time

MIB = 1 << 20
kept = []


def turns(seconds):
    end = time.monotonic() + seconds
    turn = 0
    while time.monotonic() < end:
        yield turn
        time.sleep(0.012)
        turn += 1


def warm_up():
    for turn in turns(4):
        if turn < 90:
            kept.append(bytearray(MIB))
        bytes(300_000)


def plateau():
    for turn in turns(4):
        if turn % 40 == 0 and turn < 121:
            kept.append(bytearray(40 * MIB))
        bytes(300_000)


@functools.lru_cache(maxsize=120)
def features(turn):
    return bytes([turn % 7 + 1]) * MIB


def full_cache():
    for turn in turns(4):
        features(turn)


def large_data():
    data = [bytearray(MIB) for _ in range(180)]
    for turn in turns(4):
        bytes(300_000)
        data[turn % 180][0] = 1


def slow_data():
    data = []
    for turn in turns(3):
        data.append(bytearray(MIB // 2))
    for turn in turns(3):
        bytes(300_000)


def scattered():
    for turn in turns(4):
        many = [bytes(3000 + turn * 7) for _ in range(20_000)]
        kept.append(many[::4000])


def scattered_small():
    """Python's own arenas are kept for the few objects that stay in each."""
    for turn in turns(4):
        many = [f"{turn} and {number}" for number in range(60_000)]
        kept.append(many[:: 6_000 + turn])


def churn():
    for turn in turns(4):
        for _ in range(50):
            bytes(3 * MIB)


def near_limit():
    for turn in turns(4):
        if turn % 40 == 0:
            peak = [bytearray(MIB) for _ in range(200)]
            del peak


def saw_tooth():
    for turn in turns(4):
        kept.append(bytearray(MIB))
        if len(kept) > 100:
            kept.clear()


def numpy_only():
    import numpy

    for turn in turns(3):
        numpy.random.rand(300, 300).sum()


def pandas_only():
    import numpy
    import pandas

    for turn in turns(3):
        pandas.DataFrame(numpy.random.rand(3000, 16)).describe()


def torch_only():
    import torch

    model = torch.nn.Linear(256, 256)
    optimizer = torch.optim.Adam(model.parameters())
    for turn in turns(4):
        loss = model(torch.rand(512, 256)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        kept.append(loss.item())


def forest():
    import numpy
    from sklearn.ensemble import RandomForestClassifier

    x = numpy.random.rand(6_000, 20)
    RandomForestClassifier(60, n_jobs=1).fit(x, numpy.random.rand(6_000) > 0.5)


def slow_table():
    import io

    import pandas

    row = ",".join(str(n + 0.123456789) for n in range(60)) + "\n"
    pandas.read_csv(io.StringIO(row * 6_000), engine="python")


globals()[sys.argv[1]]()
print("done")
