"""Calls functions and allocates nothing: every number stays among CPython's ready-made ones."""

import loop

options = loop.options(depth=12)


class Node:
    __slots__ = ("mark",)

    def __init__(self) -> None:
        self.mark = 1

    def visit(self, depth: int) -> int:
        if depth == 0:
            return self.mark
        return (self.visit(depth - 1) ^ self.other(depth - 1)) & 127

    def other(self, depth: int) -> int:
        return self.visit(depth) | 1


node = Node()


def turn() -> None:
    node.visit(options.depth)


loop.measure(turn, options.loops)
