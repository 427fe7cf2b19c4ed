"""What we tell language servers that we can do, and the words of the protocol that need a table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tooldeck.tools.language.positions import ENCODINGS

__all__ = ["CAPABILITIES", "PROVIDERS", "SEVERITIES", "SYMBOL_KINDS"]

_LINKS = {"linkSupport": True}
_SYMBOLS = {"valueSet": list(range(1, 27))}
_ACTIONS = ("", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.rewrite", "source",
            "source.organizeImports", "source.fixAll")  # fmt: skip
CAPABILITIES: Mapping[str, Any] = {
    "general": {"positionEncodings": list(ENCODINGS)},
    "window": {"workDoneProgress": True},
    "workspace": {
        "applyEdit": True,
        "configuration": True,
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "symbol": {"symbolKind": _SYMBOLS},
        "diagnostics": {"refreshSupport": True},
        "workspaceEdit": {
            "documentChanges": True,
            "resourceOperations": ["create", "rename", "delete"],
            "failureHandling": "transactional",
        },
    },
    "textDocument": {
        "synchronization": {"didSave": False},
        "publishDiagnostics": {"versionSupport": True},
        "diagnostic": {"relatedDocumentSupport": False},
        "declaration": _LINKS,
        "definition": _LINKS,
        "typeDefinition": _LINKS,
        "implementation": _LINKS,
        "references": {},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True, "symbolKind": _SYMBOLS},
        "rename": {"prepareSupport": True},
        "formatting": {},
        "callHierarchy": {},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": list(_ACTIONS)}},
            "dataSupport": True,
            "disabledSupport": True,
            "isPreferredSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
    },
}
"""The ``capabilities`` of our ``initialize``."""

PROVIDERS: Mapping[str, str] = MappingProxyType(
    {
        "textDocument/declaration": "declarationProvider",
        "textDocument/definition": "definitionProvider",
        "textDocument/typeDefinition": "typeDefinitionProvider",
        "textDocument/implementation": "implementationProvider",
        "textDocument/references": "referencesProvider",
        "textDocument/hover": "hoverProvider",
        "textDocument/documentSymbol": "documentSymbolProvider",
        "workspace/symbol": "workspaceSymbolProvider",
        "textDocument/rename": "renameProvider",
        "textDocument/formatting": "documentFormattingProvider",
        "textDocument/codeAction": "codeActionProvider",
        "textDocument/prepareCallHierarchy": "callHierarchyProvider",
        "textDocument/diagnostic": "diagnosticProvider",
    }
)
"""Where a server says that it answers a request, among its capabilities."""

SEVERITIES: Mapping[int, str] = MappingProxyType({1: "error", 2: "warning", 3: "information", 4: "hint"})
SYMBOL_KINDS: Mapping[int, str] = MappingProxyType(
    dict(
        enumerate(
            (
                *("file", "module", "namespace", "package", "class", "method", "property", "field"),
                *("constructor", "enum", "interface", "function", "variable", "constant", "string", "number"),
                *("boolean", "array", "object", "key", "null", "enum member", "struct", "event"),
                *("operator", "type parameter"),
            ),
            1,
        )
    )
)
