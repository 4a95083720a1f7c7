"""A recipe of make runs the training, which fails."""
# zoo end: exception
# zoo tools: make
# zoo run: make --no-print-directory --file {zoo}/hand_on.mk PYTHON={python} PROGRAM={file}

import time

time.sleep(0.3)
weights = {"first": 1.0}
print(weights["second"])  # guilty
