"""Reports its steps itself, one with a loss that is NaN."""

import sys

import hooks_busy

sys.path.insert(0, sys.argv[1])
import holdfast

hooks_busy.work()
for number in range(10):
    holdfast.step(loss=float("nan") if number == 6 else 1.0 / (number + 1))
print(holdfast.status().supervised)
