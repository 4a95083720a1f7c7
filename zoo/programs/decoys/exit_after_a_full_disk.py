"""A worker thread fails, the main thread notices and exits with 1."""
# zoo end: exit-called

import sys
import threading

failed = []


def work():
    try:
        raise OSError(28, "No space left on device")
    except OSError as error:
        failed.append(error)


thread = threading.Thread(target=work)
thread.start()
thread.join()
if failed:
    print("worker failed", file=sys.stderr)
    sys.exit(1)  # guilty
