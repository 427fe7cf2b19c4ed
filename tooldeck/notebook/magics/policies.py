"""``%policy``: who may run what."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import line_magic, magics_class, no_var_expand

from tooldeck.notebook.lines import Mistake, choose, read_line
from tooldeck.notebook.magics.base import DeckMagicsBase, in_one_sentence
from tooldeck.notebook.say import say

__all__ = ["PolicyMagics"]

_WORDS = ("allow", "ask", "deny", "forget", "preset", "grants", "revoke", "explain")


@magics_class
class PolicyMagics(DeckMagicsBase):
    """Magics for the policy."""

    @no_var_expand
    @line_magic("policy")
    @in_one_sentence
    def policy_line(self, line: str) -> Any:
        """Show or change the policy.

        ``%policy`` shows it; ``%policy allow|ask|deny NAME…`` adds rules (``*`` stands for any letters);
        ``%policy forget NAME`` takes rules back; ``%policy preset default|read_only|ask_everything|auto``
        changes what holds for all other tools; ``%policy explain NAME`` says which rule decides; ``%policy
        grants`` lists what people granted and ``%policy revoke [NAME]`` takes it back.
        """
        words = read_line("%policy", line).words
        policy = self.deck.policy
        if not words:
            return policy
        verb = choose("%policy", words[0], _WORDS)
        rest = words[1:]
        if verb == "grants":
            return [str(grant) for grant in policy.grants]
        if verb == "revoke":
            return say(f"Took back {policy.revoke(rest[0] if rest else '*')} grants.")
        if not rest:
            raise Mistake(f"%policy {verb} needs the name of a {'preset' if verb == 'preset' else 'tool'}.")
        if verb == "explain":
            verdict = policy.static(self.named(rest[0]))
            return say(f"{rest[0]}: {verdict.word}, by the rule {verdict.rule}.")
        if verb == "preset":
            policy.preset = rest[0]
            return say(f"Policy: {policy.preset}.")
        if verb == "forget":
            known = policy.forget(rest[0])
            return say(f"Forgot the rules for {rest[0]}." if known else f"There was no rule for {rest[0]}.")
        {"allow": policy.allow, "ask": policy.ask, "deny": policy.deny}[verb](*rest)
        return say(f"Policy: {verb} {', '.join(rest)}.{self._unknown(rest)}")

    def _unknown(self, names: tuple[str, ...]) -> str:
        """A remark about names that no tool has, since a rule may come before its tool."""
        strange = [name for name in names if "*" not in name and "?" not in name and name not in self.deck]
        return f" (No tool is called {', '.join(strange)} yet.)" if strange else ""
