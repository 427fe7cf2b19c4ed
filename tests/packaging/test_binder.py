"""The binder/ folder describes an environment in which the project installs."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from rig.kernels import ROOT

BINDER = ROOT / "binder"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def lines(name: str) -> list[str]:
    text = (BINDER / name).read_text().splitlines()
    return [line.split("#")[0].strip() for line in text if line.split("#")[0].strip()]


def test_the_python_of_the_image_is_one_that_the_project_supports() -> None:
    (runtime,) = lines("runtime.txt")
    version = re.fullmatch(r"python-(3\.\d+)", runtime)
    assert version, runtime
    assert version[1] in SpecifierSet(PROJECT["requires-python"])
    assert f"Programming Language :: Python :: {version[1]}" in PROJECT["classifiers"]


def test_the_requirements_install_the_project_itself_with_extras_that_exist() -> None:
    own = [line for line in lines("requirements.txt") if line.startswith(".")]
    assert len(own) == 1, "exactly one line installs the repository"
    extras = Requirement(PROJECT["name"] + own[0][1:]).extras
    assert extras <= set(PROJECT["optional-dependencies"])


def test_the_requirements_repeat_no_bound_of_the_project() -> None:
    declared = {Requirement(line).name for line in PROJECT["dependencies"]}
    named = {Requirement(line).name for line in lines("requirements.txt") if not line.startswith(".")}
    assert not named & declared


def test_packages_of_the_distribution_are_named_as_debian_names_them() -> None:
    for name in lines("apt.txt"):
        assert re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", name)


@pytest.mark.parametrize("name", ["postBuild"])
def test_scripts_can_be_run_and_have_no_syntax_error(name: str) -> None:
    script = BINDER / name
    assert os.access(script, os.X_OK)
    assert script.read_text().startswith("#!")
    subprocess.run(["bash", "-n", script], check=True, timeout=10)
