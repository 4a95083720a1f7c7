"""A front end that follows orders: one JSON object a line on stdin, one back on stdout."""

import json
import os
import signal
import sys
import time
from queue import Empty

from jupyter_client.manager import KernelManager

PATIENCE = 150  # less than a test's own


class Session:
    """One kernel and one client, as a notebook has them."""

    def __init__(self):
        self.replies = {}  # by request

    def start(self, kernel, transport="tcp", encryption=None):
        self.manager = KernelManager(kernel_name=kernel, transport=transport)
        if encryption:
            if not hasattr(self.manager, "transport_encryption"):
                return {"pid": 0, "file": ""}
            self.manager.transport_encryption = encryption
        self.manager.start_kernel()
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)
        return {"pid": self.manager.provisioner.pid, "file": self.manager.connection_file}

    def send(self, code):
        # Without this, a kernel answers "aborted" to requests that come soon after a failed cell.
        return self.client.execute(code, stop_on_error=False)

    def until(self, request, kind):
        """Waits for one message that belongs to the request."""
        while True:
            message = self.client.get_iopub_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") == request and message["msg_type"] == kind:
                return message["content"]

    def next_message(self, channel):
        """The next message, while one may come: a dead kernel sends no more."""
        get = getattr(self.client, f"get_{channel}_msg")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            may_come = self.manager.is_alive()
            try:
                return get(timeout=2)
            except Empty:
                if not may_come:
                    break
        return None

    def answer(self, request):
        """Everything the cell showed, and the reply; if the kernel died, what came before."""
        outputs = []
        while message := self.next_message("iopub"):
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "status":
                if message["content"]["execution_state"] == "idle":
                    break
                continue
            outputs.append({"kind": message["msg_type"], **message["content"]})
        while reply := self.next_message("shell"):
            if reply["parent_header"].get("msg_id") == request:
                break
        return {"outputs": outputs, "reply": None if reply is None else reply["content"]}

    def run(self, code):
        return self.answer(self.send(code))

    def input(self, code, text):
        request = self.client.execute(code, allow_stdin=True)
        self.client.get_stdin_msg(timeout=PATIENCE)
        self.client.input(text)
        return self.answer(request)

    def request(self, channel, kind, content, **header):
        """Any message on any channel, with additional header fields."""
        message = self.client.session.msg(kind, content)
        message["header"].update(header)
        getattr(self.client, f"{channel}_channel").send(message)
        return message["header"]["msg_id"]

    def reply(self, channel, request):
        """In any order: subshells answer when they are done."""
        while request not in self.replies:
            message = getattr(self.client, f"get_{channel}_msg")(timeout=PATIENCE)
            self.replies[message["parent_header"].get("msg_id")] = message["content"]
        return self.replies.pop(request)

    def hear(self, kind, **content):
        """The next IOPub message of a kind with this content, whoever it is meant for."""
        while True:
            message = self.client.get_iopub_msg(timeout=PATIENCE)
            if message["msg_type"] == kind and content.items() <= message["content"].items():
                return message["content"]

    def interrupt(self, how="group"):
        if how == "group":
            self.manager.interrupt_kernel()
        else:
            os.kill(self.manager.provisioner.pid, signal.SIGINT)

    def restart(self, now=False):
        self.manager.restart_kernel(now=now)
        self.client.wait_for_ready(timeout=PATIENCE)
        return {"pid": self.manager.provisioner.pid}

    def start_again(self):
        """What a server does when it finds its kernel dead."""
        while self.manager.is_alive():
            time.sleep(0.02)
        return self.restart(now=True)

    def shutdown(self, now=False):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=now)

    def status(self):
        """The exit status of a kernel that has ended."""
        return self.manager.provisioner.process.returncode

    def alive(self):
        return self.manager.is_alive()


def main():
    session = Session()
    for line in sys.stdin:
        asked = json.loads(line)
        answer = getattr(session, asked.pop("do"))(**asked)
        print(json.dumps(answer, default=str), flush=True)


if __name__ == "__main__":
    main()
