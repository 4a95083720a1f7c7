"""A real JupyterHub with one user's server behind its proxy, and the browser's part: JSON lines."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from server import Conversation, free_port, serve

TOKEN = "not-a-secret-in-a-test"

# Only what a hub needs; the one line for Holdfast is in the image: its kernelspec.
CONFIGURATION = """
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port = {hub}
c.JupyterHub.db_url = "sqlite:///{folder}/hub.sqlite"
c.JupyterHub.cookie_secret_file = "{folder}/cookie"
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api}"
c.ConfigurableHTTPProxy.pid_file = "{folder}/proxy.pid"
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allowed_users = {{"ada"}}
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = "{folder}/homes/{{username}}"
c.Spawner.cmd = [{python!r}, "-m", "jupyterhub.singleuser"]
c.Spawner.args = ["--allow-root"]
c.Spawner.environment = {environment!r}
c.Spawner.start_timeout = c.Spawner.http_timeout = 120
c.JupyterHub.services = [{{"name": "test", "api_token": {token!r}}}]
c.JupyterHub.load_roles = [
    {{"name": "test", "scopes": ["admin:users", "admin:servers", "access:servers"],
      "services": ["test"]}}
]
"""


class Hub(Conversation):
    """The user's server, through hub and proxy."""

    def __init__(self, folder, image, proxy):
        port = free_port()
        super().__init__(port, "/user/ada", TOKEN)
        names = ("HOLDFAST_HOME", "HOLDFAST_GUARD", "HOLDFAST_BIN", "IPYTHONDIR")
        configuration = CONFIGURATION.format(
            port=port,
            hub=free_port(),
            api=free_port(),
            folder=folder,
            proxy=proxy,
            python=f"{image}/bin/python",
            environment={name: os.environ[name] for name in names if name in os.environ},
            token=TOKEN,
        )
        (folder / "jupyterhub_config.py").write_text(configuration)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", "-f", str(folder / "jupyterhub_config.py")],
            stdout=sys.stderr,
        )
        try:
            self._start_server(Conversation(port, "/hub/api", TOKEN))
        except BaseException:
            self.stop()
            raise

    def _start_server(self, hub):
        self.until(lambda: hub.rest("GET", "/"))
        hub.rest("POST", "/users/ada/server")
        self.until(lambda: self.rest("GET", "/api/status"))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)  # it ends proxy and servers, too
        self.process.wait(60)


if __name__ == "__main__":
    serve(Hub(Path.cwd(), os.environ["IMAGE"], os.environ["PROXY"]))
