"""Fixtures of the browser tests: one Chromium and one server of each kind a session, a fresh page a test.

These tests are plain functions: Playwright's synchronous API holds the thread's event loop, so a
coroutine test cannot run in the same process.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, sync_playwright
from rig.jupyter import JupyterServer
from rig.kernels import VERSIONS
from rig.lab import Lab

FLAGS = [
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--force-color-profile=srgb",
]  # fmt: skip
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder, and give a browser the time that it needs."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("browser")
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(180))


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """Return a Chromium with an empty profile, the distribution's own."""
    path = os.environ.get("TOOLDECK_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.fail("no Chromium: run `make test`, or name one in TOOLDECK_CHROMIUM")
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=path, headless=True, args=[*FLAGS, *root],
            viewport={"width": 1200, "height": 900}, reduced_motion="reduce",
        )  # fmt: skip
        yield context
        context.close()


@pytest.fixture(scope="session")
def lab_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """Return a running JupyterLab with kernels of all versions under test."""
    server = JupyterServer(tmp_path_factory.mktemp("lab"), "lab", VERSIONS)
    yield server
    server.close()


@pytest.fixture(scope="session")
def notebook_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """Return a running Notebook 7."""
    server = JupyterServer(tmp_path_factory.mktemp("notebook"), "notebook", VERSIONS)
    yield server
    server.close()


def _page(request: pytest.FixtureRequest, chromium: BrowserContext, server: JupyterServer) -> Iterator[Lab]:
    before = request.session.testsfailed
    lab = Lab(chromium.new_page(), server)
    yield lab
    if request.session.testsfailed > before and not lab.page.is_closed():
        lab.screenshot(f"failed-{request.node.name}")
    lab.page.close()
    server.end_sessions()
    server.comms_over_subshells("perCommTarget")


@pytest.fixture
def lab(request: pytest.FixtureRequest, chromium: BrowserContext, lab_server: JupyterServer) -> Iterator[Lab]:
    """Return a page on JupyterLab, with JupyterLab's own defaults."""
    yield from _page(request, chromium, lab_server)


@pytest.fixture
def notebook(
    request: pytest.FixtureRequest, chromium: BrowserContext, notebook_server: JupyterServer
) -> Iterator[Lab]:
    """Return a page on Notebook 7."""
    yield from _page(request, chromium, notebook_server)


@pytest.fixture(params=["lab", "notebook"])
def front_end(request: pytest.FixtureRequest) -> Lab:
    """Run the test in JupyterLab and in Notebook 7."""
    return request.getfixturevalue(request.param)
