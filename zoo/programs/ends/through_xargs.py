"""xargs starts the training, which fails; xargs ends with a status of its own."""
# zoo end: exception
# zoo tools: xargs
# zoo run: xargs {python} {file}

import time

time.sleep(0.3)
weights = [1.0, 2.0]
print(weights[2])  # guilty
