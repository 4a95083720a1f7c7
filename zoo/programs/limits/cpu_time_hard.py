"""The hard CPU limit comes as SIGKILL."""
# zoo end: cpu-time-limit
# zoo limits: -t 2

import signal

signal.signal(signal.SIGXCPU, signal.SIG_IGN)
total = 0
while True:
    total += 1
