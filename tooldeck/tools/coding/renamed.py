"""What a checker says of code only now: neither moved lines nor another name of a symbol make it new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from tooldeck.tools.checking.baseline import keys_of, new_findings
from tooldeck.tools.checking.records import Finding

__all__ = ["Renamed"]


class Renamed(NamedTuple):
    """The name that a symbol had, and the one that it has; both empty where none was renamed."""

    old: str = ""
    new: str = ""

    def only_now(self, tool: str, before: Sequence[Finding], after: Sequence[Finding]) -> list[Finding]:
        """The findings of a tool that it had not `before`."""
        known = Counter(keys_of((tool, self._told_before(one)) for one in before))
        told = [self._told_before(one) for one in after]
        new = {id(one) for one in new_findings(known, tool, told)}
        return [one for one, before_name in zip(after, told, strict=True) if id(before_name) in new]

    def _told_before(self, finding: Finding) -> Finding:
        """The finding as it would be told of the old name."""
        return replace(
            finding, message=finding.message.replace(self.new, self.old) if self.new else finding.message
        )
