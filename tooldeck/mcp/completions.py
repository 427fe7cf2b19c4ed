"""What a server suggests for a gap in a prompt or in the address of a resource, while a person types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from tooldeck.mcp.session import Session

__all__ = ["Completions", "complete"]

Ref = tuple[Literal["prompt", "template"], str]
"""Of what: a prompt by its name, or a template of addresses as it is written."""


class Completions(list[str]):
    """The suggestions; `total` is how many there are in all, None where the server does not say."""

    def __init__(self, values: list[str], total: int | None = None, *, more: bool = False) -> None:
        super().__init__(values)
        self.total = total
        self.more = more
        """Whether there are others than these."""


async def complete(
    session: Session, of: Ref, argument: str, text: str, given: Mapping[str, str]
) -> Completions:
    """Ask for suggestions; none where the server has none to give. On the session's own loop."""
    from mcp import types

    kind, name = of
    ref: Any = (
        types.PromptReference(name=name) if kind == "prompt" else types.ResourceTemplateReference(uri=name)
    )

    async def ask(client: Any, _running: Any) -> Completions:
        if client.server_capabilities.completions is None:
            return Completions([])
        others = {key: value for key, value in given.items() if key != argument}
        found = (await client.complete(ref, {"name": argument, "value": text}, others or None)).completion
        return Completions(list(found.values), found.total, more=bool(found.has_more))

    return await session.perform(f"completion of {argument!r}", ask)
