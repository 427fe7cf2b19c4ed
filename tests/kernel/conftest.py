"""Real kernels for the tests of the bridge, one per version of ipykernel and worker."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from kernel_cells import ALL, SETUP, VERSIONS
from live_kernel import MAIN, SUBSHELL, LiveKernel
from rig import kernels


def _package(name: str, version: str) -> Path:
    try:
        return kernels.package(name, version)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"{name} {version} could not be installed into .cache/kernels: {error}")


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
    kernel = LiveKernel(request.param, SETUP, _package("nest-asyncio", "1.6.0"))
    yield kernel
    kernel.close()


@pytest.fixture
def kernel_on_uvloop() -> Iterator[LiveKernel]:
    """A kernel of its own whose loop cannot be patched."""
    start = (
        "import asyncio, uvloop; asyncio.set_event_loop_policy(uvloop.EventLoopPolicy()); "
        "from ipykernel.kernelapp import launch_new_instance; launch_new_instance()"
    )
    kernel = LiveKernel(None, SETUP, _package("uvloop", "0.22.1"), launcher=["-c", start])
    yield kernel
    kernel.close()


@pytest.fixture(params=[MAIN, SUBSHELL])
def route(request: pytest.FixtureRequest, kernel: LiveKernel) -> str:
    """Where the front end sends widget messages: to the main shell, or to a subshell as JupyterLab does."""
    if request.param == SUBSHELL and not kernel.has_subshells:
        pytest.skip("ipykernel 6 has no subshells")
    return request.param
