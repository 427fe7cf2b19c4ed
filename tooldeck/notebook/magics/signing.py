"""``%mcp login``, ``logout``, ``watch``: who is signed in to a server, and when it is started again."""

from __future__ import annotations

from getpass import getpass

from tooldeck.mcp.oauth.signin import Program, SignIn
from tooldeck.notebook.kernel.environment import Audience, audience
from tooldeck.notebook.lines import Mistake, as_typed, split
from tooldeck.notebook.magics.inspecting import InspectingLines
from tooldeck.notebook.places import working_here
from tooldeck.notebook.say import say
from tooldeck.notebook.show import show_session

__all__ = ["PROGRAM_OPTIONS", "SIGN_WORDS", "SigningLines", "program_of"]

SIGN_WORDS = ("login", "logout", "watch")
"""The words that this file adds to ``%mcp``."""
PROGRAM_OPTIONS = ("client_id", "issuer", "secret_env", "key_file")
"""The options of ``%mcp connect`` for a program that signs in as itself."""


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


def program_of(options: dict[str, str]) -> SignIn | None:
    """The program that a line names, whose secret is asked for if nothing there has it; None for none."""
    given = [name for name in PROGRAM_OPTIONS if name in options]
    if not given:
        return None
    if not options.get("client_id") or not options.get("issuer"):
        raise Mistake(
            f"{as_typed(given[0])} belongs to a program that signs in as itself, which needs --client-id "
            "NAME and --issuer URL, the authorization server that knows it."
        )
    ways = {name: options[name] for name in ("secret_env", "key_file") if name in options}
    if not ways:
        ways = {"secret": _asked(options["client_id"])}
    return SignIn(by=Program(options["client_id"], options["issuer"], **ways))


def _asked(client: str) -> str:
    if audience() is Audience.NOBODY:
        raise Mistake(
            f"Nobody can be asked for the secret of {client!r} here; name it with --secret-env NAME."
        )
    secret = getpass(f"Secret of {client} (kept in memory only): ").strip()
    if not secret:
        raise Mistake(f"No secret was given for {client!r}, so nothing was connected.")
    return secret
