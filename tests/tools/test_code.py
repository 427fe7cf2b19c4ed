"""code: symbols by their paths, edits that parse, names that are resolved; also in notebooks."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tooldeck.core.errors import ExpectedError
from tooldeck.tools.coding.changing import body_of, inserted, replaced
from tooldeck.tools.coding.meaning import _Parsed
from tooldeck.tools.coding.symbols import NamePath
from tooldeck.tools.coding.units import Unit, symbols_of

TEXTS = {
    "python": (
        "# about\n# it\n@dec(\n    1)\nclass Lamp:\n    level: int = 1\n\n"
        "    @property\n    async def on(self):\n"
        '        """Turn it\non.\n"""\n        return 1\n\n    def on2(self): pass\n\n\n'
        'if True:\n    def é(): return "😀"\n'
        "LEVELS = 3\nx, y = 1, 2\n"
    ),
    "typescript": (
        "/** about */\nexport class A<T> {\n  x = 1;\n  get y() { return `a\nb`; }\n}\n"
        "export const f = () => 1;\ninterface I { m(): void }\nnamespace N { export function g() {} }\n"
    ),
    "tsx": "export function View() {\n  const inner = 1;\n  return <b>{inner}</b>;\n}\n",
    "javascript": (
        "class A { #p = 1; m() {} }\nfunction* gen() {}\nlet y = 1, z = 2;\n"
        "const { a, k: b = 1, c = 2, ...rest } = y, [d, , e] = z;\n"
    ),
    "go": (
        "package p\n\ntype S struct {\n\tA int\n}\n\n"
        "// M does.\nfunc (s *S) M() int { return 1 }\n\nconst C = 1\n"
    ),
    "rust": "#[derive(Debug)]\nstruct S { a: i32 }\n\nimpl S {\n    pub fn new() -> S { S { a: 1 } }\n}\n",
    "java": "class A {\n  int x = 1, y;\n  A() {}\n  void m() {}\n  void m(int a) { int local = 1; }\n}\n",
    "c": "struct S { int a; };\n#define M 1\nstatic int *f(int a) { int local; return 0; }\nint x = 1;\n",
    "cpp": "namespace n {\nclass A {\n public:\n  int m() const;\n};\n}\nint n::A::m() const { return 1; }\n",
}
DEFINED = {
    "python": (
        "class Lamp|field Lamp/level|property Lamp/on|method Lamp/on2|function é|constant LEVELS|"
        "variable x|variable y"
    ),
    "typescript": "class A|field A/x|method A/y|function f|interface I|method I/m|namespace N|function N/g",
    "tsx": "function View",
    "javascript": "class A|field A/#p|method A/m|function gen|variable y|variable z|"
    "variable a|variable b|variable c|variable rest|variable d|variable e",
    "go": "struct S|field S/A|method S/M|constant C",
    "rust": "struct S|field S/a|impl impl S|method S/new",
    "java": "class A|field A/x|field A/y|method A/A|method A/m[0]|method A/m[1]",
    "c": "struct S|field S/a|macro M|function f|variable x",
    "cpp": "namespace n|class n/A|method n/A/m[0]|method n/A/m[1]",
}


def unit(language):
    return Unit(f"a.{language}", TEXTS[language], language)


@pytest.mark.parametrize("language", DEFINED)
def test_each_language_tells_what_it_defines(language):
    found = symbols_of(unit(language))
    assert "|".join(f"{one.kind} {one.path}" for one in found) == DEFINED[language]
    for one in found:
        name = one.name.removeprefix("impl ")
        assert one.kind == "impl" or TEXTS[language][one.name_at :].startswith(name)
        assert sum(NamePath(f"/{one.path}").fits(other) for other in found) == 1


@pytest.mark.parametrize("language", DEFINED)
def test_a_body_put_back_is_the_same_text(language):
    where = unit(language)
    for one in symbols_of(where):
        assert replaced(where, one, body_of(where, one)) == where.text


def test_new_text_gets_the_indentation_of_its_place_and_strings_stay_as_they_are():
    where = unit("python")
    on2 = next(one for one in symbols_of(where) if one.name == "on2")
    wanted = '    def on2(self):\n        return """a\n  b"""\n\n\nif'
    for given in (
        'def on2(self):\n    return """a\n  b"""',
        '    def on2(self):\n        return """a\n  b"""\n',
        '  def on2(self):\n      return """a\n  b"""',
    ):
        assert wanted in replaced(where, on2, given)
    assert "    def on2(self):\n        return 1\n" in replaced(
        where, on2, "def on2(self):\n        return 1"
    )


def test_inserted_code_has_the_blank_lines_of_its_place():
    where = unit("python")
    symbols = {one.path: one for one in symbols_of(where)}
    before = inserted(where, symbols["Lamp"], "def f():\n    pass", "before")
    assert before.startswith("def f():\n    pass\n\n\n# about\n# it\n@dec(")
    after = inserted(where, symbols["Lamp/on"], "def off(self):\n    pass", "after")
    assert "        return 1\n\n    def off(self):\n        pass\n\n    def on2" in after
    assert "    level: int = 1\n    other = 2\n\n    @property" in inserted(
        where, symbols["Lamp/level"], "other = 2", "after"
    )
    end = inserted(where, symbols["x"], "def g(): pass", "after")
    assert end.endswith("x, y = 1, 2\n\n\ndef g(): pass\n")
    java = unit("java")
    with pytest.raises(ExpectedError, match="shares its lines"):
        inserted(java, symbols_of(java)[1], "int w;", "after")


PROJECT = {
    "pkg/__init__.py": "from pkg.lamp import Lamp, go\n\n__all__ = ['Lamp', 'go']\n",
    "pkg/lamp.py": (
        '__all__ = ["Lamp", "go"]\n\n\nclass Lamp:\n    level: int = 0\n\n'
        "    def __init__(self, level: int = 1):\n        self.level = level\n\n"
        "    def go(self):\n        self.level += 1\n        return self\n\n\n"
        "def go(lamp, hard=False):\n    return lamp.go().level if hard else 'go'\n"
    ),
    "main.py": (
        "import pkg.lamp\nfrom pkg import go as run, Lamp\nfrom pkg.lamp import go\n\nlamp = Lamp(level=3)\n"
        "print(go(lamp, hard=True), run(lamp), pkg.lamp.go(lamp), lamp.level, 'go')\n\n\ndef later(thing):\n"
        "    return thing.go()\n"
    ),
    "web/a.ts": "export function go(): void {}\n",
}


@pytest.fixture
def project(root):
    for number in range(31):  # more than any engine of one sort looks at by itself
        (root / "many").mkdir(exist_ok=True)
        (root / f"many/m{number}.py").write_text("from pkg.lamp import go\n\nx = go\n")
    for path, text in PROJECT.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    book = {"cells": [{"cell_type": "code", "id": "c1", "metadata": {}, "outputs": [],
                       "execution_count": None,
                       "source": ["%load_ext tooldeck\n", "def cell_go():\n", "    return 1"]}],
            "metadata": {}, "nbformat": 4, "nbformat_minor": 5}  # fmt: skip
    (root / "book.ipynb").write_text(json.dumps(book, indent=1))
    return root


def printed(project):
    done = subprocess.run(
        [sys.executable, "-B", "main.py"], cwd=project, capture_output=True, text=True, timeout=30, check=True
    )
    return done.stdout


def test_a_rename_reaches_every_use_and_the_program_does_the_same(do, refused, deck, project):
    before = printed(project)
    where = {"path": "pkg/lamp.py", "name_path": "/go"}
    used = do("code", "references", **where)
    assert used.engine.startswith("jedi")
    assert {(one.path, one.line) for one in used.places if "many" not in one.path} == {
        ("pkg/__init__.py", 1), ("pkg/lamp.py", 15), ("main.py", 2), ("main.py", 3), ("main.py", 6),
    }  # fmt: skip
    assert any("main.py:10" in note for note in used.notes)
    result = deck.call("code", {"action": "rename", **where, "new_name": "start"})
    assert result.ok, result.error
    assert len(result.value.files) == 34
    assert (
        "[left alone, for it could not be found out what they mean: main.py:10; pkg/lamp.py:16]"
        in result.text
    )
    assert "no new findings" in result.text
    assert "[types not checked: the project configures no type checker]" in result.text
    assert printed(project) == before
    assert (project / "pkg/__init__.py").read_text() == PROJECT["pkg/__init__.py"].replace("go", "start")
    assert "from pkg import start as run" in (project / "main.py").read_text()
    assert "thing.go()" in (project / "main.py").read_text()
    assert (project / "many/m30.py").read_text() == "from pkg.lamp import start\n\nx = start\n"
    assert "def go(self)" in (project / "pkg/lamp.py").read_text()
    found = do("code", "definition", path="main.py", line=6, symbol="run").places
    assert [(one.path, one.line, one.symbol) for one in found] == [("pkg/lamp.py", 15, "start")]
    for new, says in (
        ("class", "is no name"),
        ("start", "is 'start' already"),
        ("Lamp", "has a 'Lamp' beside"),
    ):
        assert says in refused("code", "rename", path="pkg/lamp.py", name_path="/start", new_name=new)
    assert "cannot be resolved" in refused("code", "rename", path="web/a.ts", name_path="go", new_name="x")


def test_an_edit_that_would_not_parse_is_refused_and_others_tell_new_findings(do, refused, deck, project):
    where = {"path": "pkg/lamp.py", "name_path": "Lamp/go"}
    (project / "pkg/lamp.py").write_bytes(PROJECT["pkg/lamp.py"].replace("\n", "\r\n").encode())
    old = (project / "pkg/lamp.py").read_bytes()
    assert "would not parse any more (line 10: expected ':')" in refused(
        "code", "replace", **where, body="def go(self)\n    pass"
    )
    assert (project / "pkg/lamp.py").read_bytes() == old
    shown = do("code", "body", **where)
    result = deck.call(
        "code",
        {"action": "replace", **where, "body": "def go(self):\n    import os", "expect_hash": shown.hash},
    )
    assert "new findings]" in result.text
    assert "F401: `os` imported but unused" in result.text
    after = (project / "pkg/lamp.py").read_bytes()
    assert after.count(b"\n") == after.count(b"\r\n") > 0
    assert "was expected with the hash" in refused(
        "code", "insert", **where, text="x = 1", expect_hash=shown.hash
    )
    assert "'\\n' does not" not in refused("code", "insert", path="web/a.ts", name_path="go", text="func {")
    assert "web/a.ts would not parse any more (line 3" in refused(
        "code", "insert", path="web/a.ts", name_path="go", text="func {"
    )
    macros = project / "m.h"
    macros.write_text("BEGIN_C_DECLS(\nint f(void);\nint g(void) { return 1; }\n")
    assert "would not parse any more" in refused(
        "code", "replace", path="m.h", name_path="g", body="int g(void) { return ((1; }"
    )
    assert do("code", "replace", path="m.h", name_path="g", body="int g(void) { return 2; }").done
    assert "may be 3 symbols" in refused("code", "body", name_path="go")
    assert "There is no symbol" in refused("code", "body", name_path="nothing")


def test_a_symbol_goes_only_when_nothing_uses_it(do, refused, root):
    text = (
        '__all__ = ["shown"]\n\n\ndef shown():\n    return used()\n\n\n# of the past\ndef old():\n'
        "    return old()\n\n\ndef used():\n    return 1\n\n\n"
        "class A:\n    def go(self):\n        return 1\n\n    def stay(self):\n        return 2\n"
    )
    (root / "a.py").write_text(text)
    (root / "b.py").write_text("def run(thing):\n    return thing.go()\n")
    assert "a.py:5" in refused("code", "safe_delete", path="a.py", name_path="used")
    assert "is in __all__" in refused("code", "safe_delete", path="a.py", name_path="shown")
    assert "b.py:2" in refused("code", "safe_delete", path="a.py", name_path="A/go")
    assert (root / "a.py").read_text() == text
    done = do("code", "safe_delete", path="a.py", name_path="old")
    assert "-# of the past" in done.diff
    text = text.replace("# of the past\ndef old():\n    return old()\n\n\n", "")
    assert (root / "a.py").read_text() == text
    do("code", "safe_delete", path="a.py", name_path="A/go", although_unsure=True)
    assert (root / "a.py").read_text() == text.replace("    def go(self):\n        return 1\n\n", "")
    assert "would not parse any more" in refused("code", "safe_delete", path="a.py", name_path="A/stay")


def test_an_edit_tells_the_type_errors_that_it_made_also_in_those_who_use_the_symbol(deck, root, monkeypatch):
    """What was wrong before is not told again, and what could not be looked at is said to be so."""
    (root / "pyproject.toml").write_text("[tool.ty]\n")
    (root / "lamp.py").write_text('bad: int = "known"\n\n\ndef off() -> str:\n    return "off"\n')
    (root / "use.py").write_text("from lamp import off\n\nx: str = off()\n")

    def replaced(body):
        result = deck.call("code", {"action": "replace", "path": "lamp.py", "name_path": "off", "body": body})
        assert result.ok, result.error
        _, types = result.value.diagnoses
        return types

    [one] = replaced("def off() -> int:\n    return 1").new
    assert (one.path, one.line, one.code, one.severity) == ("use.py", 3, "invalid-assignment", "error")
    well = replaced("def off() -> int:\n    return 2")
    assert (well.new, well.engine.split()[0]) == ((), "ty")
    monkeypatch.setattr("tooldeck.tools.coding.type_checking.SECONDS", 0.01)
    assert str(replaced("def off() -> str:\n    return 1")) == (
        "[types not checked: ty took longer than 0.01 s]"
    )


def test_symbols_of_a_notebook_are_those_of_its_cells_and_an_edit_changes_one_source(do, refused, project):
    path = project / "book.ipynb"
    before = path.read_text()
    assert [
        (one.name_path, one.cell, one.line) for one in do("code", "symbols", path="book.ipynb").symbols
    ] == [("cell_go", 1, 2)]
    changed = do(
        "code", "replace", path="book.ipynb", name_path="cell_go", body="def cell_go():\n    return 2\n"
    )
    assert "-    return 1" in changed.diff
    assert path.read_text() == before.replace("return 1", "return 2")
    assert "cell is one of c1" in refused("code", "definition", path="book.ipynb", line=2, symbol="cell_go")
    found = do("code", "definition", path="book.ipynb", cell="c1", line=2, symbol="cell_go").places
    assert [(one.path, one.cell, one.line) for one in found] == [("book.ipynb", 1, 2)]


def test_what_the_engine_kept_of_earlier_calls_may_be_broken(do, root):
    (root / "b.py").write_text("def f(): pass\n")
    (root / "a.py").write_text("from b import f\n\nf()\n")
    where = {"path": "a.py", "line": 3, "symbol": "f"}
    first = do("code", "definition", **where)
    kept = [path for path in _Parsed.folder().rglob("*") if path.is_file()]
    assert kept
    for path in kept:
        path.write_bytes(b"broken")
    assert do("code", "definition", **where) == first
    assert [(one.path, one.line) for one in first.places] == [("b.py", 1)]


def test_code_is_found_by_names_parts_of_them_docstrings_text_and_patterns(do, refused, deck, root):
    (root / "a.py").write_text(
        "class HTTPServer:\n    def handle_request(self): pass\n\n\ndef other():\n    'Serve bananas.'\n"
        "    print(1, 2)\n"
    )
    (root / "b.ts").write_text("export function serve(a: number) { console.log(a) }\n")

    def names(query, **options):
        return [one.name_path for one in do("code", "search", query=query, **options).symbols]

    assert names("serve")[0] == "serve"
    assert names("http server")[0] == "HTTPServer"
    assert names("request handler")[0] == "HTTPServer/handle_request"
    assert names("bananas") == ["other"]
    assert names("HTTPServer/ha") == ["HTTPServer/handle_request"]
    assert names("serve", kind="class") == ["HTTPServer"]
    assert names("zebra") == []
    hits = do("code", "search", query="print($A, $$$B)", mode="structural", language="python").hits
    assert [(one.path, one.line, dict(one.captured)) for one in hits] == [("a.py", 7, {"A": "1", "B": "2"})]
    assert do("code", "search", query="bananas", mode="text").hits[0].line == 6
    assert "Say which language" in refused("code", "search", query="f()", mode="structural")
    assert "is no pattern of python" in refused(
        "code", "search", query="a\nb", mode="structural", path="a.py"
    )
    result = deck.call("code", {"action": "search", "query": "x", "mode": "semantic"})
    assert result.status == "invalid"


def test_without_ast_grep_python_is_read_and_other_languages_say_what_to_install(
    do, refused, root, monkeypatch
):
    monkeypatch.setitem(sys.modules, "ast_grep_py", None)
    (root / "a.py").write_text("def f(): pass\n")
    (root / "b.go").write_text("package b\n")
    found = do("code", "symbols", path=".")
    assert [one.name for one in found.symbols] == ["f"]
    assert "pip install 'tooldeck[code]'" in found.notes[0]
    assert "pip install 'tooldeck[code]'" in refused("code", "symbols", path="b.go")
    (root / "c.py").write_text("def f(\n")
    assert "does not parse" in refused("code", "symbols", path="c.py")


def test_many_symbols_come_in_a_shorter_form_and_never_cut(deck, root):
    for number in range(60):
        text = "".join(f"def function_with_a_long_name_{number}_{one}(argument): pass\n" for one in range(12))
        (root / f"m{number:02}.py").write_text(text)
    names = deck.call("code", {"action": "symbols", "path": "."})
    assert "[shortened: names only" in names.text
    assert "function_with_a_long_name_59_11" in names.text or "12 function" in names.text
    assert len(names.value.symbols) == 720


LOOKS = ["symbols", "search", "definition", "references", "body"]


@pytest.mark.parametrize(
    "action", [*LOOKS, "replace", "insert", "preview_rename", "rename", "safe_delete", "fix"]
)
def test_no_action_leads_out_of_the_workspace(refused, root, action):
    (root / "out.py").symlink_to("../out/secret.py")
    (root.parent / "out" / "secret.py").write_text("def secret(): pass\n")
    given = {
        "symbols": {}, "search": {"query": "secret"}, "definition": {"line": 1, "symbol": "secret"},
        "references": {"name_path": "secret"}, "body": {"name_path": "secret"},
        "replace": {"name_path": "secret", "body": "def secret(): x"},
        "insert": {"name_path": "secret", "text": "x = 1"},
        "preview_rename": {"name_path": "secret", "new_name": "x"},
        "rename": {"name_path": "secret", "new_name": "x"}, "safe_delete": {"name_path": "secret"}, "fix": {},
    }[action]  # fmt: skip
    for path in ("../out/secret.py", "out.py", str(root.parent / "out" / "secret.py")):
        where = {"paths": [path]} if action == "fix" else {"path": path}
        said = refused("code", action, **given, **where)
        assert "leads out" in said or "outside" in said, said
    assert (root.parent / "out" / "secret.py").read_text() == "def secret(): pass\n"


def test_code_that_would_break_a_parser_is_told_and_nothing_more(do, refused, root):
    (root / "deep.py").write_text("x = " + "(" * 5000 + ")" * 5000 + "\n")
    (root / "null.py").write_bytes(b"def f(): pass\nx = '\\0'\n")
    (root / "deep.js").write_text("[" * 20_000 + "]" * 20_000)
    assert [one.name for one in do("code", "symbols", path="null.py").symbols] == ["f", "x"]
    assert do("code", "symbols", path=".").symbols
    assert do("code", "search", query="f").symbols
