"""Real kernels with the extension loaded, one per version of ipykernel and worker."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest
from kernel_cells import VERSIONS
from live_kernel import MAIN, SUBSHELL
from notebook_kernel import NotebookKernel
from rig import kernels


class Pool:
    """The kernels of this worker, each started when first asked for."""

    def __init__(self) -> None:
        self._kernels: dict[str | None, NotebookKernel] = {}

    def get(self, version: str | None) -> NotebookKernel:
        if version not in self._kernels:
            try:
                kernel = self._kernels[version] = NotebookKernel(version)
            except subprocess.CalledProcessError as error:
                pytest.skip(f"ipykernel {version} could not be installed into .cache/kernels: {error}")
            # The first traceback and the first widget take seconds, which are not what is measured.
            kernel.finish(kernel.send("1 / 0"), 30)
            kernel.run("import ipywidgets, anywidget, tooldeck.notebook.widgets.approval", timeout=40)
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
def notebook(request: pytest.FixtureRequest, pool: Pool) -> Iterator[NotebookKernel]:
    """An idle notebook whose deck has one tool, `note`, that asks."""
    kernel = pool.get(request.param)
    kernel.fresh()
    yield kernel
    kernel.settle()


@pytest.fixture
def installed(pool: Pool) -> Iterator[NotebookKernel]:
    """The same with the installed ipykernel only."""
    kernel = pool.get(None)
    kernel.fresh()
    yield kernel
    kernel.settle()


@pytest.fixture(params=[MAIN, SUBSHELL])
def route(request: pytest.FixtureRequest, notebook: NotebookKernel) -> str:
    """Where the front end sends widget messages: to the main shell, or to a subshell as JupyterLab does."""
    if request.param == SUBSHELL and not notebook.has_subshells:
        pytest.skip("ipykernel 6 has no subshells")
    return request.param


@pytest.fixture
def notebook_on_uvloop() -> Iterator[NotebookKernel]:
    """A notebook whose loop cannot be entered again."""
    start = (
        "import asyncio, uvloop; asyncio.set_event_loop_policy(uvloop.EventLoopPolicy()); "
        "from ipykernel.kernelapp import launch_new_instance; launch_new_instance()"
    )
    kernel = NotebookKernel(None, paths=[kernels.package("uvloop", "0.22.1")], launcher=["-c", start])
    kernel.fresh()
    yield kernel
    kernel.close()
