"""Raises an exception, in its own code or below it in the standard library."""

import json
import sys


def read_settings(text):
    return json.loads(text)  # the standard library raises below this line


def train():
    raise ValueError("loss is not what it was")  # this line raises


if sys.argv[1] == "own":
    train()
else:
    read_settings("{")
