"""What ``%policy`` shows: the policy at a glance, each part as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tooldeck.guards.text import one_line, visible
from tooldeck.notebook.pieces import code, panel
from tooldeck.policy import Policy
from tooldeck.policy.files import PolicyFile
from tooldeck.policy.running import DEFAULT

__all__ = ["GrantList", "PolicyView", "found_words"]


class _Lines:
    """Lines of text, also as HTML."""

    def lines(self) -> Iterator[str]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n".join(map(visible, self.lines()))

    def _repr_html_(self) -> str:
        return panel(*map(_indented, self.lines()))


def _indented(line: str) -> str:
    """HTML of a line, which would lose its margin."""
    text = line.lstrip(" ")
    return "&nbsp;" * (len(line) - len(text)) + code(text)


@dataclass(frozen=True, slots=True, repr=False)
class PolicyView(_Lines):
    """The preset, the rules in their order, what was found, what was granted."""

    policy: Policy

    def lines(self) -> Iterator[str]:
        """One line each."""
        policy, found = self.policy, self.policy.found
        yield f"Policy: {policy.preset}"
        yield from (f"  {one_line(str(rule))}" for rule in policy.rules)
        if policy.isolation != DEFAULT or policy.command_lines:
            shells = "allowed" if policy.command_lines else "refused"
            yield f"  programs run in a sandbox: {policy.isolation} or better; command lines: {shells}"
        if found is not None:
            yield f"  found, only to make it stricter: {one_line(str(found.path))}"
            if found.ruling.preset is not None:
                yield f"    preset {found.ruling.preset}"
            for rule in found.ruling.rules:
                yield f"    {one_line(str(rule))}" + (
                    " (waits for %policy load)" if rule in found.allowing else ""
                )
        yield from (f"  granted: {one_line(str(grant))}" for grant in policy.grants)


@dataclass(frozen=True, slots=True, repr=False)
class GrantList(_Lines):
    """What people have granted beyond single calls."""

    policy: Policy

    def lines(self) -> Iterator[str]:
        """One line a grant."""
        grants = self.policy.grants
        if not grants:
            yield "Nothing was granted beyond single calls."
        for grant in grants:
            yield f"{one_line(str(grant))}  from {one_line(grant.origin)}"


def found_words(found: PolicyFile) -> str:
    """One sentence about a policy file that was found in the folder."""
    words = f"Found {found.path}: what it denies or asks for is in force"
    if found.allowing or found.ruling.preset is not None:
        words += "; what it allows waits for %policy load"
    return f"{words}."
