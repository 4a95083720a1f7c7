"""Runs cells as a notebook with nbclient: JSON on stdin and stdout."""

import json
import sys

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

asked = json.load(sys.stdin)
cells = [nbformat.v4.new_code_cell(cell) for cell in asked["cells"]]
notebook = nbformat.v4.new_notebook(cells=cells)
client = NotebookClient(notebook, kernel_name=asked["kernel"], allow_errors=asked["allow_errors"])
if asked.get("transport"):
    client.create_kernel_manager()
    client.km.transport = asked["transport"]
raised = ""
try:
    client.execute()
except (CellExecutionError, DeadKernelError) as error:
    raised = type(error).__name__
json.dump({"raised": raised, "cells": [cell.outputs for cell in notebook.cells]}, sys.stdout)
