"""file: writing, editing and adding, to the byte."""

from __future__ import annotations

import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tooldeck import Decision, Deck
from tooldeck.testing import fake_deck
from tooldeck.tools.texts.changes import Replacement, appended, edited, written
from tooldeck.tools.texts.documents import decode

CRLF = b"alpha\r\nbeta\r\ngamma\r\n"
MIXED = b"one\r\ntwo\nthree\r\nfour\n"


def test_an_edit_changes_one_place_and_refuses_two_by_their_lines(do, refused, root):
    lines = ["x"] * 40
    lines[2] = lines[29] = "total = 0"
    (root / "a.py").write_text("\n".join(lines))
    said = refused("file", "edit", path="a.py", old="total = 0", new="total = 1")
    assert "2 places" in said
    assert "line 3" in said
    assert "line 30" in said
    assert (root / "a.py").read_text() == "\n".join(lines)
    do("file", "edit", path="a.py", old="total = 0", new="total = 1", count=2)
    assert (root / "a.py").read_text().count("total = 1") == 2
    do("file", "edit", path="a.py", old="total = 1", new="total = 2", count=0)
    assert "total = 1" not in (root / "a.py").read_text()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("", "x", "old is empty"),
        ("same", "same", "Nothing changes"),
        ("absent", "x", "is not in 'a.txt'"),
        ("the sama line", "x", "line 2 is the nearest: 'the same line'"),
    ],
)
def test_an_edit_without_a_meaning_is_refused(refused, root, old, new, says):
    (root / "a.txt").write_text("first\nthe same line\n")
    assert says in refused("file", "edit", path="a.txt", old=old, new=new)
    assert (root / "a.txt").read_text() == "first\nthe same line\n"


def test_text_that_fits_loosely_at_two_places_is_refused(refused, root):
    before = "def f():\n    a = 1 \n    b = 2\ndef g():\n    a = 1  \n    b = 2\n"
    (root / "a.py").write_text(before)
    said = refused("file", "edit", path="a.py", old="    a = 1\n    b = 2", new="    c = 3")
    assert "2 places in 'a.py' (blanks at line ends aside)" in said
    assert (root / "a.py").read_text() == before


@pytest.mark.parametrize(
    ("before", "old", "new", "after", "liberty"),
    [
        ("a \nb\n", "a\nb", "a\nc", "a \nc\n", "blanks at line ends"),
        (
            "class A:\n    def f(self):\n        return 1\n",
            "def f(self):\n    return 1\n",
            "def f(self):\n    x = 2\n    return x\n",
            "class A:\n    def f(self):\n        x = 2\n        return x\n",
            "indentation",
        ),
        ("def f():\n    return 1\n", "    def f():\n        return 1", "    def f():\n        return 2",
         "def f():\n    return 2\n", "indentation"),
        ("say \u201chi\u201d \u2013 now\nend\n", 'say "hi" - now\nend', 'say "hi" - now\nthe end',
         "say \u201chi\u201d \u2013 now\nthe end\n", "typographic"),
        ("say \u201chi\u201d\u2026 \n\u2018a\u2019\n", 'say "hi"...\n\'a\'', 'say "you" there...\n\'b\'\n"c"',
         'say \u201cyou\u201d there\u2026\n\u2018b\u2019\n"c"\n', "typographic"),
        ("a\n\tb\nc\n", "a\\n\\tb", "A\\n\\tB", "A\n\tB\nc\n", "escapes"),
    ],
    ids=["trailing", "indented", "dedented", "quotes", "quotes within a changed line", "escapes"],
)  # fmt: skip
def test_the_liberties_are_taken_in_turn_and_told(do, root, before, old, new, after, liberty):
    (root / "a.txt").write_text(before)
    changed = do("file", "edit", path="a.txt", old=old, new=new)
    assert (root / "a.txt").read_text() == after
    assert liberty in changed.told


def test_an_edit_that_was_made_before_is_told_to_be_one(do, refused, root):
    (root / "a.txt").write_text("one\ntwo\n")
    change = {"path": "a.txt", "old": "two\n", "new": "two and a half\n"}
    do("file", "edit", **change)
    assert "the new one stands there already, from line 2 on" in refused(
        "file", "edit", path="a.txt", old="two\n", new="two and a half\n"
    )
    assert "seems to have been made before" not in refused("file", "edit", path="a.txt", old="3", new="o")
    assert (root / "a.txt").read_text() == "one\ntwo and a half\n"


@pytest.mark.parametrize(
    "new", ["price $& and $1 and $$", "C:\\new\\1 \\g<0>", "{name} %s %(x)s", "a.b(c)*[d]"]
)
def test_nothing_in_old_or_new_means_more_than_itself(do, root, new):
    (root / "a.txt").write_text("start a.b(c)*[d]? end aXb")
    do("file", "edit", path="a.txt", old="a.b(c)*[d]?", new=new)
    assert (root / "a.txt").read_text() == f"start {new} end aXb"
    do("file", "write", path="b.txt", content=new)
    assert (root / "b.txt").read_text() == new


def test_line_ends_stay_as_they_are_line_by_line(do, root):
    (root / "a.txt").write_bytes(CRLF)
    do("file", "edit", path="a.txt", old="beta\ngamma\n", new="BETA\ngamma\ndelta\n")
    assert (root / "a.txt").read_bytes() == b"alpha\r\nBETA\r\ngamma\r\ndelta\r\n"
    (root / "m.txt").write_bytes(MIXED)
    do("file", "edit", path="m.txt", old="two\n", new="2\nmore\n")
    assert (root / "m.txt").read_bytes() == b"one\r\n2\nmore\nthree\r\nfour\n"
    do("file", "write", path="a.txt", content="new\ntext\n")
    assert (root / "a.txt").read_bytes() == b"new\r\ntext\r\n"


def test_adding_begins_a_new_line_and_keeps_the_kind_of_ends(do, root):
    for before, after in [
        (b"first\nlast", b"first\nlast\nadded\n"),
        (b"a\r\nb", b"a\r\nb\r\nadded\r\n"),
        (b"", b"added\n"),
        (None, b"added\n"),
    ]:
        path = root / "log.txt"
        path.unlink(missing_ok=True)
        if before is not None:
            path.write_bytes(before)
        do("file", "append", path="log.txt", content="added\n")
        assert path.read_bytes() == after


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom", "utf-32", "cp1252", "latin-1"]
)
def test_an_edit_keeps_encoding_mark_and_final_newline(do, root, encoding):
    text = "gr\u00fc\u00df dich\nende"
    data = b"\xff\xfe" + text.encode("utf-16-le") if encoding == "utf-16-le-bom" else text.encode(encoding)
    (root / "a.txt").write_bytes(data)
    do("file", "edit", path="a.txt", old="dich", new="euch")
    wanted = text.replace("dich", "euch")
    if encoding == "utf-16-le-bom":
        assert (root / "a.txt").read_bytes() == b"\xff\xfe" + wanted.encode("utf-16-le")
    else:
        assert (root / "a.txt").read_bytes() == wanted.encode(encoding)


def test_a_character_that_the_encoding_does_not_have_is_refused(refused, root):
    (root / "a.txt").write_bytes("f\u00fcr".encode("cp1252"))
    assert "cp1252" in refused("file", "edit", path="a.txt", old="f", new="\u6f22")
    assert (root / "a.txt").read_bytes() == "f\u00fcr".encode("cp1252")


def test_the_mode_stays_and_folders_are_made(do, root):
    (root / "run.sh").write_text("#!/bin/sh\necho a\n")
    (root / "run.sh").chmod(0o755)
    do("file", "write", path="run.sh", content="#!/bin/sh\necho b\n")
    do("file", "edit", path="run.sh", old="echo b", new="echo c")
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o755
    made = do("file", "write", path="deep/er/a.txt", content="x")
    assert made.created
    assert (root / "deep" / "er" / "a.txt").read_text() == "x"


def test_a_file_that_others_changed_since_is_not_written_over(do, refused, root):
    (root / "a.txt").write_text("old\n")
    seen = do("file", "read", path="a.txt").hash
    (root / "a.txt").write_text("by somebody\n")
    for action, more in (
        ("write", {"content": "x"}),
        ("edit", {"old": "by", "new": "x"}),
        ("append", {"content": "x"}),
    ):
        said = refused("file", action, path="a.txt", expect_hash=seen, **more)
        assert "read it again" in said
    assert (root / "a.txt").read_text() == "by somebody\n"
    assert "and is not there" in refused("file", "write", path="no.txt", content="", expect_hash=seen)
    assert "there already" in refused("file", "write", path="a.txt", content="x", create_only=True)
    now = do("file", "read", path="a.txt").hash
    do("file", "edit", path="a.txt", old="somebody", new="us", expect_hash=now)


def test_the_person_who_approves_sees_the_diff_and_nothing_is_made_before(run, root):
    deck, host = fake_deck([False, True, False])
    deck.workspace = root
    deck.add_builtins("file")
    (root / "a.txt").write_text("one\ntwo\n")
    assert run(deck, "file", action="edit", path="a.txt", old="two", new="2").status == "denied"
    assert host.requests[0].preview == "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    assert run(deck, "file", action="write", path="new/b.txt", content="x\n").ok
    assert host.requests[1].preview.startswith("--- /dev/null\n+++ b/new/b.txt\n")
    run(deck, "file", action="write", path="other/c.txt", content="x")
    assert not (root / "other").exists()


@pytest.mark.parametrize("door", ["read", "write", "edit", "append"])
def test_a_file_swapped_for_a_link_while_somebody_thinks_is_not_followed(root, door):
    (root / "a.txt").write_text("inside\n")

    def approve(request):
        (root / "a.txt").unlink()
        (root / "a.txt").symlink_to("../out/secret.txt")
        return Decision(True)

    deck = Deck(policy="ask_everything", workspace=root, approver=approve)
    deck.add_builtins("file")
    more = {
        "read": {},
        "write": {"content": "x"},
        "append": {"content": "x"},
        "edit": {"old": "inside", "new": "x"},
    }
    result = deck.call("file", {"action": door, "path": "a.txt", **more[door]})
    assert result.status == "failed"
    assert "leads out of the workspace" in result.error
    assert (root.parent / "out" / "secret.txt").read_text() == "secret\n"


LINES = st.lists(st.sampled_from(["a", "b", "", "  c", "\u00fc", "a b"]), max_size=8)
ENDS = st.lists(st.sampled_from(["\n", "\r\n"]), min_size=8, max_size=8)


@settings(max_examples=200, deadline=None)
@given(LINES, ENDS, st.booleans(), st.data())
def test_an_edit_is_a_plain_replacement_and_leaves_other_bytes_alone(lines, ends, final, data):
    pieces = [line + end for line, end in zip(lines, ends, strict=False)]
    if pieces and not final:
        pieces[-1] = pieces[-1].rstrip("\r\n")
    raw = "".join(pieces).encode()
    document = decode(raw, "a")
    assert document.encode() == raw
    start = data.draw(st.integers(0, len(document.text)))
    stop = data.draw(st.integers(start, len(document.text)))
    new = data.draw(st.sampled_from(["", "x", "x\ny", "\n", "z\n"]))
    after = document.spliced(start, stop, new)
    assert after.text == document.text[:start] + new + document.text[stop:]
    again = decode(after.encode(), "a")
    assert again.text == after.text
    assert after.encode().startswith(document.spliced(start, len(document.text), "").encode())
    old = document.text[start:stop]
    places = sum(document.text.startswith(old, at) for at in range(len(document.text)))
    if old and old != new and places == 1:
        assert edited(raw, "a", Replacement(old, new)).data == after.encode()


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_survive_being_read_and_written(raw):
    from tooldeck.tools.texts.documents import NotText

    try:
        document = decode(raw, "a")
    except NotText:
        return
    assert document.encode() == raw
    assert written(raw, "a", document.text, create_only=False).data is not None
    assert appended(raw, "a", "x").data.startswith(raw)
