"""Arrow's memory pools map memory in bulk: the guard stands before the pools themselves."""

from _holdfast_agent import guard_arrow


def install(module):
    guard_arrow()
