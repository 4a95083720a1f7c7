"""Endless recursion that Python itself stops."""
# zoo end: exception


def depth(tree):
    return 1 + depth(tree)  # guilty


depth({})
