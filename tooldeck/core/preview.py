"""The preview of a call: what it would change, told by a function of the author before anybody is asked.

The function takes the tool's own arguments, or some of them, and must change nothing. It is given a few
seconds. Whatever goes wrong with it is said in place of the preview and decides nothing, unless the author
says that nobody shall be asked without one.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tooldeck.core.call import ToolCall
from tooldeck.core.errors import DefinitionError
from tooldeck.core.host import Host, LimitPassed, Work
from tooldeck.core.injection import Need
from tooldeck.core.invoking import runs_async
from tooldeck.core.strangers import error_words, to_repr
from tooldeck.core.tool import Tool

__all__ = ["NoPreview", "preview_of", "read_preview"]

SECONDS = 5.0
"""How long a preview may take, unless its tool says something else."""
MAX_CHARS = 500_000
"""A longer preview is not shown at all, since half of it would mislead."""


class NoPreview(Exception):
    """Why it cannot be told what a call would change, in words, where nobody is to be asked without that."""


Fill = Callable[[tuple[Need, ...]], dict[str, Any]]
_VARIADIC = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)


def read_preview(
    name: str, function: Callable[..., Any] | None, signature: inspect.Signature, needs: tuple[Need, ...] = ()
) -> Callable[[Mapping[str, Any]], Any] | None:
    """The preview function of the tool `name` as a function of the values by name.

    It may take what the tool is given injected (`needs`) as well. Raises `DefinitionError` when it wants a
    parameter that the tool (of this `signature`) does not have.
    """
    if function is None:
        return None
    try:
        wanted = inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise DefinitionError(f"The preview of {name!r} cannot be called: {error}.") from None
    for parameter in wanted.values():
        injected = any(need.name == parameter.name for need in needs)
        if parameter.default is parameter.empty and not injected and not _known(parameter, signature):
            raise DefinitionError(
                f"The preview of {name!r} has the parameter {parameter.name!r}, which the tool has not; "
                f"it may take {', '.join(signature.parameters) or 'none'}."
            )
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in wanted.values())
    defaults = {
        parameter.name: parameter.default
        for parameter in signature.parameters.values()
        if parameter.default is not parameter.empty
    }

    def preview(values: Mapping[str, Any]) -> Any:
        given = {**defaults, **values}
        return function(**{key: value for key, value in given.items() if takes_all or key in wanted})

    async def preview_later(values: Mapping[str, Any]) -> Any:
        return await preview(values)

    return preview_later if runs_async(function) else preview


def _known(parameter: inspect.Parameter, signature: inspect.Signature) -> bool:
    """Whether the tool can have an argument for a parameter of its preview."""
    if parameter.kind in _VARIADIC or parameter.name in signature.parameters:
        return True
    return any(own.kind is own.VAR_KEYWORD for own in signature.parameters.values())


def _copied(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values for a preview, which must not be able to change what is approved."""
    return {name: _copy(value) for name, value in values.items()}


def _copy(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001 - a connection or the like; there is only the one
        return value


async def preview_of(tool: Tool, host: Host, call: ToolCall, fill: Fill) -> str | None:
    """What the call would change, or why that cannot be told; None for a tool without a preview.

    `fill` gives the injected values. Raises `NoPreview` for the reason where the tool must have one.
    """
    if tool.preview is None:
        return None
    missing, shown = await _shown(tool, host, call, fill)
    if not missing:
        return shown
    if tool.preview_within is not None:
        raise NoPreview(missing)
    return f"no preview: {missing}"


async def _shown(tool: Tool, host: Host, call: ToolCall, fill: Fill) -> tuple[str, str]:
    """Why there is no preview, else the preview."""
    preview = tool.preview
    assert preview is not None  # noqa: S101 - asked for
    limit = tool.preview_within or SECONDS
    try:
        values = (
            _copied(call.values) if not tool.injected else {**_copied(call.values), **fill(tool.injected)}
        )
        work = Work(
            partial(preview, values), runs_async(preview), limit=limit, label=f"preview of {tool.name}"
        )
        shown = await host.run(work)
    except LimitPassed:
        return f"it took longer than {limit:g} s", ""
    except Exception as error:  # noqa: BLE001 - functions of the author may raise anything
        return f"it raised {error_words(error)}", ""
    if not isinstance(shown, str):
        return f"it gave {to_repr(shown)[:200]}, which is no text", ""
    if len(shown) > MAX_CHARS:
        return f"{len(shown)} characters are more than a person can judge", ""
    return ("", shown) if shown else ("it is empty", "")
