"""The contract of a verdict's JSON form, as a checker that names the field that broke it."""

import re
from datetime import datetime

OUTCOMES = {"finished", "died", "stuck", "running"}
CONFIDENCES = {"certain", "likely", "unknown"}
ROLE = re.compile(r"main|worker|rank \d+")
SIGNAL = re.compile(r"SIG[A-Z0-9+-]+|signal \d+")
FIELDS = {
    "run",
    "outcome",
    "exit",
    "process",
    "end",
    "root",
    "contributing",
    "python_stack",
    "native_stack",
    "memory",
    "missing",
}


def check_verdict(verdict: dict) -> None:
    assert verdict["schema"] == 1
    assert verdict.keys() >= FIELDS, f"fields missing: {FIELDS - verdict.keys()}"
    _check_run(verdict["run"])
    assert verdict["outcome"] in OUTCOMES
    _check_exit(verdict["exit"])
    process = verdict["process"]
    assert isinstance(process["pid"], int)
    assert isinstance(process["command"], str)
    assert ROLE.fullmatch(process["role"]), process["role"]
    check_finding(verdict["end"])
    check_finding(verdict["root"])
    for finding in verdict["contributing"]:
        check_finding(finding)
    for stack in verdict["python_stack"]:
        assert isinstance(stack["thread"], str)
        for frame in stack["frames"]:
            _check_place(frame)
    for frame in verdict["native_stack"]:
        assert isinstance(frame["library"], str)
        assert isinstance(frame["symbol"], str)
        assert isinstance(frame["offset"], int)
    _check_memory(verdict["memory"])
    assert all(isinstance(line, str) and line for line in verdict["missing"])
    if verdict["outcome"] == "finished":
        assert verdict["end"] == verdict["root"]
        # A kernel that was shut down on request ended well, too.
        assert verdict["end"]["slug"] in ("clean-exit", "shut-down")


def check_finding(finding: dict) -> None:
    assert re.fullmatch(r"HF\d{3}", finding["code"])
    assert re.fullmatch(r"[a-z][a-z-]+", finding["slug"])
    assert finding["confidence"] in CONFIDENCES
    assert isinstance(finding["summary"], str)
    assert finding["summary"]
    if finding.get("where") is not None:
        _check_place(finding["where"])
    for piece in finding["evidence"]:
        assert piece["source"]
        assert piece["text"]
    for fix in finding["fixes"]:
        assert fix["text"]
        assert isinstance(fix.get("code", ""), str | None)


def _check_run(run: dict) -> None:
    assert isinstance(run["id"], str)
    assert run["id"]
    assert all(isinstance(word, str) for word in run["command"])
    datetime.fromisoformat(run["started"].replace("Z", "+00:00"))
    if run["ended"] is not None:
        datetime.fromisoformat(run["ended"].replace("Z", "+00:00"))
    assert isinstance(run["host"], str)


def _check_exit(status: dict) -> None:
    assert status["code"] is None or 0 <= status["code"] <= 255
    assert status["signal"] is None or SIGNAL.fullmatch(status["signal"]), status["signal"]
    assert status["code"] is None or status["signal"] is None


def _check_place(place: dict) -> None:
    assert isinstance(place["file"], str)
    assert place["file"]
    assert place["line"] is None or place["line"] > 0
    assert isinstance(place["function"], str | None)
    assert isinstance(place.get("text", ""), str | None)


def _check_memory(memory: dict) -> None:
    for name in ("peak_bytes", "limit_bytes"):
        assert memory[name] is None or memory[name] >= 0
    for site in memory["top_sites"]:
        assert site["file"]
        assert site["line"] > 0
        assert site["live_bytes"] >= 0
