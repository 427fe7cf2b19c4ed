"""Real kernels for the tests of the bridge, one per version of ipykernel and worker."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kernel_cells import ALL, SETUP, VERSIONS
from live_kernel import MAIN, SUBSHELL, LiveKernel
from rig import kernels


def package_overlay(name: str, version: str) -> Path:
    """A folder with nothing but one package, installed when it is not there."""
    target = kernels.OVERLAYS / f"{name}-{version}"
    if not target.is_dir():
        kernels.OVERLAYS.mkdir(parents=True, exist_ok=True)
        uv = [
            sys.executable,
            "-m",
            "uv",
            "pip",
            "install",
            "--quiet",
            "--python",
            sys.executable,
            "--no-deps",
        ]
        subprocess.run([*uv, "--target", str(target), f"{name}=={version}"], check=True, timeout=120)
    return target


class Pool:
    """The kernels of this worker, each started when first asked for."""

    def __init__(self) -> None:
        self._kernels: dict[str | None, LiveKernel] = {}

    def get(self, version: str | None) -> LiveKernel:
        if version not in self._kernels:
            try:
                kernel = self._kernels[version] = LiveKernel(version, SETUP)
            except subprocess.CalledProcessError as error:
                pytest.skip(f"ipykernel {version} could not be installed into .cache/kernels: {error}")
            # The first traceback of a kernel takes IPython up to a second, which is not what is measured.
            kernel.finish(kernel.send("1 / 0"), 30)
        return self._kernels[version]

    def close(self) -> None:
        for kernel in self._kernels.values():
            kernel.close()


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    pool = Pool()
    yield pool
    pool.close()


@pytest.fixture(params=VERSIONS, ids=lambda version: version or "installed")
def kernel(request: pytest.FixtureRequest, pool: Pool) -> Iterator[LiveKernel]:
    """An idle kernel with `Card` defined."""
    kernel = pool.get(request.param)
    yield kernel
    kernel.settle()


@pytest.fixture(params=VERSIONS if ALL else [None], ids=lambda version: version or "installed")
def kernel_with_nest_asyncio_1(request: pytest.FixtureRequest) -> Iterator[LiveKernel]:
    """A kernel of its own that can import nest_asyncio 1.6.0, as many users' can."""
    try:
        folder = package_overlay("nest-asyncio", "1.6.0")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"nest-asyncio 1.6.0 could not be installed into .cache/kernels: {error}")
    kernel = LiveKernel(request.param, SETUP, folder)
    yield kernel
    kernel.close()


@pytest.fixture(params=[MAIN, SUBSHELL])
def route(request: pytest.FixtureRequest, kernel: LiveKernel) -> str:
    """Where the front end sends widget messages: to the main shell, or to a subshell as JupyterLab does."""
    if request.param == SUBSHELL and not kernel.has_subshells:
        pytest.skip("ipykernel 6 has no subshells")
    return request.param
