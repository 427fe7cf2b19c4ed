"""Kernels of other ipykernel versions and of other Pythons.

For another ipykernel it is the same environment with one package laid over it: a folder that holds nothing
but that version and comes first on PYTHONPATH. Another Python gets an environment of its own with what
tooldeck needs. Each is installed once, into .cache/kernels, by whoever needs it first.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
OVERLAYS = ROOT / ".cache" / "kernels"
DOWNLOADED = ROOT / ".cache" / "pythons"
UV = [sys.executable, "-m", "uv"]

OLD = "6.29.5"
"""The oldest line we promise to work with."""

VERSIONS = (OLD, "6.30.1", "7.1.0")
"""Versions tested beside the installed one: the floor, the last of the 6 line that matters, an early 7."""

PYTHONS = tuple(one for one in ("3.13", "3.14") if one != f"{sys.version_info[0]}.{sys.version_info[1]}")
"""Pythons tested beside the one that runs the tests."""

ALL = os.environ.get("TOOLDECK_KERNELS") == "all"
"""Whether every test runs with every kernel, and a Python that this machine lacks may be fetched for it."""


class UnavailableError(Exception):
    """A kernel cannot be had here; the message says why, and what would help."""


def program(version: str | None) -> tuple[str, list[Path]]:
    """Return the Python of a kernel and what must come first on its path.

    ``version`` is that of an ipykernel, one of `PYTHONS`, or None for what runs the tests.
    """
    if version is None:
        return sys.executable, []
    if version in PYTHONS:
        return str(python(version)), []
    return sys.executable, [overlay(version)]


def overlay(version: str) -> Path:
    """Return the folder with ipykernel ``version``, installing it when it is not there.

    Raises UnavailableError when it cannot be installed, as `package` and `python` do.
    """
    return package("ipykernel", version)


def package(name: str, version: str) -> Path:
    """Return a folder with nothing but one package, installing it when it is not there."""
    uv = [*UV, "pip", "install", "--quiet", "--python", sys.executable, "--no-deps"]
    return _made(
        OVERLAYS / f"{name}-{version}",
        lambda draft: [[*uv, "--target", str(draft), f"{name}=={version}"]],
        f"{name} {version}",
    )


def python(version: str) -> Path:
    """Return the Python of an environment with what tooldeck needs, making it when it is not there."""
    found = interpreter(version)
    if found is None:
        raise UnavailableError(
            f"no Python {version} on this machine: put python{version} on the PATH, or install it by "
            f"`uv python install {version}`"
        )
    needed = ROOT / "pyproject.toml"
    dependencies = tomllib.loads(needed.read_text())["project"]["dependencies"]
    key = hashlib.sha256(json.dumps([str(found), dependencies]).encode()).hexdigest()[:8]
    folder = _made(
        OVERLAYS / f"python-{version}-{key}",
        lambda draft: [
            [*UV, "venv", "--quiet", "--clear", "--python", str(found), str(draft)],
            [*UV, "pip", "install", "--quiet", "--python", str(draft / "bin/python"), "-r", str(needed)],
        ],
        f"an environment of Python {version}",
    )
    return folder / "bin" / "python"


@cache
def interpreter(version: str) -> Path | None:
    """Return a Python of this version that runs here, or None."""
    found = next((one for one in _candidates(version) if _runs(one)), None)
    if found is None and ALL:
        install = [*UV, "python", "install", "--quiet", "--no-bin", "--install-dir", str(DOWNLOADED), version]
        subprocess.run(install, capture_output=True, timeout=300, check=False)
        found = next((one for one in _candidates(version) if _runs(one)), None)
    return found


def _candidates(version: str) -> list[Path]:
    name = f"python{version}"
    on_path = shutil.which(name)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    managed = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or Path.home() / ".local/share/uv/python")
    return [
        *([Path(on_path)] if on_path else []),
        *pyenv.glob(f"{version}.*/bin/{name}"),
        *(one for folder in (managed, DOWNLOADED) for one in folder.glob(f"cpython-{version}.*/bin/{name}")),
    ]


def _runs(program: Path) -> bool:
    """Whether it is a Python and no stand-in that only says how to install one."""
    try:
        done = subprocess.run([program, "-c", ""], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _made(target: Path, commands: Callable[[Path], list[list[str]]], what: str) -> Path:
    """Return a folder that commands fill, running them when it is not there."""
    if target.is_dir():
        return target
    OVERLAYS.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=OVERLAYS))
    try:
        for command in commands(draft):
            subprocess.run(command, check=True, timeout=120)
    except subprocess.SubprocessError as error:
        shutil.rmtree(draft)
        raise UnavailableError(f"{what} could not be installed into .cache/kernels: {error}") from error
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
