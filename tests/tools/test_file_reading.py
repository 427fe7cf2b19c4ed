"""file: reading, searching, listing and finding."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tooldeck.tools.folders.globs import BadPattern, expanded, glob_pattern


def fill(root, files):
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            (root / path).write_bytes(text)
        else:
            (root / path).write_text(text)


def test_a_page_says_what_it_is_of_and_where_to_go_on(deck, root):
    fill(root, {"a.txt": "".join(f"line {number}\n" for number in range(1, 11))})
    result = deck.call("file", action="read", path="a.txt", offset=3, limit=2, anchors=False)
    head, *lines = result.text.splitlines()[1:-1]  # within a fence
    assert head == f"a.txt: 10 lines, utf-8, LF, hash {result.value.hash}"
    assert lines == ["line 3", "line 4", "[lines 3 to 4; go on with offset 5]"]
    assert result.value.text.count("\n") == 10
    marked = deck.call("file", action="read", path="a.txt", offset=10).text.splitlines()
    assert marked[2].startswith("10:")
    assert marked[2].endswith("|line 10")


@pytest.mark.parametrize(("text", "offset", "says"), [("a\nb\n", 99, "has 2 lines"), ("", 2, "has 0 lines")])
def test_reading_past_the_end_says_how_long_the_file_is(refused, root, text, offset, says):
    fill(root, {"a.txt": text})
    assert says in refused("file", "read", path="a.txt", offset=offset)


def test_an_empty_file_and_one_without_a_final_newline_are_read(deck, root):
    fill(root, {"empty": "", "a": "x\ny"})
    assert "0 lines" in deck.call("file", action="read", path="empty").text
    assert deck.call("file", action="read", path="a").value.total == 2


def test_a_long_file_comes_in_pages_that_add_up(do, root):
    lines = [f"{number} " + "x" * 100 for number in range(3_000)]
    fill(root, {"a.txt": "\n".join(lines) + "\n", "wide.txt": "y" * 100_000})
    seen, offset = [], 1
    while offset <= len(lines):
        page = do("file", "read", path="a.txt", offset=offset, anchors=False)
        seen += page.shown
        offset = page.last + 1
    assert seen == lines
    assert "[100000 characters]" in do("file", "read", path="wide.txt").shown[0]


def test_what_is_no_text_is_told_by_its_kind(refused, do, root):
    fill(
        root,
        {"a.png": b"\x89PNG\r\n\x1a\n\0\0", "b.bin": b"a\0b", "c.txt": "gr\u00fc\u00df".encode("cp1252")},
    )
    assert "no text but a PNG picture of 10 bytes" in refused("file", "read", path="a.png")
    assert "no text but binary data" in refused("file", "read", path="b.bin")
    assert do("file", "read", path="c.txt").encoding == "cp1252 (guessed)"
    assert do("file", "read", path="c.txt", encoding="latin-1").text == "gr\u00fc\u00df"
    assert "There is no encoding 'klingon'" in refused("file", "read", path="c.txt", encoding="klingon")
    assert "is not ascii" in refused("file", "read", path="c.txt", encoding="ascii")
    assert "no encoding of text" in refused("file", "read", path="c.txt", encoding="rot13")


def test_a_notebook_is_read_as_its_cells(do, refused, root):
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {
            "cell_type": "code",
            "source": "1 + 1",
            "outputs": [
                {"output_type": "execute_result", "data": {"text/plain": ["2"]}},
                {"output_type": "stream", "text": "printed\n"},
                {"output_type": "error", "ename": "ValueError", "evalue": "no"},
                {"output_type": "display_data", "data": {"image/png": "AAAA"}},
            ],
        },
    ]
    fill(root, {"n.ipynb": json.dumps({"cells": cells}), "bad.ipynb": "{}"})
    shown = do("file", "read", path="n.ipynb", anchors=False).shown
    assert shown[0] == "--- cell 1, markdown"
    assert "1 + 1" in shown
    assert list(shown[-4:]) == ["2", "printed", "ValueError: no", "[image/png]"]
    assert do("file", "read", path="n.ipynb", raw=True).shown[0].startswith("1:")
    assert "is no notebook" in refused("file", "read", path="bad.ipynb")


PROJECT = {
    "src/a.py": "import os\n\n\ndef Lamp():\n    return 'lamp (x)'\n",
    "src/deep/b.js": "const lamp = 1;\n",
    "src/deep/c.txt": "nothing\n",
    "src/v1/sub/d.py": "lamp\n",
    "doc/lamp.md": "no such word\n",
    "build/out.py": "lamp\n",
    "src/keep.log": "lamp\n",
    "x.log": "lamp\n",
    "node/important.log": "lamp\n",
    "data.bin": b"lamp\0lamp",
    ".gitignore": "build/\n*.log\n!keep.log\n",
    "node/.gitignore": "!important.log\n",
    ".git/config": "lamp\n",
    ".github/x.yml": "lamp\n",
}


def test_a_search_looks_into_files_and_names_lines(deck, root):
    fill(root, PROJECT)
    result = deck.call("file", action="search", pattern="lamp", context=1)
    assert [(hit.path, hit.line) for hit in result.value.hits] == [
        (".github/x.yml", 1), ("node/important.log", 1), ("src/a.py", 4), ("src/a.py", 5),
        ("src/deep/b.js", 1), ("src/keep.log", 1), ("src/v1/sub/d.py", 1),
    ]  # fmt: skip
    assert "src/a.py\n  3- \n  4: def Lamp():\n  5-     return 'lamp (x)'\n  --\n" in result.text
    told = deck.call("file", action="search", pattern="absent").text
    assert told.splitlines()[1:-1] == ["Nothing was found.", "[files left out: 1 binary (data.bin)]"]


def test_a_search_says_what_it_could_not_look_into(do, deck, root):
    fill(
        root,
        {**PROJECT, "small.pdf": b"%PDF-1.4 caf\xe9 lamp", **{f"p{n}.png": b"\x89PNG\0" for n in range(4)}},
    )
    (root / "long.txt").write_bytes(b"lamp\n" * 2_000_001)
    os.mkfifo(root / "pipe")
    (root / "loop").symlink_to("loop")
    found = do("file", "search", pattern="absent")
    assert found.left_out == ("6 binary (data.bin, p0.png, p1.png, …)", "1 of more than 10 MB (long.txt)")
    assert do("file", "search", pattern="lamp", glob="*.py").left_out == ()
    assert (
        "left out: 1 binary (small.pdf)]"
        in deck.call("file", action="search", pattern="lamp", path="small.pdf").text
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_search_names_files_and_folders_that_may_not_be_read(do, root):
    fill(root, {"a.txt": "lamp", "b.txt": "lamp", "shut/c.txt": "lamp"})
    (root / "b.txt").chmod(0)
    (root / "shut").chmod(0)
    try:
        found = do("file", "search", pattern="lamp")
    finally:
        (root / "shut").chmod(0o700)
    assert [hit.path for hit in found.hits] == ["a.txt"]
    assert found.left_out == ("2 unreadable (b.txt, shut/)",)


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({"pattern": "Lamp"}, 1),
        ({"pattern": "lamp", "case": "exact"}, 6),
        ({"pattern": "LAMP", "case": "ignore"}, 7),
        ({"pattern": "lamp (x)"}, 1),
        ({"pattern": "LAMP (X)", "case": "ignore"}, 1),
        ({"pattern": r"def \w+\(\)", "regex": True}, 1),
        ({"pattern": "lamp", "glob": "*.py"}, 3),
        ({"pattern": "lamp", "glob": "src/**/*.{py,js}"}, 4),
        ({"pattern": "lamp", "path": "src/deep"}, 1),
        ({"pattern": "lamp", "path": "src/a.py"}, 2),
        ({"pattern": "lamp", "path": "build"}, 1),
        ({"pattern": "lamp", "max_results": 3}, 3),
        ({"pattern": "<os>", "case": "ignore"}, 0),
    ],
)
def test_a_search_is_as_wide_as_it_is_told(do, root, options, count):
    fill(root, PROJECT)
    found = do("file", "search", **options)
    assert len(found.hits) == count
    assert found.more == ("max_results" in options)


def test_a_pattern_that_takes_for_ever_elsewhere_is_quick_here(do, refused, root):
    fill(root, {"a.txt": "a" * 5_000 + "!"})
    assert do("file", "search", pattern="(a+)+$", regex=True).hits == ()
    assert "look-around" in refused("file", "search", pattern="(?=a)", regex=True)
    assert "is empty" in refused("file", "search", pattern="")


RG = shutil.which("rg") or shutil.which("rg", path=Path(sys.executable).parent)


@pytest.mark.skipif(RG is None, reason="ripgrep is not installed; pip install ripgrep")
@pytest.mark.parametrize("pattern", ["lamp", "LAMP", "lamp (x)", "a.b", "<os>", "-e", "'"])
def test_the_answer_is_the_same_without_ripgrep(do, root, monkeypatch, pattern):
    fill(
        root,
        {
            **PROJECT,
            "odd.txt": "a.b <os> -e '\n",
            "utf16.txt": "lamp\n".encode("utf-16"),
            "\u00fc/x.txt": "lamp",
        },
    )
    with_rg = [do("file", "search", pattern=pattern, path=path, case="ignore") for path in (".", "src")]
    monkeypatch.setattr("tooldeck.tools.folders.searching.environment", lambda: {"PATH": "/nowhere"})
    assert with_rg == [
        do("file", "search", pattern=pattern, path=path, case="ignore") for path in (".", "src")
    ]


def test_a_list_has_sizes_and_leaves_out_what_is_ignored(deck, do, root):
    fill(root, PROJECT)
    assert do("file", "list").paths == [
        ".github", ".gitignore", "data.bin", "doc", "node", "src",
    ]  # fmt: skip
    assert "build" in do("file", "list", all=True).paths
    assert do("file", "list", path="src").paths == ["src/a.py", "src/deep", "src/keep.log", "src/v1"]
    assert "src/deep/b.js" in do("file", "list", path="src", depth=2).paths
    sizes = [
        one.size for one in do("file", "list", path="src", depth=9, sort="size").entries if one.kind == "file"
    ]
    assert sizes == sorted(sizes, reverse=True)
    text = deck.call("file", action="list").text
    assert "src/" in text.splitlines()
    assert "data.bin  9 bytes" in text


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("*.bin", ["data.bin"]),
        ("**/*.py", ["src/a.py", "src/v1/sub/d.py"]),
        ("src/**/*.py", ["src/a.py", "src/v1/sub/d.py"]),
        ("src/**", ["src/a.py", "src/deep/b.js", "src/deep/c.txt", "src/keep.log", "src/v1/sub/d.py"]),
        ("**/deep/*.{js,txt}", ["src/deep/b.js", "src/deep/c.txt"]),
        ("{src,doc}/**/*.{py,md}", ["doc/lamp.md", "src/a.py", "src/v1/sub/d.py"]),
        ("src/v[0-9]/*/d.p?", ["src/v1/sub/d.py"]),
        ("src/[!d]*.py", ["src/a.py"]),
        ("build/*", []),
    ],
)
def test_patterns_of_paths_have_stars_over_folders_and_braces_anywhere(do, root, pattern, paths):
    fill(root, PROJECT)
    assert do("file", "glob", pattern=pattern).paths == paths


def test_a_pattern_stays_below_its_folder(do, refused, root):
    fill(root, PROJECT)
    assert do("file", "glob", pattern="*.js", path="src/deep").paths == ["src/deep/b.js"]
    for bad in ("../*", "/etc/*", "a/../../b"):
        assert "must be relative" in refused("file", "glob", pattern=bad)
    assert "stands for more than" in refused("file", "glob", pattern="{a,b}" * 12)
    assert do("file", "glob", pattern="**/*", max_results=2).more


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab*?[]{},/!-\\.^", max_size=12), st.text(alphabet="ab/.-", min_size=1, max_size=6))
def test_any_pattern_is_read_or_refused(pattern, path):
    try:
        glob_pattern(pattern).match(path)
    except BadPattern:
        pass
    else:
        assert len(expanded(pattern)) <= 1_000


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "*", "**", "?", "a*"]), min_size=1, max_size=4), st.randoms())
def test_patterns_match_what_a_plain_reading_of_them_matches(names, randomness):
    """The reference walks both lists of names at once."""

    def fits(pattern, path):
        if not pattern or not path:
            return not pattern and not path
        if pattern[0] == "**":
            return len(pattern) == 1 or any(fits(pattern[1:], path[skip:]) for skip in range(len(path) + 1))
        one = {"*": lambda _: True, "?": lambda name: len(name) == 1, "a*": lambda name: name[0] == "a"}
        return one.get(pattern[0], lambda name: name == pattern[0])(path[0]) and fits(pattern[1:], path[1:])

    path = [randomness.choice(["a", "b", "ab"]) for _ in range(randomness.randint(1, 4))]
    assert bool(glob_pattern("/".join(names)).match("/".join(path))) == fits(names, path)


def test_links_are_listed_and_never_followed(do, refused, root):
    fill(root, {"sub/a.txt": "lamp\n"})
    (root / "out.lnk").symlink_to("../out")
    (root / "file.lnk").symlink_to("../out/secret.txt")
    (root / "around").symlink_to(".")
    assert do("file", "search", pattern="secret").hits == ()
    assert do("file", "glob", pattern="**/*.txt").paths == ["sub/a.txt"]
    assert [one.kind for one in do("file", "list", depth=5).entries] == [
        "link",
        "link",
        "link",
        "folder",
        "file",
    ]
    assert do("file", "stat", path="file.lnk").kind == "link"
    for action, more in (
        ("read", {}), ("write", {"content": ""}), ("append", {"content": "x"}),
        ("edit", {"old": "a", "new": "b"}), ("search", {"pattern": "x"}), ("list", {}),
        ("glob", {"pattern": "*"}),
    ):  # fmt: skip
        said = refused("file", action, path="file.lnk", **more)
        assert "leads out of the workspace" in said
    assert "leads out" in refused("file", "list", path="out.lnk")


def test_stat_tells_of_texts_folders_and_others(do, root):
    fill(root, {"a.txt": b"\xef\xbb\xbfx\r\ny\r\n", "b.bin": b"\0"})
    facts = do("file", "stat", path="a.txt")
    assert (facts.kind, facts.encoding, facts.newline, facts.lines, facts.size) == (
        "file",
        "utf-8",
        "CRLF",
        2,
        9,
    )
    assert facts.hash == do("file", "read", path="a.txt").hash
    assert do("file", "stat", path="b.bin").encoding is None
    assert do("file", "stat", path=".").kind == "folder"
    os.mkfifo(root / "pipe")
    assert do("file", "stat", path="pipe").kind == "other"


def test_a_name_that_is_no_text_is_listed_as_it_can_be_shown(deck, root):
    (root / os.fsdecode(b"caf\xe9")).write_text("x")
    result = deck.call("file", action="list")
    assert r"caf\xe9" in result.text
    result.text.encode()


def test_what_git_ignores_is_ignored_and_nothing_else(do, root):
    """Git itself is the reference, with rules in several folders."""
    names = ["a", "b.log", "c.txt", "build", "keep.log"]
    rng = random.Random(7)
    folders = ["", "build/", "src/", "src/deep/", "src/build/"]
    fill(
        root,
        {folder + name + ("/x" if name == "build" else ""): "" for folder in folders[2:] for name in names},
    )
    fill(root, {name if name != "build" else "build/y": "" for name in names})
    rules = [
        "*.log",
        "!keep.log",
        "build/",
        "/a",
        "src/*.txt",
        "**/deep",
        "b*",
        "!b.log",
        "# no",
        "",
        "deep/c.txt",
        "[ab]",
    ]
    env = {
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "PATH": os.environ["PATH"],
        "HOME": "/nowhere",
    }
    subprocess.run(["git", "init", "-q"], cwd=root, check=True, env=env)
    for _ in range(12):
        for folder in ("", "src/", "src/deep/"):
            chosen = rng.sample(rules, rng.randint(0, 4))
            (root / folder / ".gitignore").write_text("\n".join(chosen) + "\n")
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"],
            cwd=root,
            check=True,
            env=env,
            capture_output=True,
            text=True,
        )
        assert do("file", "glob", pattern="**/*").paths == sorted(
            listed.stdout.splitlines(), key=lambda one: one.split("/")
        )
