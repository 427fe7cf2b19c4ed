"""The part of a deck that adds tools by the set: those that come with tooldeck, of a service, of packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tooldeck.core.added import AddedTools
from tooldeck.core.tool import Tool
from tooldeck.registry.toolset import ToolSet

if TYPE_CHECKING:
    from tooldeck.plugins import LoadedPlugins
    from tooldeck.tools.services.adding import Operations

__all__ = ["Adding"]


class Adding(ToolSet):
    """The methods of a deck that add many tools at once; what makes them is loaded when first used."""

    def add_builtins(self, *names: str) -> tuple[Tool, ...]:
        """Add tools that come with tooldeck: all, or those of `names`; `tooldeck.tools.names` lists them.

        The name ``meta`` adds the tools that are made of calls of others, and the tools that those call; they
        are not among all. Raises `DefinitionError` for a name that none has.
        """
        from tooldeck.tools import META, load, load_meta

        wanted = [name for name in names if name != META]
        made = load(wanted) if wanted or not names else []
        if META in names:
            made += load_meta({**self.tools, **{tool.name: tool for tool in made}})
        return AddedTools(self.add(tool) for tool in made)

    def add_openapi(self, document: Any, **options: Any) -> Operations:
        """Add the operations of an HTTP service as tools, from its document; tells what was added.

        `document` is of OpenAPI 3 or Swagger 2: a mapping, JSON or YAML text, or the path of a file. Files
        that an operation takes are given as paths of the workspace; an operation whose body cannot be sent
        is left out, and named in what is returned. Options: `only`, names or patterns
        of operations; `prefix` of the names; `base_url` in place of the document's server; `auth`, the
        environment variable that the secret of each security scheme is read from, by default the title and
        the name of the scheme in capitals; `guard`, another rule for addresses; `transport`, what answers in
        place of the network. Effects follow from the method. Raises `DefinitionError`.
        """
        from tooldeck.tools.services.adding import operations

        made = operations(document, **options)
        return made._replace(tools=tuple(self.add(tool) for tool in made.tools))

    def load_plugins(self, *names: str) -> LoadedPlugins:
        """Add the tools of installed packages (entry points ``tooldeck.tools``): all, or those of `names`.

        One that is broken stops no other and is among the `problems` of what is returned. The names are in
        `tooldeck.plugins.plugins()`, which imports none. Raises `DefinitionError` for a name that none has.
        """
        from tooldeck.plugins import load_plugins

        return load_plugins(self.add, names)
