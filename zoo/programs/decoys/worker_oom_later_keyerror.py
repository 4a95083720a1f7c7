"""A worker is OOM-killed and replaced; much later a typo ends the program."""
# zoo end: exception
# zoo memory: 300M

import multiprocessing
import time


def eat():
    pieces = []
    while True:
        pieces.append(bytearray(8 << 20))
        time.sleep(0.01)


if __name__ == "__main__":
    process = multiprocessing.Process(target=eat)
    process.start()
    process.join()
    print("worker ended with", process.exitcode, "- going on without it")
    time.sleep(1)
    print({"loss": 1.0}["Loss"])  # guilty
