"""A notebook server, as far as a kernel knows one: runs the cells of a file in it, divided by
`# %%`, and asks it to end: to `close`, to `restart`, or `while-busy` with the last cell. A kernel
that does not end is killed, as jupyter_client does it."""

import contextlib
import os
import pathlib
import signal
import sys
import time

from jupyter_client import BlockingKernelClient

notebook, asked_for = sys.argv[1:]
connection = pathlib.Path("kernel.json")
while not connection.exists() or not connection.read_text().endswith("}"):
    time.sleep(0.1)
client = BlockingKernelClient(connection_file=str(connection))
client.load_connection_file()
client.start_channels()
client.wait_for_ready(timeout=60)
cells = pathlib.Path(notebook).read_text().split("# %%\n")[1:]
for number, cell in enumerate(cells):
    if asked_for == "while-busy" and number == len(cells) - 1:
        client.execute(cell)
        time.sleep(2)
    else:
        client.execute_interactive(cell, timeout=60)
client.shutdown(restart=asked_for != "close")
for number in (signal.SIGTERM, signal.SIGKILL):
    time.sleep(2.5)
    with contextlib.suppress(ProcessLookupError, FileNotFoundError):
        os.kill(int(pathlib.Path("ready").read_text()), number)
