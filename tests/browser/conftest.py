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
from rig.jupyter import Comms, JupyterServer
from rig.kernels import VERSIONS
from rig.lab import VIEWPORT, Lab

FLAGS = [
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--force-color-profile=srgb",
]  # fmt: skip
HERE = Path(__file__).parent
USUAL: Comms = "perCommTarget"  # how JupyterLab sends comm messages unless it is told otherwise


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
            viewport=VIEWPORT, reduced_motion="reduce",
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


@pytest.fixture(scope="session")
def lab_pages() -> list[Lab]:
    """Return the page on JupyterLab that the test before left in order, if there is one."""
    return []


@pytest.fixture
def lab(
    request: pytest.FixtureRequest, chromium: BrowserContext, lab_server: JupyterServer, lab_pages: list[Lab]
) -> Iterator[Lab]:
    """Return a page on JupyterLab with nothing open, with JupyterLab's own defaults."""
    before = request.session.testsfailed
    lab = lab_pages.pop() if lab_pages else Lab(chromium.new_page(), lab_server)
    yield lab
    lab_server.comms_over_subshells(USUAL)
    if _ended(request, lab, before) and lab.leave():
        lab_pages.append(lab)
    else:
        lab.page.close()
    lab_server.end_sessions()


@pytest.fixture
def notebook(
    request: pytest.FixtureRequest, chromium: BrowserContext, notebook_server: JupyterServer
) -> Iterator[Lab]:
    """Return a page on Notebook 7, which has a page for each notebook."""
    before = request.session.testsfailed
    lab = Lab(chromium.new_page(), notebook_server)
    yield lab
    _ended(request, lab, before)
    lab.page.close()
    notebook_server.end_sessions()
    notebook_server.comms_over_subshells(USUAL)


def _ended(request: pytest.FixtureRequest, lab: Lab, failed_before: int) -> bool:
    """Take a picture of a page whose test failed, and tell whether the page can be used again."""
    if lab.page.is_closed():
        return False
    if request.session.testsfailed == failed_before:
        return True
    lab.screenshot(f"failed-{request.node.name}")
    return False


@pytest.fixture(params=["lab", "notebook"])
def front_end(request: pytest.FixtureRequest) -> Lab:
    """Run the test in JupyterLab and in Notebook 7."""
    return request.getfixturevalue(request.param)
