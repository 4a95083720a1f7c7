"""It keeps data as it goes, but what ends it is a missing key."""
# zoo end: exception
# zoo memory: 800M
# zoo needs: numpy

import time

import numpy as np

kept = []
for step in range(150):
    kept.append(np.ones((128, 1024)))
    time.sleep(0.01)
print({}["val_loss"])  # guilty
