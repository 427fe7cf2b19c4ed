"""``%mcp login`` and ``%mcp logout``: who is signed in to a server."""

from __future__ import annotations

from tooldeck.notebook.magics.inspecting import InspectingLines
from tooldeck.notebook.places import working_here
from tooldeck.notebook.say import say
from tooldeck.notebook.show import show_session

__all__ = ["SIGN_WORDS", "SigningLines"]

SIGN_WORDS = ("login", "logout")
"""The words that this file adds to ``%mcp``."""


class SigningLines(InspectingLines):
    """Reads the lines; a server need not be named where only one is connected."""

    def _login(self, rest: str) -> None:
        made, _ = self._one_of("login", rest)
        with working_here():
            again = self.notebook.mcp.login(made.label)
        show_session(self.notebook, again)

    def _logout(self, rest: str) -> None:
        made, _ = self._one_of("logout", rest)
        taken_back = self.notebook.mcp.logout(made.label)
        why = "" if taken_back else "; the server was not told, since it offers no way to"
        say(f"Signed out of {made.label} and closed it{why}.")
