"""ulimit -d holds back the heap while the machine is empty."""
# zoo end: address-limit
# zoo root: address-limit host-leak
# zoo limits: -d 300000

import time

kept = []
for i in range(1000):
    kept.append(bytearray(4 << 20))  # guilty
    time.sleep(0.005)
