"""What a policy says of programs that tools run: how well they are shut in, and whether shells read."""

from __future__ import annotations

import pytest

from tooldeck import DefinitionError, Policy
from tooldeck.guards.isolation import Isolation
from tooldeck.notebook.policies import PolicyView


def file(folder, text):
    path = folder / ".tooldeck" / "policy.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_without_a_word_code_needs_a_real_sandbox_and_shells_read_nothing():
    policy = Policy()
    assert policy.isolation is Isolation.LANDLOCK
    assert policy.command_lines is False


def test_both_are_set_in_code_and_in_files(tmp_path):
    policy = Policy(isolation="bubblewrap", command_lines=True)
    assert (policy.isolation, policy.command_lines) == ("bubblewrap", True)
    policy.isolation, policy.command_lines = "rlimits", False
    assert (policy.isolation, policy.command_lines) == ("rlimits", False)
    stated = Policy.from_file(file(tmp_path, 'isolation = "none"\ncommand_lines = true'))
    assert (stated.isolation, stated.command_lines) == ("none", True)
    policy.adopt(folder=tmp_path)
    assert (policy.isolation, policy.command_lines) == ("none", True)


@pytest.mark.parametrize(
    ("own", "found", "holds"),
    [("landlock", "none", "landlock"), ("rlimits", "bubblewrap", "bubblewrap")],
)
def test_a_file_that_is_merely_found_can_only_ask_for_more(tmp_path, own, found, holds):
    policy = Policy(isolation=own, command_lines=True)
    file(tmp_path, f'isolation = "{found}"')
    policy.heed(tmp_path)
    assert (policy.isolation, policy.command_lines) == (holds, True)
    file(tmp_path, "command_lines = false")
    policy.heed(tmp_path)
    assert (policy.isolation, policy.command_lines) == (own, False)
    never = Policy()
    file(tmp_path, "command_lines = true")
    never.heed(tmp_path)
    assert never.command_lines is False


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("isolation = 'bubblewarp'", "did you mean 'bubblewrap'"),
        ("isolation = 3", "known: none, rlimits, landlock, bubblewrap"),
        ("command_lines = 'yes'", "must be true or false"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path, text, says):
    with pytest.raises(DefinitionError, match=says):
        Policy.from_file(file(tmp_path, text))


def test_the_notebook_shows_what_differs_from_the_default():
    assert "sandbox" not in "\n".join(PolicyView(Policy()).lines())
    shown = "\n".join(PolicyView(Policy(isolation="rlimits", command_lines=True)).lines())
    assert "rlimits or better; command lines: allowed" in shown
