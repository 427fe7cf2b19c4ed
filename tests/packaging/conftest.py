"""Fixtures of the packaging tests: the built wheel, and clean environments that have it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from rig.environments import UV, Installed, run
from rig.kernels import ROOT


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, built through the sdist as a package index would get it."""
    out = tmp_path_factory.mktemp("dist")
    run([*UV, "build", "--quiet", "--out-dir", str(out), str(ROOT)])
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def make_environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Installed]:
    """Return the function that makes a clean environment with the wheel and these requirements.

    With ``alone=True`` what the wheel depends on is left out.
    """
    return lambda *requirements, alone=False: Installed(
        tmp_path_factory.mktemp("clean"), wheel, *requirements, alone=alone
    )
