"""Steps whose loss is NaN: from the third on, or only the third.

Arguments: always|once, and how many seconds at most.
"""

import sys
import time

import holdfast

end = time.monotonic() + float(sys.argv[2])
number = 0
while time.monotonic() < end:
    number += 1
    bad = number == 3 or (number > 3 and sys.argv[1] == "always")
    holdfast.step(loss=float("nan") if bad else 1.0 / number)
    time.sleep(0.005)
