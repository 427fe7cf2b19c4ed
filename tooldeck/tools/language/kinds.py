"""Which language servers there are: a declared table, that a deck may add to."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tooldeck.core.errors import DefinitionError, SetupError
from tooldeck.guards.environment import environment
from tooldeck.guards.programs import find_program

__all__ = ["KINDS", "ServerKind", "filled", "reads_of"]

_PYTHON = MappingProxyType({".py": "python", ".pyi": "python"})
_SCRIPT = MappingProxyType(
    {
        **dict.fromkeys((".js", ".mjs", ".cjs"), "javascript"),
        **dict.fromkeys((".ts", ".mts", ".cts"), "typescript"),
        ".jsx": "javascriptreact",
        ".tsx": "typescriptreact",
    }
)
_C = MappingProxyType(
    {".c": "c", ".h": "c", **dict.fromkeys((".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"), "cpp")}
)
_SHEBANG = 256
_MOST_HOPS = 4


@dataclass(frozen=True, slots=True)
class ServerKind:
    """A language server and what it is for."""

    name: str
    command: tuple[str, ...]
    """The program, found on the PATH, and its arguments."""
    languages: Mapping[str, str]
    """The protocol's name of the language, by suffix of the file (``.py``)."""
    install: str
    """The command that installs it."""
    beside: bool = False
    """Whether it is asked beside the others of the language, as linters are; else the first one found is."""
    partly: tuple[str, ...] = ()
    """Requests that it answers less well than others do, who are asked first."""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What it is told when it asks for its configuration, by section (``python.analysis``).

    In its texts, as in `env`, ``{python}`` and ``{prefix}`` are the Python of the project: of its folder
    ``.venv`` or ``venv``, else this very one.
    """
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Its ``initializationOptions``."""
    watches: tuple[str, ...] = ()
    """Names of further files whose changes it is told of."""
    reads: tuple[str, ...] = ()
    """Folders beside the workspace that it may read; ``~`` is the home."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """Environment variables; ``~/`` at the beginning of a value is the home."""
    again: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What a change says beside the text, for a server that would not look at the same text once more."""

    def __post_init__(self) -> None:
        """Refuse what could never be started."""
        if not self.name or not self.command or not self.languages:
            raise DefinitionError(f"A language server needs a name, a command and languages: {self!r}.")
        if bad := [suffix for suffix in self.languages if not suffix.startswith(".")]:
            raise DefinitionError(f"{self.name}: the suffix {bad[0]!r} has to begin with a dot.")

    def language(self, path: str) -> str | None:
        """The protocol's name of the language of a file; None where the server is not for it."""
        return self.languages.get(Path(path).suffix.lower())

    @property
    def installed(self) -> bool:
        """Whether its program is there."""
        try:
            self.find()
        except SetupError:
            return False
        return True

    def find(self) -> str:
        """Where its program lies; raises `SetupError` with the command that installs it."""
        try:
            return find_program(self.command[0], environment())
        except SetupError:
            raise SetupError(
                f"The language server {self.name!r} is not installed here; install it with: {self.install}."
            ) from None


_ANALYSIS = {"diagnosticMode": "openFilesOnly"}
_PYRIGHT = {
    "python": {"pythonPath": "{python}", "analysis": _ANALYSIS},
    "basedpyright": {"analysis": _ANALYSIS},
}
_SCRIPT_FILES = ("tsconfig.json", "jsconfig.json", "package.json")
_PYRIGHT_FILES = ("pyproject.toml", "pyrightconfig.json")
KINDS: tuple[ServerKind, ...] = (
    ServerKind(
        "ty", ("ty", "server"), _PYTHON, "pip install ty", watches=("pyproject.toml", "ty.toml"),
        env={"VIRTUAL_ENV": "{prefix}"},
        partly=("textDocument/rename",),  # 0.0.108 leaves names in __all__ as they are
    ),
    ServerKind(
        "basedpyright", ("basedpyright-langserver", "--stdio"), _PYTHON, "pip install basedpyright",
        settings=_PYRIGHT, watches=_PYRIGHT_FILES,
    ),
    ServerKind(
        "pyright", ("pyright-langserver", "--stdio"), _PYTHON, "npm install -g pyright",
        settings=_PYRIGHT, watches=_PYRIGHT_FILES,
    ),
    ServerKind("pylsp", ("pylsp",), _PYTHON, "pip install python-lsp-server"),
    ServerKind(
        "jedi-language-server", ("jedi-language-server",), _PYTHON, "pip install jedi-language-server"
    ),
    ServerKind(
        "ruff", ("ruff", "server"), _PYTHON, "pip install ruff", beside=True,
        watches=("pyproject.toml", "ruff.toml", ".ruff.toml"),
    ),
    ServerKind(
        "typescript",
        ("tsc", "--lsp", "--stdio"),
        _SCRIPT,
        "npm install -g typescript",
        watches=_SCRIPT_FILES,
    ),
    ServerKind(
        "typescript-language-server", ("typescript-language-server", "--stdio"), _SCRIPT,
        "npm install -g typescript-language-server typescript@6",
        watches=_SCRIPT_FILES,
    ),
    ServerKind(
        "rust-analyzer", ("rust-analyzer",), MappingProxyType({".rs": "rust"}),
        "rustup component add rust-analyzer rust-src", watches=("Cargo.toml",),
        reads=("~/.rustup", "~/.cargo/bin", "~/.cargo/registry", "~/.cargo/git"),
        env={"RUSTUP_HOME": "~/.rustup"},
    ),
    ServerKind(
        "gopls", ("gopls",), MappingProxyType({".go": "go", ".mod": "go.mod"}),
        "go install golang.org/x/tools/gopls@latest", watches=("go.mod", "go.work"), reads=("~/go/pkg",),
        env={"GOMODCACHE": "~/go/pkg/mod", "GOFLAGS": "-mod=readonly"},
    ),
    ServerKind(
        "clangd", ("clangd", "--background-index=false"), _C, "apt-get install clangd",
        watches=("compile_commands.json", ".clangd"), again={"forceRebuild": True},
    ),
)  # fmt: skip
"""The servers that are known, in the order in which those of one language are tried."""


def filled(value: Any, root: Path) -> Any:
    """Settings with the Python of the project at `root` in its places."""
    if isinstance(value, Mapping):
        return {key: filled(one, root) for key, one in value.items()}
    if not isinstance(value, str):
        return value
    own = next(
        (place for name in (".venv", "venv") if (place := root / name / "bin" / "python").exists()), None
    )
    python = own or Path(sys.executable)
    return value.replace("{python}", str(python)).replace("{prefix}", str(python.parent.parent))


def reads_of(program: str) -> list[Path]:
    """What a program has to read beside itself: its folder, its libraries, and whatever runs it.

    A script of Node or of a Python of its own lies among its packages, which may be anywhere.
    """
    found: list[Path] = []
    for _ in range(_MOST_HOPS):
        real = Path(os.path.realpath(program))
        modules = [parent for parent in real.parents if parent.name == "node_modules"]
        prefixes = {Path(program).parent.parent, real.parent.parent}
        found += [Path(program).parent, real.parent, *modules[-1:]]
        found += [prefix / name for prefix in prefixes for name in ("lib", "lib64", "pyvenv.cfg")]
        interpreter = _interpreter(real)
        if not interpreter:
            break
        program = interpreter
    return [place for place in dict.fromkeys(found) if place.exists() and len(place.parts) > 2]


def _interpreter(script: Path) -> str:
    """The program that runs a script; empty for a program that runs by itself."""
    try:
        with script.open("rb") as file:
            first = file.readline(_SHEBANG)
    except OSError:
        return ""
    words = first[2:].decode(errors="replace").split() if first.startswith(b"#!") else []
    if not words:
        return ""
    if Path(words[0]).name == "env":
        names = [word for word in words[1:] if not word.startswith("-")]
        words = names[:1]
    if words and Path(words[0]).is_absolute():
        return words[0]
    try:
        return find_program(words[0], environment()) if words else ""
    except SetupError:
        return ""
