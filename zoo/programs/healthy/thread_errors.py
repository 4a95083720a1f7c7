"""Tasks of a thread pool fail and are counted."""
# zoo end: clean-exit

from concurrent.futures import ThreadPoolExecutor


def parse(i):
    if i % 3 == 0:
        raise ValueError(f"CUDA out of memory in sample {i}")
    return i


failed = 0
with ThreadPoolExecutor(4) as pool:
    for future in [pool.submit(parse, i) for i in range(200)]:
        failed += future.exception() is not None
print(failed)
