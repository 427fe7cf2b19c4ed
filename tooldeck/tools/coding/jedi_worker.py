"""What Python names mean, by jedi, in a process of its own inside of the sandbox.

Reads one request as JSON from stdin and writes one answer as JSON to stdout. Standard library and jedi only.
Every occurrence of a name is resolved by itself: jedi's own search stops after thirty files, knows no names
of two letters and leaves parameters out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jedi
from jedi.api.environment import InterpreterEnvironment

ENVIRONMENT: Any = InterpreterEnvironment()
Group = tuple[Any, ...]


def main() -> None:
    """Answer one request."""
    sys.setrecursionlimit(5_000)
    asked = json.load(sys.stdin)
    root = Path(asked["root"])
    inner = [str(root / "src")] if (root / "src").is_dir() else []
    project = jedi.Project(root, added_sys_path=inner, load_unsafe_extensions=False)
    answer = _definitions(asked, project) if asked["what"] == "definitions" else _references(asked, project)
    json.dump(answer, sys.stdout)


def _script(asked: dict[str, Any], project: Any) -> Any:
    code = asked["text"]
    path = None if code is not None else Path(asked["root"]) / asked["path"]
    return jedi.Script(code, path=path, project=project, environment=ENVIRONMENT)


def _definitions(asked: dict[str, Any], project: Any) -> dict[str, Any]:
    script = _script(asked, project)
    names = script.goto(asked["line"], asked["column"], follow_imports=True, follow_builtin_imports=True)
    return {"places": [_place(name) for name in names]}


def _place(name: Any) -> dict[str, Any]:
    return {
        "path": None if name.module_path is None else str(name.module_path),
        "line": name.line,
        "column": name.column,
        "full_name": name.full_name or name.name,
        "text": name.description,
    }


def _references(asked: dict[str, Any], project: Any) -> dict[str, Any]:
    script = _script(asked, project)
    started = script.goto(asked["line"], asked["column"], follow_imports=True)
    wanted = {_group(name) for name in started}
    found: list[dict[str, Any]] = []
    unsure: list[dict[str, Any]] = []
    root = Path(asked["root"])
    scripts = [script] if asked["text"] is not None else []
    scripts += [
        jedi.Script(path=root / path, project=project, environment=ENVIRONMENT) for path in asked["files"]
    ]
    for one in scripts:
        for name in one.get_names(all_scopes=True, definitions=True, references=True):
            if name.name != asked["name"]:
                continue
            groups = _groups(name)
            if groups & wanted:
                found.append({**_place(name), "definition": name.is_definition()})
            elif not groups:
                unsure.append(_place(name))
    return {"places": found, "unsure": unsure, "targets": [_place(name) for name in started]}


def _groups(name: Any) -> set[Group]:
    try:
        targets = name.goto(follow_imports=True)
    except Exception:  # noqa: BLE001 - jedi stumbles over some code; then nothing is known of this place
        return set()
    return {_group(target) for target in targets}


def _group(name: Any) -> Group:
    """What all definitions of the same thing have in common: the scope that holds the name."""
    if name.module_path is None and name.in_builtin_module():
        return ("elsewhere", name.full_name)
    if name.type == "module":
        return ("module", str(name.module_path))
    line = name.get_line_code() if name.line else ""
    scope = name.parent()
    if line[: name.column or 0].rstrip().endswith(("self.", "cls.")):
        while scope is not None and scope.type not in {"class", "module"}:
            scope = scope.parent()
    place = (None, None) if scope is None or scope.type == "module" else (scope.line, scope.column)
    return ("name", str(name.module_path), *place)


if __name__ == "__main__":
    main()
