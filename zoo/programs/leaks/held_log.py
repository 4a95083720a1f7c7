"""A handler of logging holds debug lines back, and the arrays in them."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 384M
# zoo needs: numpy

import logging
import logging.handlers
import time

import numpy as np


def setup():
    """Debug lines are only wanted when something goes badly wrong: hold them back until then."""
    target = logging.FileHandler("debug.log")
    held = logging.handlers.MemoryHandler(
        capacity=10_000_000, flushLevel=logging.CRITICAL, target=target
    )
    console = logging.StreamHandler()
    console.setLevel(logging.INFO)
    logging.basicConfig(
        level=logging.DEBUG, handlers=[held, console], format="%(asctime)s %(message)s"
    )


log = logging.getLogger("als")


def solve(ratings, fixed, reg):
    gram = fixed.T @ fixed + reg * np.eye(fixed.shape[1])
    return np.linalg.solve(gram, fixed.T @ ratings).T


def factorise(ratings, rank, sweeps):
    rng = np.random.default_rng(0)
    items = rng.normal(scale=0.1, size=(ratings.shape[1], rank))
    for sweep in range(sweeps):
        users = solve(ratings.T, items, 0.1)
        items = solve(ratings, users, 0.1)
        residual = ratings - users @ items.T  # guilty
        log.debug("sweep %d residual %s", sweep, residual)  # guilty
        if sweep % 20 == 0:
            log.info("sweep %d rmse %.5f", sweep, np.sqrt((residual**2).mean()))
        time.sleep(0.02)
    return users, items


setup()
factorise(np.random.default_rng(1).random((500, 600)), 16, 5000)
