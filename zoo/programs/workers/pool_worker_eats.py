"""A worker of concurrent.futures decodes something huge and is killed; the parent gives up."""
# zoo end: worker-oom
# zoo root: worker-oom host-leak dataset-in-ram
# zoo role: worker
# zoo memory: 200M

from concurrent.futures import ProcessPoolExecutor


def decode(n):
    return len(bytearray(b"x" * (n << 20)))  # guilty


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        for size in pool.map(decode, [5, 10, 400]):
            print(size)
