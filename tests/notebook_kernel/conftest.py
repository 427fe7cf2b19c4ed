"""Real kernels with the extension loaded, one per version and worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kernel_cells import ON_UVLOOP, VERSIONS
from kernel_pool import Pool, every_kernel, or_skip, routed
from live_kernel import MAIN, SUBSHELL
from notebook_kernel import NotebookKernel
from rig import kernels


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    every_kernel(metafunc, "notebook", VERSIONS)


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool[NotebookKernel]]:
    pool = Pool(_warm)
    yield pool
    pool.close()


def _warm(version: str | None) -> NotebookKernel:
    kernel = NotebookKernel(version)
    # The first widget takes seconds, which are not what is measured.
    kernel.run("import ipywidgets, anywidget, tooldeck.notebook.widgets.approval", timeout=40)
    return kernel


@pytest.fixture
def notebook(request: pytest.FixtureRequest, pool: Pool[NotebookKernel]) -> Iterator[NotebookKernel]:
    """An idle notebook whose deck has one tool, `note`, that asks."""
    kernel = pool.get(request.param)
    kernel.fresh()
    yield kernel
    kernel.settle()


@pytest.fixture
def installed(pool: Pool[NotebookKernel]) -> Iterator[NotebookKernel]:
    """The same with the installed ipykernel only."""
    kernel = pool.get(None)
    kernel.fresh()
    yield kernel
    kernel.settle()


@pytest.fixture(params=[MAIN, SUBSHELL])
def route(request: pytest.FixtureRequest, notebook: NotebookKernel) -> str:
    """Where the front end sends widget messages: to the main shell, or to a subshell as JupyterLab does."""
    return routed(request.param, notebook)


@pytest.fixture
def notebook_on_uvloop() -> Iterator[NotebookKernel]:
    """A notebook whose loop cannot be entered again."""
    with or_skip():
        uvloop = kernels.package("uvloop", "0.22.1")
    kernel = NotebookKernel(None, paths=[uvloop], launcher=["-c", ON_UVLOOP])
    kernel.fresh()
    yield kernel
    kernel.close()
