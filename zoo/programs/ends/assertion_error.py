"""A sanity check fails."""
# zoo end: exception


def check(batch):
    assert len(batch) == 32, f"batch of {len(batch)}"  # guilty


check([1, 2, 3])
