"""Features come from a small service; one answer is only half sent, and training waits for the rest."""
# zoo end: killed
# zoo root: loader-stall
# zoo outcome: stuck
# zoo needs: numpy
# zoo then: sleep 22; kill -TERM $PID

import multiprocessing as mp
import os
import socket
import struct
import time

import numpy as np


def serve(port_out):
    server = socket.create_server(("127.0.0.1", 0))
    port_out.send(server.getsockname()[1])
    conn, _ = server.accept()
    rng, answered = np.random.default_rng(0), 0
    while True:
        want = conn.recv(4)
        if not want:
            return
        answered += 1
        payload = rng.normal(size=(struct.unpack("!I", want)[0], 16)).astype("f4").tobytes()
        if answered == 120:
            payload = payload[: len(payload) // 2]       # the backend's buffer was full
            conn.sendall(payload)
            continue
        conn.sendall(payload)


class Client:
    def __init__(self, port):
        self.sock = socket.create_connection(("127.0.0.1", port))

    def block(self, rows):
        self.sock.sendall(struct.pack("!I", rows))
        need, parts = rows * 16 * 4, []
        while need:
            part = self.sock.recv(need)  # guilty
            parts.append(part)
            need -= len(part)
        return np.frombuffer(b"".join(parts), "f4").reshape(rows, 16)


if __name__ == "__main__":
    with open(os.path.join(os.environ["ZOO_DIR"], "ready"), "w") as file:
        file.write(str(os.getpid()))
    here, there = mp.Pipe()
    mp.Process(target=serve, args=(there,), daemon=True).start()
    client = Client(here.recv())
    w = np.zeros(16, "f4")
    for step in range(1000):
        x = client.block(128)
        w -= 0.1 * x.T @ (x @ w - x[:, 0]) / len(x)
        if step % 20 == 0:
            print("step", step, w[:2], flush=True)
        time.sleep(0.02)
