"""``%mcp login``, ``logout``, ``watch``: who is signed in to a server, and when it is started again."""

from __future__ import annotations

from tooldeck.notebook.lines import split
from tooldeck.notebook.magics.inspecting import InspectingLines
from tooldeck.notebook.places import working_here
from tooldeck.notebook.say import say
from tooldeck.notebook.show import show_session

__all__ = ["SIGN_WORDS", "SigningLines"]

SIGN_WORDS = ("login", "logout", "watch")
"""The words that this file adds to ``%mcp``."""


class SigningLines(InspectingLines):
    """Reads the lines; a server need not be named where only one is connected."""

    def _login(self, rest: str) -> None:
        made = self._only("login", rest)
        with working_here():
            again = self.notebook.mcp.login(made.label)
        show_session(self.notebook, again)

    def _logout(self, rest: str) -> None:
        made = self._only("logout", rest)
        taken_back = self.notebook.mcp.logout(made.label)
        why = "" if taken_back else "; the server was not told, since it offers no way to"
        say(f"Signed out of {made.label} and closed it{why}.")

    def _watch(self, rest: str) -> None:
        made, line = self._one_of("watch", rest)
        words = split(line)
        if words == ["off"]:
            was = self.notebook.mcp.unwatch(made.label)
            say(f"{made.label} is not watched any more." if was else f"{made.label} was not watched.")
            return
        with working_here():
            paths = self.notebook.mcp.watch(made.label, *words)
        say(f"{made.label} starts again when {', '.join(path.name for path in paths)} changes.")
