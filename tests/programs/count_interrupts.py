"""Counts KeyboardInterrupts until the third."""

import time

count = 0
print("ready", flush=True)
while count < 3:
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        count += 1
        print(f"interrupt {count}", flush=True)
print("that was all", flush=True)
