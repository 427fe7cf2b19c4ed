"""Lists of servers in forms of their own, brought into the form that VS Code has: ``servers`` and ``inputs``.

Goose lists programs as extensions. A ``server.json`` of the MCP registry describes the packages and addresses
of one server. Claude Code keeps servers of single folders by the folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

__all__ = ["familiar"]

Entry = dict[str, Any]
_RUNNERS = {"npm": ("npx", "-y"), "pypi": ("uvx",), "oci": ("docker", "run", "-i", "--rm")}
# The programs that run a package, by its kind.
_JOINED = {"npm": "@", "pypi": "==", "oci": ":"}
# What stands between the name of a package and its version.


def familiar(root: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The same list in the usual form, which most have already. `folder` is the current one."""
    if isinstance(root.get("extensions"), dict):
        return {"servers": dict(_goose(root["extensions"]))}
    if isinstance(root.get("packages"), list) or isinstance(root.get("remotes"), list):
        inputs: dict[str, Entry] = {}
        servers = dict(_registry(root, inputs))
        return {"servers": servers, "inputs": list(inputs.values())}
    own = _objects(_objects(root.get("projects")).get(str(folder))).get("mcpServers")
    if isinstance(own, dict):
        return {**root, "mcpServers": {**_objects(root.get("mcpServers")), **own}}
    return root


def _objects(given: Any) -> Entry:
    return cast("Entry", given) if isinstance(given, dict) else {}


def _list(given: Any) -> list[Entry]:
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def _goose(extensions: Entry) -> Iterator[tuple[str, Entry]]:
    for name, entry in extensions.items():
        one = _objects(entry)
        keys = one.get("env_keys")
        env = {str(key): f"${{{key}}}" for key in keys} if isinstance(keys, list) else {}
        known = {
            "command": one.get("cmd"),
            "url": one.get("uri"),
            "args": one.get("args") or [],
            "env": {**env, **_objects(one.get("envs"))},
            "type": "sse" if one.get("type") == "sse" else "",
            "enabled_tools": one.get("available_tools") or None,  # an empty list means all of them
        }
        taken = {key: value for key, value in known.items() if value is not None}
        if {"command", "url"} & taken.keys():
            yield name, {**one, **taken}


def _registry(root: Entry, inputs: dict[str, Entry]) -> Iterator[tuple[str, Entry]]:
    name = str(root.get("name") or "server").rsplit("/", 1)[-1]
    for package in _list(root.get("packages")):
        kind = str(package.get("registryType") or package.get("registry_type") or "")
        if kind in _RUNNERS:
            yield name, _package(package, kind, inputs)
            break  # the others are the same server by other means
    for number, remote in enumerate(_list(root.get("remotes")), 1):
        headers = dict(_pairs(remote.get("headers"), inputs))
        kind = "sse" if remote.get("type") == "sse" else "http"
        label = f"{name}-remote" if number == 1 else f"{name}-remote-{number}"
        url = _value(remote, str(remote.get("url", "")), inputs)
        yield label, {"type": kind, "url": url, "headers": headers}


def _package(package: Entry, kind: str, inputs: dict[str, Entry]) -> Entry:
    env = dict(_pairs(package.get("environmentVariables"), inputs))
    version = package.get("version")
    named = str(package.get("identifier", ""))
    full = f"{named}{_JOINED[kind]}{version}" if version and version != "latest" else named
    command, *words = _RUNNERS[kind]
    words += _words(package.get("runtimeArguments"), inputs)
    if kind == "oci":  # a container sees no variable that it is not told of
        words += [word for name in env for word in ("-e", name)]
    return {
        "command": str(package.get("runtimeHint") or command),
        "args": [*words, full, *_words(package.get("packageArguments"), inputs)],
        "env": env,
    }


def _words(given: Any, inputs: dict[str, Entry]) -> Iterator[str]:
    for one in _list(given):
        named = one.get("type") == "named"
        name = str(one.get("name") or "")
        told = one.get("value", one.get("default"))
        if told is None and not one.get("isRequired") and not one.get("valueHint"):
            yield from [name] if named and name else []
            continue
        if named:
            yield name
        hint = str(one.get("valueHint") or name.lstrip("-") or "value")
        yield _wanted(hint, one, inputs) if told is None else _value(one, str(told), inputs)


def _pairs(given: Any, inputs: dict[str, Entry]) -> Iterator[tuple[str, str]]:
    """Variables or headers; those that nobody needs to give are left out."""
    for one in _list(given):
        name, told = str(one.get("name", "")), one.get("value")
        if told is not None:
            yield name, _value(one, str(told), inputs)
        elif one.get("isRequired") or one.get("default") is not None:
            yield name, _wanted(name, one, inputs)


def _value(one: Entry, text: str, inputs: dict[str, Entry]) -> str:
    """A text with the gaps ``{name}`` that `one` describes."""
    for name, about in _objects(one.get("variables")).items():
        text = text.replace(f"{{{name}}}", _wanted(str(name), _objects(about), inputs))
    return text


def _wanted(name: str, about: Mapping[str, Any], inputs: dict[str, Entry]) -> str:
    inputs[name] = {
        "id": name,
        "description": about.get("description"),
        "default": about.get("default"),
        "options": about.get("choices"),
        "password": about.get("isSecret") is True,
    }
    return f"${{input:{name}}}"
