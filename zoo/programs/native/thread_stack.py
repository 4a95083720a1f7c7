"""Deep recursion in a thread with a small stack."""
# zoo end: stack-overflow
# zoo root: stack-overflow

import sys
import threading

sys.setrecursionlimit(1_000_000)
threading.stack_size(256 * 1024)


class Node:
    def __init__(self, child):
        self.child = child

    def __repr__(self):
        return f"<{self.child!r}>"  # guilty


def show():
    node = None
    for _ in range(100_000):
        node = Node(node)
    print(repr(node))


thread = threading.Thread(target=show)
thread.start()
thread.join()
