"""A thousand greenlets that switch stacks, each with its own memory."""

from gevent import monkey

monkey.patch_all()
import time  # noqa: E402

import gevent  # noqa: E402


def work(number: int) -> int:
    kept = [bytearray(50_000) for _ in range(10)]
    time.sleep(0.001)
    return number if len(kept) == 10 else -1


jobs = [gevent.spawn(work, number) for number in range(1000)]
gevent.joinall(jobs)
print(f"{len(jobs)} greenlets, {sum(job.value for job in jobs)}")
