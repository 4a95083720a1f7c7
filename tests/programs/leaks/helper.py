"""A module of the same project that remembers too much."""

_seen = []


def remember(turn):
    _seen.append(bytearray(1 << 20))  # leaks: in_helper
    return turn
