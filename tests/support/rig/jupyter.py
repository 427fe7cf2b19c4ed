"""A Jupyter server of our own on loopback: own home, own settings, gone without a trace at the end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import httpx
import psutil

from rig import kernels
from rig.processes import end_tree, free_port
from rig.waiting import eventually

FrontEnd = Literal["lab", "notebook"]
Comms = Literal["perCommTarget", "perComm", "disabled"]

QUIET = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
}
"""Settings of every test server: no news, no question about news, no saving behind a test's back."""


class JupyterServer:
    """One running JupyterLab or Notebook 7; ``root`` is the folder that it shows."""

    token = "rig"

    def __init__(self, folder: Path, front_end: FrontEnd = "lab", versions: tuple[str, ...] = ()) -> None:
        """Start the server below ``folder``, with kernels of these other ipykernel ``versions``."""
        self.front_end: FrontEnd = front_end
        self.root = folder / "work"
        self.config = folder / "config"
        self.log = folder / "server.log"
        data = folder / "data"
        for path in (self.root, self.config / "labconfig", data):
            path.mkdir(parents=True, exist_ok=True)
        self._write(self.config / "labconfig" / "default_setting_overrides.json", QUIET)
        for version in (None, *versions):
            kernels.write_kernelspec(data, version)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                self._command(), cwd=self.root, env=self._environment(folder, data), stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        self.http = httpx.Client(
            base_url=self.url, headers={"Authorization": f"token {self.token}"}, trust_env=False, timeout=10
        )
        try:
            eventually(self._answers, 60, every=0.2, message=self._tail)
        except BaseException:
            self.close()
            raise

    def _command(self) -> list[str]:
        application = "LabApp" if self.front_end == "lab" else "JupyterNotebookApp"
        return [
            sys.executable, "-m", "jupyterlab" if self.front_end == "lab" else "notebook",
            "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={self.port}",
            "--ServerApp.port_retries=0", f"--IdentityProvider.token={self.token}",
            f"--ServerApp.root_dir={self.root}", f"--{application}.expose_app_in_browser=True",
            "--LabApp.extension_manager=readonly", "--ServerApp.use_redirect_file=False",
        ]  # fmt: skip

    def _environment(self, folder: Path, data: Path) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("JPY_", "JUPYTER", "PYTEST_"))}
        return kept | {
            "HOME": str(folder),
            "IPYTHONDIR": str(folder / "ipython"),
            "JUPYTER_CONFIG_DIR": str(self.config),
            "JUPYTER_DATA_DIR": str(data),
            "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        }

    def _answers(self) -> bool:
        if self.process.poll() is not None:
            raise RuntimeError(f"the server ended with code {self.process.returncode}: {self._tail()}")
        try:
            return self.http.get("/api/status").status_code == 200
        except httpx.TransportError:
            return False

    def _tail(self) -> str:
        return self.log.read_text(errors="replace")[-2000:]

    @staticmethod
    def _write(path: Path, content: object) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=1))

    def configure(self, plugin: str, **settings: object) -> None:
        """Write a person's settings of one plug-in; a page that is loaded afterwards has them."""
        scope, name = plugin.split(":")
        self._write(self.config / "lab" / "user-settings" / scope / f"{name}.jupyterlab-settings", settings)

    def comms_over_subshells(self, mode: Comms) -> None:
        """Choose how JupyterLab sends comm messages, for pages loaded afterwards."""
        self.configure("@jupyterlab/apputils-extension:kernels-settings", commsOverSubshells=mode)

    def write_notebook(self, name: str, cells: list[str], kernel: str = "python3") -> Path:
        """Write a notebook of code cells (markdown where a cell begins with ``#md``) and return its path."""
        path = self.root / name
        self._write(path, {
            "cells": [_cell(source, number) for number, source in enumerate(cells)],
            "metadata": {"kernelspec": {"name": kernel, "display_name": kernel, "language": "python"}},
            "nbformat": 4, "nbformat_minor": 5,
        })  # fmt: skip
        return path

    def sessions(self) -> list[dict[str, Any]]:
        """Return the sessions that the server has: which notebook has which kernel."""
        return self.http.get("/api/sessions").json()

    def kernel_process(self, notebook: str) -> psutil.Process:
        """Return the process of a notebook's kernel, found by its connection file."""
        kernel_id = next(s["kernel"]["id"] for s in self.sessions() if s["path"] == notebook)
        for child in psutil.Process(self.process.pid).children(recursive=True):
            if any(kernel_id in word for word in child.cmdline()):
                return child
        raise LookupError(f"no process has the kernel {kernel_id} of {notebook!r}")

    def end_sessions(self) -> None:
        """End every session and its kernel, so that the next test starts with none."""
        for session in self.sessions():
            self.http.delete(f"/api/sessions/{session['id']}")

    def close(self) -> None:
        """End the server and everything that it started."""
        self.http.close()
        end_tree(self.process)


def _cell(source: str, number: int) -> dict[str, Any]:
    common = {"id": f"cell-{number}", "metadata": {}}
    if source.startswith("#md"):
        return common | {"cell_type": "markdown", "source": source[3:].lstrip()}
    return common | {"cell_type": "code", "source": source, "outputs": [], "execution_count": None}
