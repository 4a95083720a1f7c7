"""Fills a list until memory is refused, frees it, and ends with the error."""

history = []


def train():
    while True:
        history.append(bytearray(200_000))  # mark: fills


try:
    train()
except MemoryError:
    history.clear()
    raise
