"""The evidence of a run in the form that is kept: small, without this machine's paths and names."""

import json
import re
import socket
from pathlib import Path

from kit.pythons import prefixes
from kit.scenario import ZOO, Scenario

# The first lines that ask for memory decide; the rest do not matter.
_MOST_SITES = 24
_MOST_NEIGHBOURS = 4
# A session's control group is named by whoever started it, often at random.
_SESSION = "/session/job"


def _without_empty(value):
    """Absent and null are the same to the reader."""
    if isinstance(value, dict):
        kept = {key: _without_empty(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in (None, [], {}, "")}
    if isinstance(value, list):
        return [_without_empty(item) for item in value]
    return value


def _neighbours(evidence: dict) -> list[dict]:
    """Keeps other processes of the machine only if they shared the limit."""
    kept = []
    for other in evidence.get("neighbours", [])[:_MOST_NEIGHBOURS]:
        if not other["same_cgroup"]:
            other = other | {"name": "other", "command": "other"}
        kept.append(other)
    return kept


def _own_groups() -> list[tuple[str, str]]:
    """The control groups that the zoo itself runs in, innermost first, and the names they get."""
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    own = {line.split(":", 2)[2] for line in lines} - {"/"}
    named = []
    for path in sorted(own, key=len, reverse=True):
        named.append((path, _SESSION))
        outer = list(Path(path).parents)[:-1]
        named += [(str(folder), str(Path(_SESSION).parent)) for folder in outer]
    return named


def anonymous(evidence: dict, scenario: Scenario, scratch: Path, python: str) -> str:
    """The evidence as one line of JSON."""
    evidence["run"] |= {"id": scenario.checksum, "host": "machine"}
    evidence["neighbours"] = _neighbours(evidence)
    for agent in evidence.get("agents", []):
        agent["sites"] = agent.get("sites", [])[:_MOST_SITES]
    text = json.dumps(_without_empty(evidence), separators=(",", ":"), ensure_ascii=False)
    for folder, name in [
        (str(scratch), "/scratch"),
        (str(ZOO), "/zoo"),
        (str(ZOO.parent), "/holdfast"),
        *_own_groups(),
        *((prefix, "/python") for prefix in prefixes(python)),
    ]:
        text = text.replace(folder, name)
    text = re.sub(r'/[^" ]*/(holdfast run )', r"\1", text)
    # Paths where interpreters were compiled, from their debug information.
    text = re.sub(r"/[^\"]*?/(Python-3[^\"/]*/)", r"/build/\1", text)
    # TensorFlow's copies of functions that it compiles.
    text = re.sub(r"/[^\" ]*/(__autograph_generated_file)\w+", r"/scratch/\1", text)
    text = re.sub(r"holdfast-test-[0-9a-f]+", "holdfast-zoo", text)
    host = re.escape(socket.gethostname())
    text = text.replace(f'"{socket.gethostname()}"', '"machine"')
    # In the command lines of launchers' daemons, and before srun's lines.
    text = re.sub(rf"(?<![\w-]){host}(?=[:,@])|(?<=prterun-){host}(?=-)", "machine", text)
    text = re.sub(r"(tcp6?://)[\w.:,\[\]]+", r"\1address", text)
    return text + "\n"


def checksum_of(evidence_text: str) -> str:
    """The checksum of the program from which the recording was made."""
    return json.loads(evidence_text)["run"]["id"]


def without_packages(text: str) -> str:
    """Replaces another machine's interpreter and package folders, whose names are unknown here."""
    text = re.sub(r'"[^" ]*?/bin/(python3?(?:\.\d+)?)(?=[" ])', r'"/python/bin/\1', text)
    return re.sub(r'"[^"]*?(/lib/python3[^"]*)"', r'"/python\1"', text)
