"""Whether what a tool says is trusted. In this order: the policy, a remote origin, what the tool declares.

Of the user's rules the last that fits decides. A file that was merely found can only distrust.
"""

from __future__ import annotations

from tooldeck.core.approval import Provenance
from tooldeck.core.tool import Tool
from tooldeck.core.vocabulary import Trust
from tooldeck.policy.rules import Mark, Rule
from tooldeck.policy.weighing import Ruling

__all__ = ["provenance"]

# Made once, since every call asks.
_BY_ITSELF = {True: Provenance(Trust.UNTRUSTED), False: Provenance(Trust.TRUSTED)}
_TRUST = {Mark.TRUST: Trust.TRUSTED, Mark.DISTRUST: Trust.UNTRUSTED}


def provenance(own: Ruling, found: Ruling | None, tool: Tool) -> Provenance:
    """Whether the output is trusted, and by which rule; a whole tool is where each of its actions is."""
    if tool.actions:
        each = [provenance(own, found, action) for action in tool.actions.values()]
        return next((one for one in each if one.trust is Trust.UNTRUSTED), each[0])
    for rule in () if found is None else found.rules:
        if rule.word is Mark.DISTRUST and _fits(rule, tool):
            return Provenance(Trust.UNTRUSTED, str(rule))
    for rule in reversed(own.rules):
        if isinstance(rule.word, Mark) and _fits(rule, tool):
            return Provenance(_TRUST[rule.word], str(rule))
    return _BY_ITSELF[tool.from_outside]


def _fits(rule: Rule, tool: Tool) -> bool:
    """Whether a rule speaks of a tool; what hangs on an argument that is no action is read carefully."""
    return rule.of(tool) and (rule.word is Mark.DISTRUST or not rule.hangs_on_arguments(tool))
