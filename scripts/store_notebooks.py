"""Run the notebooks headless and store what they show, as readers and nbval will see it.

Usage: python scripts/store_notebooks.py NOTEBOOK …

A notebook whose cell raises is left as it was, and the command ends with 1.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

SECONDS_PER_CELL = 120


def store(path: Path) -> None:
    """Run one notebook and write it back without what differs from machine to machine."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:  # or the calls of earlier runs would be in its log
        NotebookClient(
            notebook,
            timeout=SECONDS_PER_CELL,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
        ).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    nbformat.write(notebook, path)


def main(paths: list[str]) -> int:
    """Store all; tell which could not be."""
    failed = 0
    for path in map(Path, paths):
        try:
            store(path)
        except CellExecutionError as error:
            print(f"{path} is left as it was: {error.ename}: {error.evalue}")
            failed = 1
        else:
            print(f"stored {path}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
