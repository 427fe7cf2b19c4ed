"""The adapter's private names, and what happens when one is gone."""

from __future__ import annotations

import pytest
from kernel_cells import SETUP
from live_kernel import LiveKernel
from rig import kernels

from tooldeck.notebook.kernel import adapter, environment


def test_every_private_name_exists_in_the_installed_packages() -> None:
    assert adapter.self_test() == []


@pytest.mark.pythons
def test_every_private_name_exists_in_each_kernel_under_test(kernel: LiveKernel) -> None:
    text = kernel.run(
        "import ipykernel; from tooldeck.notebook.kernel import adapter, environment\n"
        "print(ipykernel.__version__, adapter.self_test(), adapter.shell_port() is not None)\n"
        "print(environment.kernel_versions())"
    ).text
    version, versions = text.splitlines()
    assert version.endswith(" [] True")
    if kernel.version in kernels.PYTHONS:
        assert f"Python {kernel.version}." in versions
    elif kernel.version is not None:
        assert version.startswith(kernel.version)
        assert f"ipykernel {kernel.version}" in versions
    assert "missing" not in versions


def test_a_missing_name_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from ipykernel.kernelbase import Kernel
    from ipykernel.subshell_manager import SubshellManager

    monkeypatch.delattr(Kernel, "_publish_status")
    monkeypatch.delattr(SubshellManager, "subshell_id_from_thread_id")
    assert adapter.self_test() == [
        "ipykernel.kernelbase.Kernel._publish_status",
        "ipykernel.subshell_manager.SubshellManager.subshell_id_from_thread_id",
    ]


def test_a_missing_module_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "ipykernel.kernelbase", None)
    assert adapter.self_test() == ["ipykernel (not installed)"]


def test_where_a_name_is_gone_waiting_is_plain_and_says_so_once() -> None:
    kernel = LiveKernel(None, SETUP)
    try:
        kernel.run(
            "import warnings; warnings.simplefilter('always')\n"
            "import ipykernel.kernelbase; del ipykernel.kernelbase.Kernel.comm_info_request"
        )
        code = (
            "f = Future(); threading.Timer(0.1, f.set_result, [1]).start(); wait(f)\n"
            "f = Future(); threading.Timer(0.1, f.set_result, [2]).start(); print(await wait_async(f))"
        )
        text = kernel.run(code).text
        assert text.count("RuntimeWarning") == 1
        assert "ipykernel.ipkernel.IPythonKernel.comm_info_request" in text
        assert "2\n" in text
        assert kernel.run(code).text == "2\n"
        cell = kernel.blocked("post(print, 'waiting', place=here()); pause(60)", widgets=0)
        kernel.interrupt()
        assert kernel.finish(cell, 15).error == "KeyboardInterrupt"
        warned = kernel.run(
            "from tooldeck.notebook.kernel.environment import warn_if_unsupported; warn_if_unsupported()"
        ).text
        assert "is not supported (it lacks ipykernel.ipkernel.IPythonKernel.comm_info_request)" in warned
    finally:
        kernel.close()


def test_an_old_ipykernel_is_warned_about_at_load(kernel: LiveKernel) -> None:
    kernel.run("from tooldeck.notebook.kernel import environment; environment.warn_if_unsupported()")
    text = kernel.run(
        "import warnings; known = environment._version\n"
        "environment._version = lambda name: '6.28.0'\n"
        "try:\n"
        "    with warnings.catch_warnings(record=True) as caught:\n"
        "        warnings.simplefilter('always'); environment.warn_if_unsupported()\n"
        "finally: environment._version = known\n"
        "print(*[warning.message for warning in caught])"
    ).text
    assert text.startswith("ipykernel 6.28.0 is not supported (it is too old)")
    assert 'pip install "ipykernel>=6.29,<8"' in text


def test_outside_a_kernel_nothing_is_warned_about() -> None:
    environment.warn_if_unsupported()
    assert adapter.running_kernel() is None
    assert adapter.shell_port() is None


@pytest.mark.parametrize(("allow_stdin", "audience"), [(True, "WIDGETS"), (False, "NOBODY")])
def test_the_audience_depends_on_who_sent_the_cell(
    kernel: LiveKernel, allow_stdin: bool, audience: str
) -> None:
    cell = kernel.run(
        "from tooldeck.notebook.kernel.environment import audience; print(audience().name)",
        allow_stdin=allow_stdin,
    )
    assert cell.text == f"{audience}\n"


def test_a_callback_has_the_audience_of_the_cell_that_ran_last(kernel: LiveKernel) -> None:
    cell = kernel.run(
        "from tooldeck.notebook.kernel.environment import audience\n"
        "said = []; card = Card(clicked=lambda b: said.append(audience().name)); display(card.yes)"
    )
    click = kernel.click(cell.widgets[0])
    kernel.until(lambda: click.states == ["busy", "idle"], 5, lambda: str(click))
    assert kernel.run("print(said)").text == "['WIDGETS']\n"
