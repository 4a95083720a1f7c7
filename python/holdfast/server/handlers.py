"""GET holdfast/status, notebooks, runs, why and check: thin, authenticated, read only.

Each asks the program in a thread, so that a slow disk never holds up the server's loop.
"""

from __future__ import annotations

import asyncio
import json
import re
from datetime import datetime, timezone
from typing import Any

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import ensure_async, url_path_join
from tornado import web

from holdfast._command import HoldfastError, NoSuchRun, ask, text_of
from holdfast.server.kernel_python import directory_of, python_of
from holdfast.server.kernel_runs import Kernel, LiveRuns, is_death, last_death, notebook_of
from holdfast.server.notebooks import rows_of
from holdfast.server.shared_answers import SharedAnswers
from holdfast.server.status import status_of

# Keeps a path or an option of the program out of its arguments, too.
RUN_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9-]{1,32}")
KERNEL_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,127}")

UNWATCHED = {"watched": False, "ended": False}
# Between a death and the next kernel.
ENDED = {"watched": False, "ended": True}


def list_runs() -> list[dict[str, Any]]:
    """As ``holdfast runs`` prints."""
    rows: list[dict[str, Any]] = ask("runs", "--json")["runs"]
    return rows


class HoldfastHandler(APIHandler):
    """The common part of all handlers."""

    # Who may read kernels may read their figures; see "Authorization" of Jupyter Server.
    auth_resource = "kernels"

    def initialize(self, live_runs: LiveRuns, answers: SharedAnswers) -> None:
        self.live_runs = live_runs
        self.answers = answers

    def kernel(self) -> Kernel | None:
        """The kernel that the request names, if the server knows it."""
        kernel_id = self.get_query_argument("kernel", None)
        if kernel_id is None:
            return None
        if not KERNEL_ID.fullmatch(kernel_id):
            raise web.HTTPError(400, "kernel: not the id of a kernel")
        if kernel_id not in self.kernel_manager:
            return Kernel(kernel_id)
        manager = self.kernel_manager.get_kernel(kernel_id)
        provisioner = getattr(manager, "provisioner", None)
        return Kernel(
            kernel_id, getattr(provisioner, "pid", None), str(manager.connection_file or "")
        )

    def run_id(self) -> str | None:
        """The run that the request names."""
        run: str | None = self.get_query_argument("run", None)
        if run is not None and not RUN_ID.fullmatch(run):
            raise web.HTTPError(400, "run: not the id of a run")
        return run

    async def answer(self, function: Any, *arguments: Any) -> None:
        """Sends the function's result, or its error."""
        try:
            found = await asyncio.to_thread(function, *arguments)
        except NoSuchRun as error:
            raise web.HTTPError(404, str(error)) from error
        except HoldfastError as error:
            raise web.HTTPError(503, str(error)) from error
        self.set_header("Content-Type", "application/json")
        self.set_header("Cache-Control", "no-store")
        self.finish(json.dumps(found))


class StatusHandler(HoldfastHandler):
    """The current state of a kernel."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        kernel = self.kernel()
        if kernel is None:
            raise web.HTTPError(400, "say which kernel: holdfast/status?kernel=ID")
        await self.answer(self._status, kernel)

    def _status(self, kernel: Kernel) -> dict[str, Any]:
        found = self.live_runs.of(kernel)
        run = found.run
        if run is None:
            return ENDED if found.ended else UNWATCHED
        try:
            evidence = self.answers.get(run, lambda: ask("why", "--evidence", run))
        except NoSuchRun:
            self.live_runs.forget(kernel)
            return UNWATCHED
        if not evidence.get("command_alive", True):
            self.live_runs.forget(kernel)
            return ENDED
        return status_of(run, evidence, found.directory)


class NotebooksHandler(HoldfastHandler):
    """What each notebook's kernel holds."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        sessions = await ensure_async(self.settings["session_manager"].list_sessions())
        pids = {session["kernel"]["id"]: self._pid(session["kernel"]["id"]) for session in sessions}
        await self.answer(self._rows, sessions, pids)

    def _pid(self, kernel_id: str) -> int | None:
        if kernel_id not in self.kernel_manager:
            return None
        provisioner = getattr(self.kernel_manager.get_kernel(kernel_id), "provisioner", None)
        return getattr(provisioner, "pid", None)

    def _rows(self, sessions: Any, pids: dict[str, int | None]) -> dict[str, Any]:
        return {"notebooks": rows_of(sessions, pids, datetime.now(timezone.utc))}


class RunsHandler(HoldfastHandler):
    """The recorded runs, newest first."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        sessions = await ensure_async(self.settings["session_manager"].list_sessions())
        await self.answer(self._runs, sessions)

    def _runs(self, sessions: list[dict[str, Any]]) -> dict[str, Any]:
        rows = list_runs()
        return {
            "runs": [
                {**row, "death": is_death(row), "notebook": notebook_of(row, sessions)}
                for row in rows
            ]
        }


class WhyHandler(HoldfastHandler):
    """The verdict of a run, or of the last bad end of a kernel."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        kernel, run = self.kernel(), self.run_id()
        if (kernel is None) == (run is None):
            raise web.HTTPError(400, "say which: holdfast/why?run=ID or holdfast/why?kernel=ID")
        await self.answer(self._why, kernel, run)

    def _why(self, kernel: Kernel | None, run: str | None) -> dict[str, Any]:
        if run is None and kernel is not None:
            run = last_death(kernel, list_runs())
        if run is None:
            raise NoSuchRun("no death of this kernel is recorded")
        verdict: dict[str, Any] = ask("why", "--json", run)
        return {**verdict, "headline": text_of("why", "--brief", run).strip()}


class CheckHandler(HoldfastHandler):
    """What will hurt a training here; for a kernel, with its Python and in its folder."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        kernel = self.kernel()
        argv, original = self._started_by(kernel)
        pid = kernel.pid if kernel is not None else None
        await self.answer(self._check, python_of(argv, original), pid)

    def _started_by(self, kernel: Kernel | None) -> tuple[list[str], dict[str, Any]]:
        if kernel is None or kernel.id not in self.kernel_manager:
            return [], {}
        spec = self.kernel_manager.get_kernel(kernel.id).kernel_spec
        return list(spec.argv), dict(spec.metadata.get("holdfast") or {})

    def _check(self, python: str, pid: int | None) -> Any:
        def check() -> Any:
            arguments = ("check", "--json", "--python", python)
            return ask(*arguments, allowed=(0, 1), cwd=directory_of(pid))

        return self.answers.get(f"check {python} {pid}", check)


def add_to(web_app: Any) -> None:
    """Puts them below the server's base URL."""
    shared = {"live_runs": LiveRuns(list_runs), "answers": SharedAnswers()}
    base = url_path_join(web_app.settings["base_url"], "holdfast")
    web_app.add_handlers(
        ".*$",
        [
            (url_path_join(base, "status"), StatusHandler, shared),
            (url_path_join(base, "notebooks"), NotebooksHandler, shared),
            (url_path_join(base, "runs"), RunsHandler, shared),
            (url_path_join(base, "why"), WhyHandler, shared),
            (url_path_join(base, "check"), CheckHandler, shared),
        ],
    )
