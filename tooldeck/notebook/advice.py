"""What the author of a ``%%tool`` cell has left out, though a model would need it to call the tool well."""

from __future__ import annotations

from inspect import Parameter

from tooldeck.core.tool import Tool

__all__ = ["advice"]

_MANY = {Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD}


def advice(tool: Tool) -> tuple[str, ...]:
    """One sentence for each thing that is missing: types of parameters, a description."""
    parameters = tool.signature.parameters.values() if tool.signature is not None else ()
    untyped = [one.name for one in parameters if one.annotation is Parameter.empty and one.kind not in _MANY]
    found: list[str] = []
    if untyped:
        names = ", ".join(untyped)
        found.append(
            f"no type is given for {names}, so that any value fits; write it as in {untyped[0]}: str"
        )
    if not tool.description:
        found.append("there is no docstring to say what the tool is for, which is all that a model goes by")
    return tuple(found)
