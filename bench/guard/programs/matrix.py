"""Every maker of makers.py with one way of growing: MAKER.WAY. Run one, or --list them.

With HF_ENOUGH=SHARE in the environment it stops at that share of its limit, with HF_COUNT=N after
N things; then it is healthy.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import threading
import time

from common import file_pages, is_memory_error, limit, usage
from makers import CHOSEN, MAKERS, Maker

ENOUGH = float(os.environ.get("HF_ENOUGH", "0"))
COUNT = int(os.environ.get("HF_COUNT", "0"))
_space: dict = {}


def digest(thing: object, whole: bool = True) -> str:
    """Of the whole content, or only of its type if two things of that type never look the same."""
    data = type(thing).__name__.encode()
    if whole:
        try:
            data = pickle.dumps(thing)
        except Exception as error:
            if is_memory_error(error):
                raise
    return hashlib.sha256(data).hexdigest()


def prepare(maker: Maker) -> None:
    exec(maker.setup, _space)
    exec(f"def make(i): return {maker.make}", _space)


def things():
    """One after the other: without an end, or until enough of the limit is used."""
    i = 0
    while True:
        if ENOUGH and usage() - file_pages() > ENOUGH * limit():
            return
        yield _space["make"](i)
        i += 1
        if i == COUNT:
            return


# ---- ways of growing ----


def keep():
    kept = []
    for thing in things():
        kept.append(thing)
    return kept


def threads():
    """Three threads grow; the main thread waits for them."""
    kept, stop = [], []

    def grow():
        for thing in things():
            if stop:
                return
            kept.append(thing)

    running = [threading.Thread(target=grow) for _ in range(3)]
    for thread in running:
        thread.start()
    try:
        for thread in running:
            thread.join()
    finally:
        stop.append(True)
    return kept


def executor():
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        return [one.result() for one in [pool.submit(keep) for _ in range(2)]]


def _grow_in_worker(_):
    return len(keep())


def pool():
    import multiprocessing

    with multiprocessing.get_context("fork").Pool(2) as workers:
        return workers.map(_grow_in_worker, range(2), chunksize=1)


def _one_thing(i):
    return _space["make"](i)


def results():
    """The parent keeps the results of its workers."""
    import multiprocessing

    kept = []
    with multiprocessing.get_context("fork").Pool(2) as workers:
        for thing in workers.imap(_one_thing, range(1 << 20)):
            kept.append(thing)
            if ENOUGH and usage() - file_pages() > ENOUGH * limit():
                break
    return kept


def processes():
    """The classic executor, whose parent notices when a worker is killed."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(2, mp_context=context) as workers:
        return list(workers.map(_grow_in_worker, range(2)))


def _feed(queue):
    for i in range(1 << 20):
        queue.put(_space["make"](i))


def queue():
    """A worker makes things, the parent keeps them."""
    import multiprocessing

    context = multiprocessing.get_context("fork")
    channel = context.Queue(4)
    worker = context.Process(target=_feed, args=(channel,), daemon=True)
    worker.start()
    kept = []
    while not ENOUGH or usage() - file_pages() < ENOUGH * limit():
        kept.append(channel.get())
    worker.terminate()
    worker.join()
    return kept


def joblib():
    import joblib as library
    import matrix  # by its name: what __main__ holds would be sent along

    prepared = sys.argv[1].split(".")[0]
    jobs = (library.delayed(matrix._in_loky)(prepared) for _ in range(2))
    return library.Parallel(n_jobs=2)(jobs)


def _in_loky(name):
    prepare(next(one for one in MAKERS if one.name == name))
    return len(keep())


WAYS = {
    "keep": keep,
    "threads": threads,
    "executor": executor,
    "pool": pool,
    "results": results,
    "processes": processes,
    "queue": queue,
    "joblib": joblib,
}
NEEDS = {"joblib": "joblib"}


def entries():
    for maker in MAKERS:
        yield maker, "keep"
        if maker.name in CHOSEN:
            for way in WAYS:
                if way != "keep":
                    yield maker, way


def main() -> int:
    if sys.argv[1:] == ["--list"]:
        for maker, way in entries():
            more = 1 if way in ("keep", "executor", "threads") else 2
            print(f"{maker.name}.{way}", maker.megabytes * more, NEEDS.get(way, maker.needs))
        return 0
    name, way = sys.argv[1].split(".")
    maker = next(one for one in MAKERS if one.name == name)
    prepare(maker)
    first = _space["make"](0)
    whole = digest(first) == digest(_space["make"](0))
    before = digest(first, whole)
    start = time.monotonic()
    try:
        kept = WAYS[way]()
    except Exception as error:
        if not is_memory_error(error):
            raise
        text = f"{type(error).__name__}: {str(error)[:80]}"
        error.__traceback__ = None
        del error
    else:
        share = (usage() - file_pages()) / limit()
        print(f"reached {share:.1%} in {time.monotonic() - start:.1f} s with {len(kept)}")
        return 0 if ENOUGH or COUNT else 3
    if digest(first, whole) != before or digest(_space["make"](0), whole) != before:
        print("WRONG", text, flush=True)
        return 4
    print("SURVIVED", text, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
