"""Kernels of other ipykernel versions: the same environment with one package laid over it.

The overlay is a folder that holds nothing but that version of ipykernel and comes first on PYTHONPATH.
It is installed once, into .cache/kernels, by whoever needs it first.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
OVERLAYS = ROOT / ".cache" / "kernels"

OLD = "6.29.5"
"""The oldest line we promise to work with."""

VERSIONS = (OLD, "6.30.1", "7.1.0")
"""Versions tested beside the installed one: the floor, the last of the 6 line that matters, an early 7."""


def overlay(version: str) -> Path:
    """Return the folder with ipykernel ``version``, installing it when it is not there."""
    return package("ipykernel", version)


def package(name: str, version: str) -> Path:
    """Return a folder with nothing but one package, installing it when it is not there."""
    target = OVERLAYS / f"{name}-{version}"
    if target.is_dir():
        return target
    OVERLAYS.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=OVERLAYS))
    uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", sys.executable]
    subprocess.run([*uv, "--no-deps", "--target", str(draft), f"{name}=={version}"], check=True, timeout=120)
    try:
        draft.rename(target)
    except OSError:  # another worker was first
        shutil.rmtree(draft)
    return target


def environment(version: str | None) -> dict[str, str]:
    """Return the variables a kernel process needs for ipykernel ``version`` (None: the installed one)."""
    if version is None:
        return {}
    inherited = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join([str(overlay(version)), *([inherited] if inherited else [])])}


def kernel_name(version: str | None) -> str:
    """Return the name under which ``write_kernelspec`` files a version."""
    return "python3" if version is None else f"ipykernel-{version}"


def kernel_json(version: str | None) -> dict[str, object]:
    """Return the content of kernel.json for this environment's Python with ipykernel ``version``."""
    return {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": f"Python (ipykernel {version or 'installed'})",
        "language": "python",
        "metadata": {"debugger": False},
        "env": environment(version),
    }


def write_kernelspec(data_dir: Path, version: str | None) -> str:
    """Write the kernelspec below a Jupyter data folder and return its name."""
    name = kernel_name(version)
    folder = data_dir / "kernels" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernel.json").write_text(json.dumps(kernel_json(version), indent=1))
    return name
