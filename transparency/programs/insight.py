"""What Python's own tools show of objects, events and lines while memory grows: insight.py TOOL"""

import gc
import sys
import time
import tracemalloc


def grow():
    kept = []
    for _ in range(60):
        kept.append(bytearray(1_000_000))
        kept.append([(n,) for n in range(200)])
        time.sleep(0.01)


if sys.argv[1] == "collections":
    gc.collect()
    grow()
    print("objects since the last collection:", gc.get_count()[0])
elif sys.argv[1] == "audit":
    events = set()
    sys.addaudithook(lambda event, _: events.add(event))
    grow()
    print("events:", sorted(events - {"time.sleep"}))
elif sys.argv[1] == "tracemalloc":
    tracemalloc.start()
    grow()
    traces = tracemalloc.take_snapshot().traces
    print("files:", sorted({trace.traceback[0].filename.rpartition("/")[2] for trace in traces}))
