"""The figures of a live run for the status bar and the side panel, from its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast._numbers import MANY_WORTHLESS_STEPS
from holdfast.live import of_evidence, taken
from holdfast.server.silent_trouble import told_of

if TYPE_CHECKING:
    Json = dict[str, Any]


def status_of(run: str, evidence: Json, directory: str | None = None) -> Json:
    """A small object: what could not be seen is null, not zero. `directory` holds the record."""
    live = of_evidence(run, evidence)
    memory: Json = evidence.get("memory") or {}
    return {
        "watched": True,
        "run": run,
        "memory_bytes": live.memory_bytes,
        "limit_bytes": live.limit_bytes,
        "limit_name": live.limit_name,
        "peak_bytes": live.peak_bytes,
        "process_bytes": live.process_bytes,
        "steps": live.steps,
        "epoch": live.epoch,
        "guard": live.guard,
        "trouble": _trouble(evidence) or told_of(directory),
        "gpus": [
            {"name": gpu.name, "used_bytes": gpu.used_bytes, "total_bytes": gpu.total_bytes}
            for gpu in live.gpus
        ],
        "curve": [_point(point) for point in memory.get("curve") or []],
        "top_sites": [_site(site) for site in memory.get("top_sites") or []],
    }


def _trouble(evidence: Json) -> str | None:
    """One sentence about steps that train nothing."""
    main = evidence.get("main_pid")
    own = [agent for agent in evidence.get("agents") or [] if agent.get("pid") == main]
    steps: Json = own[0].get("steps") or {} if own else {}
    first = steps.get("first_nonfinite")
    # None of the last losses was finite, or last_finite_loss would be there.
    if first is None or steps.get("last_finite_loss") is not None:
        return None
    if steps.get("count", 0) - first < MANY_WORTHLESS_STEPS:
        return None
    return f"The loss is not a number any more, at step {first} for the first time."


def _point(point: Json) -> Json:
    return {
        "seconds": point.get("time", 0) / 1e9,
        "used_bytes": taken(point),
        "limit_bytes": point.get("limit_bytes"),
    }


def _site(site: Json) -> Json:
    return {
        "file": site.get("file", ""),
        "line": site.get("line"),
        "live_bytes": site.get("live_bytes"),
        "growth_per_step_bytes": site.get("growth_per_step_bytes"),
    }
