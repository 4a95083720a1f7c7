"""Answers on the ports of a dead kernel, so that the cell that was running shows why.

Compiled into the program, which runs it with the kernel's own Python (3.8 or newer) because that
has pyzmq; it needs nothing else. It starts when the kernel has died, and imports while the verdict
is being made. Then it reads what to say from stdin, as one JSON object, and writes `told` when some
client has got it. An empty stdin means that there is nothing to say.
"""

from __future__ import annotations

import errno
import hmac
import json
import sys
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import zmq

if TYPE_CHECKING:
    Message = dict[str, Any]

DELIMITER = b"<IDS|MSG>"
_NOT_RUN = "not run: "
# jupyter_server has two subscribers for each kernel, which reconnect up to 0.1 s apart.
QUIET = 0.25
# Clients reconnect by themselves, on an idle machine within a tenth of a second.
FIRST_SUBSCRIBER = 3.0
REPLY_PATIENCE = 1.0
# Requests that are still under way: a notebook that goes on, a client that asks for kernel info.
MORE_REQUESTS = 0.3
# After a death between two cells, the next request may still come.
NEXT_REQUEST = 1.0
LONGEST = 3.0


class Wire:
    """Signs messages as the kernel did, and unpacks those that were meant for it."""

    def __init__(self, connection: Message) -> None:
        self._key = connection.get("key", "").encode()
        self._digest = connection.get("signature_scheme", "hmac-sha256").split("-", 1)[1]
        self._session = uuid.uuid4().hex

    def pack(self, kind: str, content: Message, parent: Message) -> list[bytes]:
        header = {
            "msg_id": uuid.uuid4().hex,
            "msg_type": kind,
            "username": "holdfast",
            "session": self._session,
            "date": datetime.now(timezone.utc).isoformat().replace("+00:00", "Z"),
            "version": "5.3",
        }
        parts = [json.dumps(part).encode() for part in (header, parent, {}, content)]
        return [DELIMITER, self._sign(parts), *parts]

    def header_of(self, parts: list[bytes]) -> Message | None:
        """The header of a message that was really meant for this kernel."""
        if len(parts) < 5 or not hmac.compare_digest(parts[0], self._sign(parts[1:5])):
            return None
        header = json.loads(parts[1])
        return header if isinstance(header, dict) else None

    def _sign(self, parts: list[bytes]) -> bytes:
        if not self._key:
            return b""
        signature = hmac.new(self._key, digestmod=self._digest)
        for part in parts:
            signature.update(part)
        return signature.hexdigest().encode()


class Ports:
    """The dead kernel's IOPub and shell, bound again."""

    def __init__(self, connection: Message) -> None:
        self._context = zmq.Context()
        self._connection = connection
        self.wire = Wire(connection)
        self.subscribers = 0
        self.iopub = self._bind(zmq.XPUB, "iopub", {zmq.XPUB_VERBOSE: 1})
        # Mandatory: a reply to a client that has not reconnected must fail, not vanish.
        self.shell = self._bind(
            zmq.ROUTER, "shell", {zmq.ROUTER_MANDATORY: 1, zmq.ROUTER_HANDOVER: 1}
        )

    def _bind(self, kind: int, name: str, options: dict[int, int]) -> Any:
        socket = self._context.socket(kind)
        socket.linger = 500
        for option, value in options.items():
            socket.setsockopt(option, value)
        secret = self._connection.get("curve_secretkey")
        if secret:
            socket.curve_secretkey = secret.encode()
            socket.curve_publickey = self._connection["curve_publickey"].encode()
            socket.curve_server = True
        ip, port = self._connection["ip"], self._connection[f"{name}_port"]
        ipc = self._connection.get("transport") == "ipc"
        address = f"ipc://{ip}-{port}" if ipc else f"tcp://{ip}:{port}"
        deadline = time.monotonic() + LONGEST
        while True:
            try:
                socket.bind(address)
                return socket
            except zmq.ZMQError as error:
                if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def wait_for_subscribers(self, patience: float) -> None:
        """Until some have reconnected and no more came for a while."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if self.iopub.poll(max(1, int(1000 * (deadline - time.monotonic())))):
                joined = self.iopub.recv()[:1] == b"\1"
                self.subscribers += 1 if joined else -1
                if joined:
                    deadline = time.monotonic() + QUIET

    def publish(self, kind: str, content: Message, parent: Message) -> None:
        self.iopub.send_multipart([kind.encode(), *self.wire.pack(kind, content, parent)])

    def reply(self, kind: str, content: Message, parent: Message, ident: list[bytes]) -> bool:
        """False if the client does not reconnect."""
        message = [*ident, *self.wire.pack(kind, content, parent)]
        deadline = time.monotonic() + REPLY_PATIENCE
        while True:
            try:
                self.shell.send_multipart(message)
                return True
            except zmq.ZMQError:  # EHOSTUNREACH
                if time.monotonic() > deadline:
                    return False
                time.sleep(0.01)

    def close(self) -> None:
        self.iopub.close()
        self.shell.close()
        self._context.term()


class Mourner:
    """Tells the clients that wait for a cell, and those that ask later."""

    def __init__(self, ports: Ports, words: Message) -> None:
        self._ports = ports
        self._words = words
        self._count = words["count"]  # of the last cell that ran
        self.told = False

    def tell_waiting(self) -> None:
        for request in self._words["requests"]:
            ident = [bytes.fromhex(frame) for frame in request["ident"]]
            self._tell(request["header"], ident, request["count"], in_full=True)

    def answer_others(self) -> None:
        """For as long as requests come. Never "aborted": cells would be skipped silently."""
        begin = time.monotonic()
        until = begin + (MORE_REQUESTS if self._words["requests"] else NEXT_REQUEST)
        while time.monotonic() < min(until, begin + LONGEST):
            if self._ports.shell.poll(20):
                self._answer(self._ports.shell.recv_multipart())
                until = time.monotonic() + MORE_REQUESTS

    def _answer(self, message: list[bytes]) -> None:
        if DELIMITER not in message:
            return
        split = message.index(DELIMITER)
        ident = message[:split]
        header = self._ports.wire.header_of(message[split + 1 :])
        if header is None:
            return
        kind = header.get("msg_type")
        self._ports.publish("status", {"execution_state": "busy"}, header)
        if kind == "execute_request":
            self._count += 1
            self._tell(header, ident, self._count, in_full=not self.told)
        elif kind == "kernel_info_request" and self._words.get("kernel_info"):
            info = dict(self._words["kernel_info"], status="ok")
            self._ports.reply("kernel_info_reply", info, header, ident)
        self._ports.publish("status", {"execution_state": "idle"}, header)

    def _tell(self, header: Message, ident: list[bytes], count: int, in_full: bool) -> None:
        ename = self._words["ename"]
        prefix = "" if in_full else _NOT_RUN
        # What a front end shows below the panel; the panel has the rest.
        line = [f"{ename}: {prefix}{self._words['error']}"]
        error = {"ename": ename, "evalue": prefix + self._words["evalue"], "traceback": line}
        if in_full:
            # As text for front ends without HTML.
            data = {"text/plain": self._words["plain"], "text/html": self._words["html"]}
            content = {"data": data, "metadata": {}, "transient": {}}
            self._ports.publish("display_data", content, header)
        self._ports.publish("error", error, header)
        # nbclient and programs based on it show the reply, not the output.
        whole = self._words["traceback"] if in_full else line
        reply: Message = {"status": "error", "user_expressions": {}, "payload": []}
        reply.update(
            error, traceback=whole, execution_count=count
        )  # jupyter_console fails without the number
        answered = self._ports.reply("execute_reply", reply, header, ident)
        self._ports.publish("status", {"execution_state": "idle"}, header)
        self.told = self.told or answered or self._ports.subscribers > 0


def main() -> None:
    text = sys.stdin.buffer.read()
    if not text:
        return
    words = json.loads(text)
    ports = Ports(json.loads(Path(words["connection_file"]).read_text()))
    mourner = Mourner(ports, words)
    ports.wait_for_subscribers(FIRST_SUBSCRIBER if words["requests"] else NEXT_REQUEST)
    mourner.tell_waiting()
    if mourner.told:
        sys.stdout.write("told\n")
        sys.stdout.flush()
    mourner.answer_others()
    ports.close()
    if mourner.told and not words["requests"]:
        sys.stdout.write("told\n")


if __name__ == "__main__":
    main()
