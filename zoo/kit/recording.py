"""Evidence of a run as it is kept: without this machine's paths and names, and small."""

import json
import re
import socket
from pathlib import Path

from kit.pythons import prefixes
from kit.scenario import ZOO, Scenario

# Of the places that ask for memory the first ones decide; the rest are crumbs.
_MOST_SITES = 24
_MOST_NEIGHBOURS = 4


def _without_empty(value):
    """Absent and null are the same to the reader."""
    if isinstance(value, dict):
        kept = {key: _without_empty(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in (None, [], {}, "")}
    if isinstance(value, list):
        return [_without_empty(item) for item in value]
    return value


def _neighbours(evidence: dict) -> list[dict]:
    """What else runs on the machine is nobody's business but where it shared the limit."""
    kept = []
    for other in evidence.get("neighbours", [])[:_MOST_NEIGHBOURS]:
        if not other["same_cgroup"]:
            other = other | {"name": "other", "command": "other"}
        kept.append(other)
    return kept


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
        *((prefix, "/python") for prefix in prefixes(python)),
    ]:
        text = text.replace(folder, name)
    # Where interpreters were compiled, as their debug information tells.
    text = re.sub(r"/[^\"]*?/(Python-3[^\"/]*/)", r"/build/\1", text)
    # TensorFlow's copies of the functions that it compiles.
    text = re.sub(r"/[^\" ]*/(__autograph_generated_file)\w+", r"/scratch/\1", text)
    text = re.sub(r"holdfast-test-[0-9a-f]+", "holdfast-zoo", text)
    text = text.replace(f'"{socket.gethostname()}"', '"machine"')
    return text + "\n"


def checksum_of(evidence_text: str) -> str:
    """Of the program the recording was made from."""
    return json.loads(evidence_text)["run"]["id"]


def without_packages(text: str) -> str:
    """Another machine's interpreter and folder of packages, which are not known here by name."""
    text = re.sub(r'"[^" ]*?/bin/(python3?(?:\.\d+)?)(?=[" ])', r'"/python/bin/\1', text)
    return re.sub(r'"[^"]*?(/lib/python3[^"]*)"', r'"/python\1"', text)
