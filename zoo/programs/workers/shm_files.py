"""Features are cached as files in /dev/shm."""
# zoo end: shm-full disk-full
# zoo shm: 16M

import os

for i in range(100):
    with open(f"/dev/shm/features-{i}.bin", "wb") as file:  # guilty
        file.write(os.urandom(1 << 20))  # guilty
