"""Asked to stop it saves its model, which takes long and yet more memory; earlyoom kills it."""
# zoo end: userspace-oom
# zoo root: host-leak
# zoo tools: earlyoom
# zoo beside: sh {zoo}/neighbours/earlyoom.sh 500 900

import signal
import time

model = []
seen = []


def save_and_go_on(number, frame):
    print("asked to stop: saving", flush=True)
    copies = [bytes(block) for block in model]
    seen.append(len(copies))


signal.signal(signal.SIGTERM, save_and_go_on)
for _ in range(400):
    model.append(bytearray(b"w" * (8 << 20)))  # guilty
    time.sleep(0.02)
print("trained", len(model), seen)
