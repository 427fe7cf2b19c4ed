"""verify: real linters, type checkers and test runners, read through their machine formats."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import entry_points

import pytest

from tooldeck import Deck
from tooldeck.tools.checking.records import Check, Standing, together


@pytest.fixture
def root(tmp_path):
    (tmp_path / "root").mkdir()
    # The plug-ins of our own tests take seconds to load.
    plugins = " ".join(f"-p no:{plugin.name}" for plugin in entry_points(group="pytest11"))
    (tmp_path / "root" / "pytest.ini").write_text(f"[pytest]\naddopts = {plugins}\n")
    return tmp_path / "root"


@pytest.fixture
def verify(root):
    deck = Deck(policy="auto", workspace=root)
    deck.add_builtins("verify")

    def run(*checks, **arguments):
        return deck.call("verify", {"action": "run", "checks": list(checks), **arguments})

    return run


def only(result):
    (check,) = result.unwrap().checks
    return check


def test_lint_tells_findings_with_places_and_a_notebook_by_its_cells(verify, root):
    (root / "bad.py").write_text("import os\nx = undefined\n")
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["text"], "id": "a"},
        {"cell_type": "code", "metadata": {}, "source": ["y = 1\n", "import sys"], "id": "b",
         "outputs": [], "execution_count": None},
    ]  # fmt: skip
    book = {
        "cells": cells,
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (root / "book.ipynb").write_text(json.dumps(book))
    result = verify("lint")
    check = only(result)
    assert (check.tool, check.status) == ("ruff", Standing.FAILED)
    assert check.version[0].isdigit()
    found = {(one.path, one.cell, one.line, one.code) for one in check.findings}
    assert {("bad.py", None, 1, "F401"), ("bad.py", None, 2, "F821"), ("book.ipynb", 2, 2, "F401")} <= found
    assert "book.ipynb, cell 2:2:8: error F401" in result.text
    assert next(one for one in check.findings if one.code == "F401").fixable
    (root / "broken.py").write_text("def\n")
    assert "invalid-syntax" in {one.code for one in only(verify("lint", paths=["broken.py"])).findings}
    (root / "good.py").write_text("x = 1\n")
    good = verify("lint", paths=["good.py"]).unwrap()
    assert (good.status, good.pass_rate) == (Standing.PASSED, 1.0)


@pytest.mark.parametrize("tool", ["mypy", "basedpyright", "ty"])
def test_each_type_checker_tells_the_line_of_an_error(verify, root, tool):
    (root / "bad.py").write_text('\nx: int = "text"\n')
    check = only(verify("types", types=tool))
    if check.status is Standing.SKIPPED:
        pytest.skip(check.note)
    assert (check.tool, check.status, check.errors) == (tool, Standing.FAILED, 1)
    assert [(one.path, one.line) for one in check.findings if one.severity == "error"] == [("bad.py", 2)]
    (root / "bad.py").write_text("x: int = 1\n")
    assert only(verify("types", types=tool)).status is Standing.PASSED


def test_the_type_checker_is_the_one_that_the_project_configures(verify, root):
    (root / "pyproject.toml").write_text("[tool.mypy]\nstrict = true\n")
    (root / "a.py").write_text("def f(x): return x\n")
    check = only(verify("types"))
    assert (check.tool, check.status) == ("mypy", Standing.FAILED)
    assert check.findings[0].code == "no-untyped-def"


TESTS = """
import pytest
def test_good(): pass
def test_bad(): assert 1 == 2
@pytest.mark.skip(reason="later")
def test_later(): pass
@pytest.fixture
def broken(): raise RuntimeError("no")
def test_error(broken): pass
"""


def test_tests_are_counted_and_a_skipped_one_has_not_passed(verify, root):
    (root / "test_it.py").write_text(TESTS)
    result = verify("tests")
    check = only(result)
    assert (check.status, check.passed, check.failed, check.skipped) == (Standing.FAILED, 1, 2, 1)
    assert check.pass_rate == 1 / 3
    places = {one.code: (one.path, one.line) for one in check.findings}
    assert places["test_bad"] == ("test_it.py", 4)
    assert "assert 1 == 2" in result.text
    good = only(verify("tests", pattern="good"))
    assert (good.status, good.passed, good.total) == (Standing.PASSED, 1, 1)
    later = verify("tests", pattern="later").unwrap()
    assert later.checks[0].status is Standing.SKIPPED
    assert (later.status, later.pass_rate) == (Standing.UNKNOWN, None)
    one = only(verify("tests", paths=["test_it.py::test_good"]))
    assert one.command[-1] == "./test_it.py::test_good"
    assert (one.status, one.total) == (Standing.PASSED, 1)
    assert not list(root.glob("**/__pycache__")) + list(root.glob(".pytest_cache"))


def test_where_nothing_was_checked_nothing_is_known(verify, root):
    for result in (verify("tests"), verify("npm")):
        report = result.unwrap()
        assert report.checks[0].status is Standing.SKIPPED
        assert (report.status, report.pass_rate) == (Standing.UNKNOWN, None)
        assert result.text.startswith("«outside")
        assert "unknown (nothing was checked" in result.text


@pytest.mark.parametrize("tool", ["ruff", "mypy", "basedpyright", "ty"])
def test_a_folder_without_python_has_not_passed(verify, root, tool):
    (root / "README.md").write_text("No code yet.\n")
    result = verify("lint") if tool == "ruff" else verify("types", types=tool)
    report = result.unwrap()
    assert (report.checks[0].tool, report.checks[0].status) == (tool, Standing.SKIPPED)
    assert report.checks[0].note == "there is no file to check"
    assert (report.status, report.pass_rate) == (Standing.UNKNOWN, None)


def test_what_could_not_be_done_is_an_error_with_the_reason(verify, root):
    (root / "conftest.py").write_text("raise RuntimeError('broken set-up')\n")
    check = only(verify("tests"))
    assert check.status is Standing.ERROR
    assert "broken set-up" in check.note
    (root / "conftest.py").write_text("import time\ntime.sleep(60)\n")
    late = only(verify("tests", timeout=2))
    assert late.status is Standing.TIMEOUT
    (root / "ruff.toml").write_text("nonsense = 1\n")
    (root / "a.py").write_text("x = 1\n")
    assert only(verify("lint")).status is Standing.ERROR


def test_code_that_is_tested_gets_neither_out_nor_at_the_workspace(verify, root, tmp_path):
    (root / "test_evil.py").write_text(
        "import pathlib, socket, pytest\n"
        "def test_evil():\n"
        f"    try: pathlib.Path({str(tmp_path / 'out')!r}).write_text('x')\n"
        "    except OSError: pass\n"  # in bubblewrap it lands in a /tmp of its own
        f"    with pytest.raises(OSError): pathlib.Path({str(root / 'in')!r}).write_text('x')\n"
        "    with pytest.raises(OSError): socket.create_connection(('127.0.0.1', 9), 1)\n"
    )
    assert only(verify("tests")).status is Standing.PASSED
    assert not (tmp_path / "out").exists()
    assert not (root / "in").exists()


def test_against_a_baseline_only_new_findings_are_told(verify, root):
    (root / "old.py").write_text("import os\n")
    assert "There is no baseline yet" in verify("lint", baseline="compare").error
    assert only(verify("lint", baseline="save")).status is Standing.FAILED
    same = verify("lint", baseline="compare").unwrap()
    assert (same.status, same.checks[0].known, same.checks[0].findings) == (Standing.PASSED, 1, ())
    (root / "old.py").write_text("\n\nx = 1\nimport os\nimport re\n")  # moved, and one more
    new = only(verify("lint", baseline="compare"))
    assert new.status is Standing.FAILED
    assert "re" in {one.message.split("`")[1] for one in new.findings if one.code == "F401"}
    assert "os" not in {one.message.split("`")[1] for one in new.findings if one.code == "F401"}


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_npm_scripts_pass_by_their_exit_code(verify, root):
    scripts = {"lint": "echo 0 errors", "build": "echo broken >&2; exit 3", "deploy": "touch deployed"}
    (root / "package.json").write_text(json.dumps({"name": "x", "scripts": scripts}))
    report = verify("npm").unwrap()
    assert {check.name: check.status for check in report.checks} == {
        "lint": Standing.PASSED, "build": Standing.FAILED,
    }  # fmt: skip
    assert "broken" in report.checks[1].note
    assert (report.status, report.pass_rate) == (Standing.FAILED, 0.5)
    assert not (root / "deployed").exists()


def test_paths_and_patterns_are_no_options_and_lead_nowhere_else(verify, root, tmp_path):
    (root / "test_it.py").write_text("def test_it(): pass\n")
    (tmp_path / "out.py").write_text("import os\n")
    for path in ("../out.py", str(tmp_path / "out.py")):
        assert not verify("lint", paths=[path]).ok
    assert only(verify("lint", paths=["--config=x.toml"])).status is not Standing.PASSED
    assert only(verify("tests", pattern="--collect-only")).status is not Standing.PASSED


def test_a_missing_program_is_skipped_with_the_command_that_installs_it(verify, root, monkeypatch):
    from tooldeck.tools.checking import programs

    monkeypatch.setattr(programs, "environment", lambda: {"PATH": "/nowhere"})
    report = verify("lint", "types", "tests").unwrap()
    assert {check.status for check in report.checks} == {Standing.SKIPPED}
    assert report.status is Standing.UNKNOWN
    assert "pip install ruff" in report.checks[0].note


def test_a_failure_weighs_more_than_what_passed_and_a_skip_nothing():
    def of(*standings):
        return together(Check("x", "y", one) for one in standings)

    assert of(Standing.PASSED, Standing.FAILED, Standing.ERROR) is Standing.FAILED
    assert of(Standing.PASSED, Standing.ERROR) is Standing.ERROR
    assert of(Standing.PASSED, Standing.SKIPPED) is Standing.PASSED
    assert of(Standing.SKIPPED) is Standing.UNKNOWN
    assert of() is Standing.UNKNOWN


def test_what_the_linter_can_mend_is_mended_in_files_and_cells_and_the_rest_is_told(do, refused, deck, root):
    (root / "a.py").write_bytes(b"import os\r\nimport sys\r\n\r\nprint(sys.path, undefined)\r\n")
    cells = [{"cell_type": "code", "metadata": {}, "source": ["import re\n", "x = 1"], "id": "b",
              "outputs": [], "execution_count": None}]  # fmt: skip
    book = {
        "cells": cells,
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (root / "book.ipynb").write_text(json.dumps(book))
    (root / "same.py").write_text("x = 1\n")
    assert "was expected with the hash" in refused(
        "verify", "fix", codes=["F401"], expect_hashes={"a.py": "0" * 16}
    )
    result = deck.call("verify", {"action": "fix", "codes": ["F401", "F821"]})
    assert result.ok, result.error
    assert {(one.path, one.fixed) for one in result.value.files} == {
        ("a.py", (("F401", 1),)), ("book.ipynb", (("F401", 1),)),
    }  # fmt: skip
    assert [one.code for one in result.value.left] == ["F821"]
    assert (root / "a.py").read_bytes() == b"import sys\r\n\r\nprint(sys.path, undefined)\r\n"
    assert json.loads((root / "book.ipynb").read_text())["cells"][0]["source"] == ["x = 1"]
    assert "nothing that it can fix" in deck.call("verify", {"action": "fix", "codes": ["F821"]}).text
    assert "NOPE1" in refused("verify", "fix", codes=["NOPE1"])


def test_fixes_ask_and_show_their_diff_first(root):
    (root / "a.py").write_text("import os\nx = 1\n")
    seen = []

    def look(request):
        seen.append(request.preview)
        return False

    deck = Deck(workspace=root, approver=look)
    deck.add_builtins("verify")
    assert deck.call("verify", {"action": "fix", "codes": ["F401"]}).status == "denied"
    assert "-import os" in seen[0]
    assert (root / "a.py").read_text() == "import os\nx = 1\n"
