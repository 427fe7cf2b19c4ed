"""Real kernels for the tests of the bridge, one per version and worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kernel_cells import ON_UVLOOP, SETUP, VERSIONS
from kernel_pool import Pool, every_kernel, or_skip, routed
from live_kernel import MAIN, SUBSHELL, LiveKernel
from rig import kernels


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    every_kernel(metafunc, "kernel", VERSIONS)


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool[LiveKernel]]:
    pool = Pool(lambda version: LiveKernel(version, SETUP))
    yield pool
    pool.close()


@pytest.fixture
def kernel(request: pytest.FixtureRequest, pool: Pool[LiveKernel]) -> Iterator[LiveKernel]:
    """An idle kernel with `Card` defined."""
    kernel = pool.get(request.param)
    yield kernel
    kernel.settle()


@pytest.fixture
def kernel_on_uvloop() -> Iterator[LiveKernel]:
    """A kernel of its own whose loop cannot be patched."""
    with or_skip():
        uvloop = kernels.package("uvloop", "0.22.1")
    kernel = LiveKernel(None, SETUP, uvloop, launcher=["-c", ON_UVLOOP])
    yield kernel
    kernel.close()


@pytest.fixture(params=[MAIN, SUBSHELL])
def route(request: pytest.FixtureRequest, kernel: LiveKernel) -> str:
    """Where the front end sends widget messages: to the main shell, or to a subshell as JupyterLab does."""
    return routed(request.param, kernel)
