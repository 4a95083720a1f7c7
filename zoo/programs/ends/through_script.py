"""script(1) writes down what the training prints, which then fails."""
# zoo end: exception
# zoo tools: script
# zoo run: script --quiet --return --command '{python} {file}' log

import time

time.sleep(0.3)
weights = [1.0, 2.0]
print(weights[2])  # guilty
