"""Raises from a signal handler again and again; none may be lost, or show a foreign frame."""

import signal
import traceback


class Alarm(Exception):
    pass


def handler(number, frame):
    raise Alarm


def loop():
    while True:
        [bytes(100_000) for _ in range(10)]


signal.signal(signal.SIGALRM, handler)
for count in range(200):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005 + count * 0.00001)
        loop()
    except Alarm as alarm:
        frames = traceback.extract_tb(alarm.__traceback__)
        assert {frame.filename for frame in frames} == {frames[0].filename}, frames
        assert frames[-1].name == "handler", frames
print("200 alarms")
