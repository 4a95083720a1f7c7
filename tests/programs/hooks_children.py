"""A multiprocessing child, started as the argument says, raises; so does one with its own run()."""

import multiprocessing
import sys

import hooks_busy


class Own(multiprocessing.Process):
    def run(self):
        raise RuntimeError("in run")


def fail():
    hooks_busy.work(0.05)
    raise ValueError("in a child")


if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    child = context.Process(target=fail, name="child")
    child.start()
    child.join()
    print(child.exitcode)
    if sys.argv[1] == "fork":
        own = Own(name="own")
        own.start()
        own.join()
        print(own.exitcode)
