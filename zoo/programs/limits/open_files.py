"""Opens the files of a dataset and never closes them."""
# zoo end: fd-limit
# zoo limits: -n 128

import os
import time

os.makedirs("samples", exist_ok=True)
for i in range(400):
    open(f"samples/{i}", "w").close()
handles = []
for i in range(400):
    handles.append(open(f"samples/{i}"))  # guilty
    time.sleep(0.002)
