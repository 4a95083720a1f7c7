"""A child that tries a fast path crashes at once, which was expected; the program fails on its own."""
# zoo end: exception

import ctypes
import multiprocessing


def fast_path():
    ctypes.string_at(0)


if __name__ == "__main__":
    trial = multiprocessing.get_context("fork").Process(target=fast_path)
    trial.start()
    trial.join()
    print("fast path:", trial.exitcode == 0, flush=True)
    settings = {"epochs": 3}
    print(settings["learning_rate"])  # guilty
