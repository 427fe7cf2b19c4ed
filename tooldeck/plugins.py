"""Tools from other packages: the entry point group ``tooldeck.tools``.

The names are known from the packages' metadata; nothing is imported before it is asked for. What an entry
point leads to may be a function (the tool itself), a `Tool`, a tool record, a `BaseTool` class or object, an
iterable of these, or a function without parameters whose return annotation says that it gives an iterable.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from tooldeck.core.base_tool import BaseTool
from tooldeck.core.errors import DefinitionError
from tooldeck.core.strangers import error_words
from tooldeck.core.tool import Origin, Tool
from tooldeck.core.vocabulary import nearest

__all__ = ["GROUP", "LoadedPlugins", "Plugin", "load_plugins", "plugins"]

GROUP = "tooldeck.tools"
"""The entry point group."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point that is installed."""

    name: str
    package: str
    """The distribution that it comes with."""
    version: str
    target: str
    """Where its code is, as ``module:attribute``."""
    point: EntryPoint = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class LoadedPlugins:
    """What came of loading plug-ins."""

    tools: tuple[Tool, ...]
    problems: Mapping[str, str]
    """By name of the plug-in, why it, or one of its tools, could not be loaded."""

    def __repr__(self) -> str:
        told = [f"loaded {', '.join(tool.name for tool in self.tools) or 'no tools'}"]
        told += [f"{name}: {problem}" for name, problem in self.problems.items()]
        return "\n".join(told)


def plugins() -> tuple[Plugin, ...]:
    """All that are installed, by name; imports none of them."""
    found = [
        Plugin(
            point.name,
            point.dist.name if point.dist is not None else "",
            point.dist.version if point.dist is not None else "",
            point.value,
            point,
        )
        for point in entry_points(group=GROUP)
    ]
    return tuple(sorted(found, key=lambda plugin: (plugin.name, plugin.package)))


def load_plugins(add: Callable[..., Tool], names: Iterable[str] = ()) -> LoadedPlugins:
    """Import plug-ins, all or those of these names, and `add` their tools; a broken one stops no other.

    Raises `DefinitionError` for a name that none has.
    """
    tools: list[Tool] = []
    problems: dict[str, str] = {}
    for plugin in _chosen(tuple(names)):
        try:
            things = list(_things(plugin.point.load()))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - other people's modules may do anything
            problems[plugin.name] = (
                f"cannot be loaded from {plugin.package or plugin.target}: {error_words(error)}"
            )
            continue
        for thing in things:
            try:
                tools.append(_added(add, thing, Origin("plugin", plugin.package)))
            except Exception as error:  # noqa: BLE001 - as above
                problems[plugin.name] = f"has a tool that cannot be added: {error_words(error)}"
    return LoadedPlugins(tuple(tools), problems)


def _chosen(names: tuple[str, ...]) -> list[Plugin]:
    found = plugins()
    known = [plugin.name for plugin in found]
    for name in names:
        if name not in known:
            close = nearest(name, known, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"installed: {', '.join(known) or 'none'}."
            raise DefinitionError(f"There is no plug-in {name!r}; {hint}")
    return [plugin for plugin in found if not names or plugin.name in names]


def _things(loaded: Any) -> Iterable[Any]:
    """The tools that an entry point leads to, not yet made."""
    if inspect.isclass(loaded) and issubclass(loaded, BaseTool):
        return [loaded()]
    if isinstance(loaded, Tool | BaseTool | Mapping):
        return [loaded]
    if callable(loaded):
        return _things(loaded()) if _gives_many(loaded) else [loaded]
    if isinstance(loaded, Iterable) and not isinstance(loaded, str | bytes):
        return [thing for one in loaded for thing in _things(one)]
    return [loaded]  # no tool; adding it says so


def _gives_many(function: Callable[..., Any]) -> bool:
    """Whether a function takes nothing and says that it returns an iterable of things."""
    try:
        if inspect.signature(function).parameters:
            return False
        returned = typing.get_type_hints(function).get("return")
    except Exception:  # noqa: BLE001 - what cannot be read says nothing
        return False
    kind = typing.get_origin(returned) or returned
    return (
        inspect.isclass(kind) and issubclass(kind, Iterable) and not issubclass(kind, str | bytes | Mapping)
    )


def _added(add: Callable[..., Tool], thing: Any, origin: Origin) -> Tool:
    if isinstance(thing, Tool):
        from dataclasses import replace

        return add(replace(thing, origin=origin))
    return add(thing, origin=origin)
