"""A real jupyter_server and the browser's part of the conversation: JSON lines in and out.

Kernels are started, restarted and shut down by its REST interface, cells run through its websocket.
"""

import asyncio
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Conversation:
    """Answers are plain values; those about a cell are lists of messages."""

    def __init__(self, port, base="", token=""):
        self.address = f"127.0.0.1:{port}{base}"
        self.headers = {"Authorization": f"token {token}"} if token else {}

    def until(self, look, patience=90):
        end = time.monotonic() + patience
        while time.monotonic() < end:
            try:
                return look()
            except (OSError, urllib.error.URLError):
                time.sleep(0.1)
        raise TimeoutError("the server does not answer")

    def rest(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        url = f"http://{self.address}{path}"
        request = urllib.request.Request(url, data, self.headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def start(self, kernel):
        self.kernel = self.rest("POST", "/api/kernels", {"name": kernel})["id"]
        return self.run("x = 1")

    def restart(self):
        self.rest("POST", f"/api/kernels/{self.kernel}/restart")

    def shutdown(self):
        self.rest("DELETE", f"/api/kernels/{self.kernel}")

    def run(self, code, patience=50):
        return asyncio.run(self._run(code, patience))

    async def _run(self, code, patience):
        session = uuid.uuid4().hex
        url = f"ws://{self.address}/api/kernels/{self.kernel}/channels?session_id={session}"
        channel = await websocket_connect(HTTPRequest(url, headers=self.headers))
        header = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "session": session}
        header.update(username="", version="5.3", date="2026-01-01T00:00:00Z")
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}}
        content.update(allow_stdin=False, stop_on_error=True)
        parts = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        await channel.write_message(json.dumps({**parts, "channel": "shell", "buffers": []}))
        seen = []
        end = time.monotonic() + patience
        replied = idle = False
        while time.monotonic() < end and not (replied and idle):
            message = json.loads(await asyncio.wait_for(channel.read_message(), patience))
            if message["parent_header"].get("msg_id") != header["msg_id"]:
                continue
            kind = message["header"]["msg_type"]
            replied = replied or kind == "execute_reply"
            idle = idle or message["content"].get("execution_state") == "idle"
            seen.append({"kind": kind, **message["content"]})
        channel.close()
        return {"outputs": seen}


class Server(Conversation):
    """Without a password, for the time of a test."""

    def __init__(self, folder):
        port = free_port()
        super().__init__(port)
        options = [f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--no-browser"]
        options += ["--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"]
        options += [f"--ServerApp.root_dir={folder}", "--allow-root"]
        self.process = subprocess.Popen([sys.executable, "-m", "jupyter_server", *options])
        self.until(lambda: self.rest("GET", "/api/status"))

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def serve(server):
    """Executes what it reads from stdin, until that ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        answer = getattr(server, asked.pop("do"))(**asked)
        print(json.dumps(answer), flush=True)
    server.stop()


if __name__ == "__main__":
    serve(Server(Path.cwd()))
