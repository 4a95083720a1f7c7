"""Walks through a graph from every start until it reaches a goal; from one of them no goal can be reached."""
# zoo end: killed
# zoo root: no-progress
# zoo outcome: stuck
# zoo then: sleep 24; kill -KILL $PID

import logging
import os
import random

logging.basicConfig(level=logging.INFO, format="%(message)s")
random.seed(1)

edges = {node: [(node * 7 + k) % 5000 for k in range(1, 4)] for node in range(5000)}
goals = {node for node in range(5000) if node % 500 == 0}
edges.update({9001: [9002], 9002: [9001]})


def length_of_walk(node):
    steps = 0
    while node not in goals:  # guilty
        node = random.choice(edges[node])  # guilty
        steps += 1  # guilty
    return steps


lengths = []
starts = [*random.choices(range(5000), k=3000), 9001]
for i, start in enumerate(starts):
    if i == 3000:
        with open(os.environ["ZOO_DIR"] + "/ready", "w") as ready:
            ready.write(str(os.getpid()))
    lengths.append(length_of_walk(start))  # guilty
    if i % 100 == 0:
        logging.info("start %d: %.1f steps on average", i, sum(lengths) / len(lengths))
