"""``%policy``: who may run what."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import line_magic, magics_class, no_var_expand

from tooldeck.core.approval import Word
from tooldeck.core.arguments import read_arguments
from tooldeck.core.parameters import problems_text
from tooldeck.notebook import facts
from tooldeck.notebook.lines import Mistake, choose, fit_text, read_call, read_line
from tooldeck.notebook.magics.base import DeckMagicsBase, in_one_sentence
from tooldeck.notebook.policies import GrantList, PolicyView
from tooldeck.notebook.say import say
from tooldeck.policy.rules import Mark, Rule, read_rules

__all__ = ["WORDS", "PolicyMagics"]

WORDS = (*Word, *Mark, "forget", "preset", "explain", "grants", "revoke", "load")
"""What may follow ``%policy``."""


@magics_class
class PolicyMagics(DeckMagicsBase):
    """Magics for the policy."""

    @no_var_expand
    @line_magic("policy")
    @in_one_sentence
    def policy_line(self, line: str) -> Any:
        """Show or change the policy.

        ``%policy`` shows it. ``%policy allow|ask|deny NAME… [PARAMETER=PATTERN…] [effects=… origin=… trust=…
        risk=… note=…]`` adds rules; in names and patterns ``*`` stands for anything. ``%policy
        trust|distrust NAME… [action=…]`` says whether what a tool says is trusted, whatever it declares.
        ``%policy forget NAME`` takes the rules about a name or pattern back. ``%policy preset NAME`` changes
        what holds for all other tools: default, read_only, plan, accept_edits, ask_everything or auto.
        ``%policy explain NAME [key=value…]`` says which rule decides. ``%policy grants`` lists what people
        granted and ``%policy revoke [NAME]`` takes it back. ``%policy load [FILE]`` puts a policy file in
        force, by default the one of this folder.
        """
        verb, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        policy = self.deck.policy
        if not verb:
            return PolicyView(policy)
        verb = choose("%policy", verb, WORDS)
        if verb == "grants":
            return GrantList(policy)
        if verb == "revoke":
            return say(f"Took back {facts.count(policy.revoke(rest or '*'), 'grant')}.")
        if verb == "load":
            return self._load(rest)
        if not rest:
            what = {"preset": "the name of a preset", "forget": "a name or pattern"}.get(
                verb, "the name of a tool"
            )
            raise Mistake(f"%policy {verb} needs {what}.")
        if verb == "explain":
            return self._explain(rest)
        if verb == "preset":
            policy.preset = rest
            return say(f"Policy: {policy.preset}.")
        if verb == "forget":
            known = policy.forget(rest)
            return say(f"Forgot the rules for {rest}." if known else f"There was no rule for {rest}.")
        return self._add(f"{verb} {rest}")

    def _add(self, text: str) -> None:
        rules = read_rules(text)
        self.deck.policy.add(*rules)
        word, rest = str(rules[0]).split(" ", 1)
        if len(rules) > 1:
            rest = ", ".join(rule.tools for rule in rules) + str(rules[0]).removeprefix(
                f"{word} {rules[0].tools}"
            )
        say(f"Policy: {word} {rest}.{self._unknown(rules)}")

    def _unknown(self, rules: tuple[Rule, ...]) -> str:
        """A remark about names that no tool has, since a rule may come before its tool."""
        names = [rule.tools for rule in rules if not any(mark in rule.tools for mark in "*?[")]
        strange = [name for name in names if name not in self.deck]
        return f" (No tool is called {', '.join(strange)} yet.)" if strange else ""

    def _explain(self, rest: str) -> None:
        name, given = read_call(rest, "%policy explain")
        tool = self.named(name)
        arguments, _, problems = read_arguments(given if isinstance(given, str) else fit_text(tool, given))
        if problems:
            raise Mistake(problems_text(name, problems))
        say(self.deck.policy.explain(tool, arguments or None))

    def _load(self, path: str) -> None:
        words = read_line("%policy load", path).words
        if len(words) > 1:
            raise Mistake(f"%policy load takes one file, not {len(words)}.")
        file = self.deck.policy.adopt(*words)
        rules = facts.count(len(file.ruling.rules), "rule")
        preset = f"preset {file.ruling.preset}, " if file.ruling.preset is not None else ""
        say(f"Policy: {preset}{rules} of {file.path} in force; %policy shows all.")
