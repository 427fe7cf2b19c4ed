"""The symbols of all other languages, by the grammars of tree-sitter that ast-grep brings along.

For each language there is a table: the kind of a node that defines a name, and the kind of symbol that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from tooldeck.tools.coding.languages import tree_of
from tooldeck.tools.coding.symbols import Symbol, numbered, shortened

if TYPE_CHECKING:
    from ast_grep_py import SgNode

__all__ = ["strings_of", "tree_faults", "tree_symbols"]

_SCRIPT = {
    "abstract_class_declaration": "class", "abstract_method_signature": "method",
    "class_declaration": "class", "enum_declaration": "enum", "field_definition": "field",
    "function_declaration": "function", "function_signature": "function",
    "generator_function_declaration": "function", "interface_declaration": "interface",
    "internal_module": "namespace", "method_definition": "method", "method_signature": "method",
    "module": "namespace", "property_signature": "field", "public_field_definition": "field",
    "type_alias_declaration": "type", "variable_declarator": "variable",
}  # fmt: skip
_C = {
    "alias_declaration": "type", "class_specifier": "class", "concept_definition": "type",
    "declaration": "variable", "enum_specifier": "enum", "enumerator": "member",
    "field_declaration": "field", "function_definition": "function", "namespace_definition": "namespace",
    "preproc_def": "macro", "preproc_function_def": "macro", "struct_specifier": "struct",
    "type_definition": "type", "union_specifier": "union",
}  # fmt: skip
_GO = {
    "const_spec": "constant", "field_declaration": "field", "function_declaration": "function",
    "method_declaration": "method", "method_elem": "method", "type_alias": "type", "type_spec": "type",
    "var_spec": "variable",
}  # fmt: skip
_RUST = {
    "const_item": "constant", "enum_item": "enum", "enum_variant": "member", "field_declaration": "field",
    "function_item": "function", "function_signature_item": "function", "impl_item": "impl",
    "macro_definition": "macro", "mod_item": "namespace", "static_item": "variable",
    "struct_item": "struct", "trait_item": "trait", "type_item": "type", "union_item": "union",
}  # fmt: skip
_JAVA = {
    "annotation_type_declaration": "interface", "class_declaration": "class",
    "compact_constructor_declaration": "method", "constructor_declaration": "method",
    "enum_constant": "member", "enum_declaration": "enum", "interface_declaration": "interface",
    "method_declaration": "method", "record_declaration": "class", "variable_declarator": "field",
}  # fmt: skip
_TABLES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"javascript": _SCRIPT, "typescript": _SCRIPT, "tsx": _SCRIPT, "c": _C, "cpp": _C, "go": _GO,
     "rust": _RUST, "java": _JAVA, "python": {"class_definition": "class", "function_definition": "function"}}
)  # fmt: skip
_WORDS = ("class", "interface", "struct", "enum", "trait", "namespace", "method", "function", "constructor")
# What the kinds of nodes are called in the grammars that have no table.
_FUNCTIONS = {"function", "method", "macro"}
_TYPES = {"class", "enum", "impl", "interface", "struct", "trait", "union"}
_AROUND = {
    "ambient_declaration", "const_declaration", "declaration", "decorated_definition", "export_statement",
    "field_declaration", "lexical_declaration", "template_declaration", "type_declaration",
    "var_declaration", "variable_declaration",
}  # fmt: skip
# Nodes that belong to the one definition in them.
_ATTRIBUTES = {"attribute_item", "decorator"}
_BODIES = ("body", "declaration_list", "field_declaration_list", "class_body", "block")
_NAME_FIELDS = ("name", "property", "declarator", "pattern")


def tree_symbols(text: str, language: str) -> list[Symbol]:
    """What the text defines; a broken text gives what can be read of it. Raises like `tree_of`."""
    root = tree_of(text, language)
    found: list[Symbol] = []
    ahead: list[tuple[SgNode, tuple[str, ...], str]] = [(root, (), "")]
    while ahead:
        node, scope, holder = ahead.pop()
        if node.kind() == "impl_item":
            found.append(_symbol(text, node, _Named(_impl_name(node), "impl", _start(node)), scope))
            scope, holder = (*scope, _plain(_text(node.field("type")))), "impl"
        named = list(_named(node, language, holder)) if node.kind() != "impl_item" else []
        found += [_symbol(text, node, one, scope) for one in named]
        if named and named[0].kind in _TYPES | _FUNCTIONS | {"namespace", "type"}:
            scope, holder = (*scope, *named[0].scope, named[0].name), named[0].kind
        ahead += [(child, scope, holder) for child in node.children() if child.is_named()]
    return numbered(found)


def tree_faults(text: str, language: str) -> list[str]:
    """Where the text is not of its language, in words and in order. Raises like `tree_of`."""
    ahead = [tree_of(text, language)]
    found: list[SgNode] = []
    while ahead:
        node = ahead.pop()
        missing = node.is_leaf() and not node.is_named() and not node.text()
        if node.kind() == "ERROR" or missing:
            found.append(node)
        else:
            ahead += node.children()
    return [_fault(node) for node in sorted(found, key=_start)]


def _fault(node: SgNode) -> str:
    where = f"line {node.range().start.line + 1}"
    if node.kind() != "ERROR":
        return f"{where}: {node.kind()!r} is missing"
    shown = " ".join(node.text().split())[:60]
    return f"{where}: {shown!r} does not belong there"


def strings_of(text: str, language: str) -> list[tuple[int, int]]:
    """The lines from and to, counted from 0, of texts within the text that have several."""
    found: list[tuple[int, int]] = []
    ahead = [tree_of(text, language)]
    while ahead:
        node = ahead.pop()
        first, last = node.range().start.line, node.range().end.line
        if "string" in node.kind() and last > first:
            found.append((first, last))
        elif last > first:
            ahead += node.children()
    return found


class _Named(NamedTuple):
    name: str
    kind: str
    at: int
    scope: tuple[str, ...] = ()


def _named(node: SgNode, language: str, holder: str) -> Iterator[_Named]:
    """The names that a node defines; of those inside of a function only functions and types.

    `holder` is the kind of the definition around it.
    """
    table = _TABLES.get(language)
    kind = table.get(node.kind()) if table is not None else _guessed(node)
    if kind is None or (language in {"c", "cpp"} and kind in _TYPES and node.field("body") is None):
        return
    for spot in _spots(node, kind):
        name = _last(spot)
        told = _closer(node, kind, spot)
        if holder in _FUNCTIONS and told not in _FUNCTIONS | _TYPES:
            continue
        names = _plain(name.text()).split("::") if language == "cpp" else [_plain(name.text())]
        owner = (*_receiver(node), *names[:-1])
        if told == "function" and (holder in _TYPES or owner):
            told = "method"
        if names[-1]:
            yield _Named(names[-1], told, name.range().start.index + name.text().rfind(names[-1]), owner)


def _guessed(node: SgNode) -> str | None:
    if node.field("name") is None or not node.kind().endswith(("_declaration", "_definition", "_item")):
        return None
    found = next((word for word in _WORDS if word in node.kind()), None)
    return "method" if found == "constructor" else found


def _spots(node: SgNode, kind: str) -> list[SgNode]:
    """The nodes with the names; a declaration may have several."""
    if node.kind() in {"declaration", "field_declaration", "type_definition"}:
        several = node.field_children("declarator")
        if several or node.kind() == "declaration":
            inner = [one for one in several if one.kind() == "variable_declarator"]
            return inner or several
    for field in _NAME_FIELDS:
        several = node.field_children(field)
        if several:
            names = [one for one in several if one.is_named()] if field == "name" else several[:1]
            return [inner for one in names for inner in _unpacked(one)]
    return []


def _unpacked(node: SgNode) -> list[SgNode]:
    """The names in a pattern that takes a value apart; else the node itself."""
    if node.kind() not in {"object_pattern", "array_pattern"}:
        return [node]
    found: list[SgNode] = []
    ahead = [node]
    while ahead:
        one = ahead.pop()
        if one.kind() in {"identifier", "shorthand_property_identifier_pattern"}:
            found.append(one)
        elif one.kind() in {"pair_pattern", "assignment_pattern", "object_assignment_pattern"}:
            ahead += [side for name in ("value", "left") if (side := one.field(name)) is not None]
        else:
            ahead += one.children()
    return sorted(found, key=_start)


def _last(node: SgNode) -> SgNode:
    """The name in a declarator, which may be wrapped in pointers, parameters and values."""
    while True:
        inner = node.field("declarator") or (
            node.field("name") if node.kind().endswith("declarator") else None
        )
        if inner is None and node.kind().endswith(("_declarator", "declarator")):
            inner = next((one for one in node.children() if one.is_named()), None)
        if inner is None:
            return node
        node = inner


def _closer(node: SgNode, kind: str, spot: SgNode) -> str:
    """The kind, where the node alone does not tell it."""
    if node.kind() == "type_spec":
        made = node.field("type")
        return {"struct_type": "struct", "interface_type": "interface"}.get(made.kind() if made else "", kind)
    if node.kind() == "variable_declarator":
        value = node.field("value")
        made = value.kind() if value is not None else ""
        return "function" if "function" in made else "class" if made == "class" else kind
    if kind in {"variable", "field"} and node.kind() in {"declaration", "field_declaration"}:
        one: SgNode | None = spot
        while one is not None:
            if one.kind() == "function_declarator":
                return "function" if kind == "variable" else "method"
            one = one.field("declarator")
    return kind


def _receiver(node: SgNode) -> tuple[str, ...]:
    """The type that a method of Go belongs to."""
    if node.kind() != "method_declaration" or (given := node.field("receiver")) is None:
        return ()
    found = given.find(kind="type_identifier")
    return (found.text(),) if found is not None else ()


def _impl_name(node: SgNode) -> str:
    trait = _text(node.field("trait"))
    return " ".join(f"impl {trait} for {_text(node.field('type'))}" .split()) if trait else (
        f"impl {_text(node.field('type'))}"
    )  # fmt: skip


def _symbol(text: str, node: SgNode, named: _Named, scope: tuple[str, ...]) -> Symbol:
    whole = _whole(node)
    start, lead = _leads(whole)
    span = whole.range()
    stop = span.end.index
    if text[stop : stop + 1] == ";":
        stop += 1
    stop -= len(text[start:stop]) - len(text[start:stop].rstrip())
    body = next((found for field in _BODIES if (found := node.field(field)) is not None), None)
    head = text[_start(whole) : body.range().start.index if body is not None else stop]
    line = text.count("\n", 0, start) + 1
    return Symbol(
        named.name, named.kind, (*scope, *named.scope), start, stop, lead, named.at,
        line, line + text.count("\n", start, stop), shortened(head, ("{", ":", "=>", "=")),
    )  # fmt: skip


def _whole(node: SgNode) -> SgNode:
    """The node with what belongs to it alone: its export, its template, its keyword."""
    while True:
        around = node.parent()
        if around is None or around.kind() not in _AROUND:
            return node
        if sum(one.kind() == node.kind() for one in around.children()) > 1:
            return node
        node = around


def _leads(node: SgNode) -> tuple[int, int]:
    """Where a node begins with its attributes, and with the comment right above."""
    start = lead = _start(node)
    line = node.range().start.line
    for before in node.prev_all():
        is_attribute = before.kind() in _ATTRIBUTES
        end = before.range().end
        touches = (end.line - (1 if end.column == 0 else 0)) in {line - 1, line}
        if not touches or not (is_attribute or "comment" in before.kind()):
            break
        line, lead = before.range().start.line, _start(before)
        if is_attribute:
            start = lead
    return start, lead


def _start(node: SgNode) -> int:
    return node.range().start.index


def _text(node: SgNode | None) -> str:
    return "" if node is None else node.text()


def _plain(name: str) -> str:
    """A name without the parameters of its type."""
    short = " ".join(name.split())
    return short if short.startswith("operator") else short.partition("<")[0].strip("'\"")
