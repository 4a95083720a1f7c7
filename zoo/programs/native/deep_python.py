"""Recursion with a raised limit runs through the C stack of a parser."""
# zoo end: stack-overflow
# zoo limits: -s 2048

import sys

sys.setrecursionlimit(10**7)


class Node:
    def __init__(self, child):
        self.child = child

    def __repr__(self):
        return f"({self.child!r})"  # guilty


node = None
for _ in range(1_000_000):
    node = Node(node)
print(len(repr(node)))
