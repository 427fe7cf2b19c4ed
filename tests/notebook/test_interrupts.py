"""The handler that shows interrupts briefly, and handlers of others."""

from __future__ import annotations

from ipython_shell import Shell


def test_unloading_leaves_the_shell_as_it_was(shell: Shell) -> None:
    assert shell.ip.custom_exceptions == (KeyboardInterrupt,)
    shell.run("%unload_ext tooldeck")
    assert shell.ip.custom_exceptions == ()


def test_a_handler_of_somebody_else_stays_whichever_came_first(shell: Shell) -> None:
    shell.ip.set_custom_exc((ValueError,), lambda *_, **__: None)
    theirs = shell.ip.CustomTB
    for step in ("unload_ext", "load_ext", "unload_ext"):
        shell.run(f"%{step} tooldeck")
        assert (shell.ip.custom_exceptions, shell.ip.CustomTB) == ((ValueError,), theirs)
