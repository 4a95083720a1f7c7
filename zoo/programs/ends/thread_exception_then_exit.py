"""A background thread dies of an exception; the program finishes all the same."""
# zoo end: clean-exit

import threading


def upload():
    raise ConnectionError("no route to host")


thread = threading.Thread(target=upload)
thread.start()
thread.join()
