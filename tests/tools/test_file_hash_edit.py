"""file_hash_edit: the line that was meant is changed, or nothing is."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tooldeck import Deck
from tooldeck.core.errors import ExpectedError
from tooldeck.testing import fake_deck
from tooldeck.tools.file_hash_edit import _planned, _Wanted
from tooldeck.tools.texts.anchors import Anchor, anchors_of, read_anchor
from tooldeck.tools.texts.cells import with_source
from tooldeck.tools.texts.documents import decode, digest
from tooldeck.tools.texts.line_edits import Delete, Insert, Replace
from tooldeck.tools.texts.snapshots import Snapshots


@pytest.fixture
def seen(do, root):
    """``seen(text)`` writes a.txt, reads it, and gives its hash and the anchors of its lines."""

    def look(text=None):
        if text is not None:
            (root / "a.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
        page = do("file", "read", path="a.txt")
        return page.hash, [line.split("|")[0] for line in page.shown]

    return look


def change(do, hash_, *edits):
    return do("file_hash_edit", path="a.txt", file_hash=hash_, edits=list(edits))


def test_the_second_of_two_equal_lines_is_the_one_that_is_changed(do, root, seen):
    lines = [f"line {number}" for number in range(2_000)]
    for at in range(0, 2_000, 10):
        lines[at] = "}"
    hash_, anchors = seen("\n".join(lines) + "\n")
    assert len(set(anchors)) == 2_000
    change(do, hash_, {"op": "replace", "anchor": anchors[20], "text": "HERE"})
    lines[20] = "HERE"
    assert (root / "a.txt").read_text() == "\n".join(lines) + "\n"


def test_anchors_of_different_lines_that_begin_alike_are_longer():
    lines = [f"{number}" for number in range(5_000)]
    hashes = {anchor.hash for anchor in anchors_of(lines)}
    assert len(hashes) == 5_000
    assert not any(
        one != other and other.startswith(one)
        for one, other in zip(sorted(hashes), sorted(hashes)[1:], strict=False)
    )


def test_every_kind_of_edit_refers_to_the_file_as_it_was_read(do, root, seen):
    hash_, anchors = seen("one\ntwo\nthree\nfour\n")
    changed = change(
        do, hash_,
        {"op": "replace", "anchor": anchors[0], "text": "    1\n    1b\n"},
        {"op": "delete", "anchor": anchors[1]},
        {"op": "insert_before", "anchor": anchors[3], "text": "@decorated"},
        {"op": "insert_after", "anchor": anchors[3], "text": ""},
        {"op": "prepend", "text": "top"},
        {"op": "append", "text": "end"},
    )  # fmt: skip
    assert (root / "a.txt").read_text() == "top\n    1\n    1b\nthree\n@decorated\nfour\n\nend\n"
    fresh, anchors = seen()
    assert changed.hash == fresh
    assert any(anchors[4] in region for region in changed.regions)


@pytest.mark.parametrize(
    ("before", "op", "after"),
    [
        (b"", {"op": "append", "text": "x"}, b"x\n"),
        (b"", {"op": "prepend", "text": "x"}, b"x\n"),
        (b"a", {"op": "append", "text": "x"}, b"a\nx"),
        (b"a\r\nb", {"op": "append", "text": "x"}, b"a\r\nb\r\nx"),
        (b"a\nb", {"op": "delete", "anchor": 1}, b"a"),
        (b"a", {"op": "delete", "anchor": 0}, b""),
        (b"a\nb", {"op": "insert_after", "anchor": 1, "text": "c"}, b"a\nb\nc"),
        (b"a\nb", {"op": "insert_before", "anchor": 0, "text": "c"}, b"c\na\nb"),
        (b"\xef\xbb\xbfa\r\nb\r\n", {"op": "replace", "anchor": 0, "text": "A\nB"},
         b"\xef\xbb\xbfA\r\nB\r\nb\r\n"),
        (b"a\r\nb\nc\r\n", {"op": "replace", "anchor": 1, "text": "B"}, b"a\r\nB\nc\r\n"),
        (b"a\n", {"op": "replace", "anchor": 0, "text": "$& \\1 {x} %s @HASH\u2192 |"},
         "$& \\1 {x} %s @HASH\u2192 |\n".encode()),
    ],
)  # fmt: skip
def test_the_edges_of_files_and_their_ends_are_kept(do, root, seen, before, op, after):
    hash_, anchors = seen(before)
    if "anchor" in op:
        op = {**op, "anchor": anchors[op["anchor"]]}
    change(do, hash_, op)
    assert (root / "a.txt").read_bytes() == after


def test_an_edit_after_others_changed_the_file_elsewhere_lands_where_it_belongs(do, root, seen):
    lines = [f"row {number}" for number in range(1, 21)]
    hash_, anchors = seen("\n".join(lines) + "\n")
    (root / "a.txt").write_text("\n".join(["new", "new too", *lines[:15], "row sixteen", *lines[16:]]) + "\n")
    changed = change(
        do, hash_, {"op": "replace", "anchor": anchors[9], "text": "ROW 10"}, {"op": "append", "text": "end"}
    )
    text = (root / "a.txt").read_text()
    assert text.splitlines()[11] == "ROW 10"
    assert text.startswith("new\nnew too\nrow 1\n")
    assert "row sixteen" in text
    assert text.endswith("row 20\nend\n")
    assert "further down" in " ".join(changed.notes)


def test_anchors_of_the_first_read_hold_through_our_own_edits(do, root, seen):
    hash_, anchors = seen("".join(f"row {number}\n" for number in range(1, 13)))
    change(do, hash_, {"op": "replace", "anchor": anchors[2], "text": "a\nb\nc"})
    change(do, hash_, {"op": "replace", "anchor": anchors[9], "text": "ten"})
    lines = (root / "a.txt").read_text().splitlines()
    assert lines[2:5] == ["a", "b", "c"]
    assert lines[11] == "ten"
    assert "row 10" not in lines


def test_a_line_that_somebody_changed_is_shown_and_not_written_over(refused, root, seen):
    hash_, anchors = seen("one\ntwo\nthree\n")
    (root / "a.txt").write_text("one\nTWO by another\nthree\n")
    said = refused(
        "file_hash_edit",
        path="a.txt",
        file_hash=hash_,
        edits=[{"op": "replace", "anchor": anchors[1], "text": "2"}],
    )
    assert "Nothing was changed" in said
    for part in ("two", "TWO by another", "2", digest(b"one\nTWO by another\nthree\n")):
        assert part in said
    assert (root / "a.txt").read_text() == "one\nTWO by another\nthree\n"
    fresh = next(line for line in said.splitlines() if line.endswith("|TWO by another")).split("|")[0]
    assert read_anchor(fresh).line == 2


@pytest.mark.parametrize("now", ["}\n}\n}\nend\n", "}\n}\n", "a\n}\n}\n}\nend\n"])
def test_equal_lines_that_others_moved_leave_a_doubt(refused, root, seen, now):
    hash_, anchors = seen("}\n}\nend\n")
    (root / "a.txt").write_text(now)
    refused("file_hash_edit", path="a.txt", file_hash=hash_, edits=[{"op": "delete", "anchor": anchors[1]}])
    assert (root / "a.txt").read_text() == now


def test_without_a_memory_of_the_file_only_lines_that_are_alone_are_found(do, root, seen):
    text = "one\ntwo\n}\nthree\n}\n"
    hash_, anchors = seen(text)
    others = Deck(policy="auto", workspace=root)
    others.add_builtins("file_hash_edit")
    (root / "a.txt").write_text(f"zero\n{text}")

    def edit(*edits):
        return others.call("file_hash_edit", path="a.txt", file_hash=hash_, edits=list(edits))

    assert edit({"op": "replace", "anchor": anchors[1], "text": "TWO"}).ok
    assert "TWO\n}" in (root / "a.txt").read_text()
    (root / "a.txt").write_text(f"zero\n{text}")
    wide = edit({"op": "delete", "anchor": anchors[1], "to": anchors[3]})
    assert wide.status == "failed"
    assert "read it again" in wide.error
    assert edit({"op": "delete", "anchor": "9:0123456789abcdef"}).status == "failed"
    (root / "a.txt").write_text("}\n}\n}\n")
    assert edit({"op": "delete", "anchor": anchors[2]}).status == "failed"


@pytest.mark.parametrize(
    ("edits", "says"),
    [
        ([{"op": "replace", "anchor": 0, "text": "x"}, {"op": "delete", "anchor": 0}], "speak of line 1"),
        ([{"op": "replace", "anchor": 0, "to": 2, "text": "x"},
          {"op": "insert_after", "anchor": 1, "text": "y"}], "between lines"),
        ([{"op": "delete", "anchor": 2, "to": 0}], "comes before"),
        ([{"op": "replace", "anchor": 0, "text": "one"}], "Nothing changes"),
        ([{"op": "delete", "anchor": "1:00000000"}], "No line has the anchor"),
        ([{"op": "delete", "anchor": "one"}], "is no anchor"),
    ],
)  # fmt: skip
def test_edits_that_contradict_each_other_or_the_file_change_nothing(refused, root, seen, edits, says):
    hash_, anchors = seen("one\ntwo\nthree\n")
    named = [
        {key: anchors[value] if isinstance(value, int) else value for key, value in edit.items()}
        for edit in edits
    ]
    assert says in refused("file_hash_edit", path="a.txt", file_hash=hash_, edits=named)
    assert (root / "a.txt").read_text() == "one\ntwo\nthree\n"


def test_paths_are_guarded_and_the_diff_is_shown_before(refused, root, run):
    (root / "l").symlink_to("../out/secret.txt")
    said = refused("file_hash_edit", path="l", file_hash="0" * 16, edits=[{"op": "append", "text": "x"}])
    assert "leads out" in said
    (root / "a.txt").write_text("a\n")
    deck, host = fake_deck([False])
    deck.workspace = root
    deck.add_builtins("file_hash_edit")
    run(deck, "file_hash_edit", path="a.txt", file_hash=digest(b"a\n"), edits=[{"op": "append", "text": "b"}])
    assert "+b\n" in host.requests[0].preview


EDITS = st.lists(
    st.tuples(st.sampled_from(["replace", "delete", "before", "after"]), st.integers(0, 9)), max_size=3
)


def as_edits(chosen, anchors, mark):
    made = []
    for number, (kind, at) in enumerate(chosen):
        anchor, text = str(anchors[at % len(anchors)]), f"{mark}{number}"
        made.append(
            {
                "replace": Replace(op="replace", anchor=anchor, text=text),
                "delete": Delete(op="delete", anchor=anchor),
                "before": Insert(op="insert_before", anchor=anchor, text=text),
                "after": Insert(op="insert_after", anchor=anchor, text=text),
            }[kind]
        )
    return made


def by_identity(items, chosen, count, mark):
    """What edits do to lines that each know which one they were: the plain reference."""
    made = []
    for identity, text in items:
        mine = [(kind, number) for number, (kind, at) in enumerate(chosen) if at % count == identity]
        made += [(None, f"{mark}{number}") for kind, number in mine if kind == "before"]
        replaced = [number for kind, number in mine if kind == "replace"]
        deleted = any(kind == "delete" for kind, _ in mine)
        if replaced:
            made.append((None, f"{mark}{replaced[0]}"))
        elif not deleted:
            made.append((identity, text))
        made += [(None, f"{mark}{number}") for kind, number in mine if kind == "after"]
    return made


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(["}", "", "a", "b", "c", "d", "e"]), min_size=1, max_size=10), EDITS, EDITS)
def test_two_writers_never_lose_or_misplace_a_change(lines, first, second):
    """Both read the same file; the second writes after the first, with anchors of what it read."""
    text = "\n".join(lines) + "\n"
    anchors, known = anchors_of(lines), Snapshots()
    hash_ = known.keep("a", text.encode())
    count = len(lines)
    items = list(enumerate(lines))
    data = text.encode()
    for chosen, mark in ((first, "one"), (second, "two")):
        if not chosen:
            continue
        try:
            plan = _planned(data, _Wanted("a", hash_, as_edits(chosen, anchors, mark)), known)
        except ExpectedError:
            continue
        data = plan.after.encode()
        items = by_identity(items, chosen, count, mark)
        assert decode(data, "a").lines == [text for _, text in items]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet="ab \t}|:~", max_size=4), min_size=1, max_size=30))
def test_anchors_are_unique_and_are_read_as_they_are_written(lines):
    anchors = anchors_of(lines)
    assert len({(anchor.hash, anchor.ordinal) for anchor in anchors}) == len(lines)
    for anchor, line in zip(anchors, lines, strict=True):
        assert read_anchor(f"{anchor}|{line}") == anchor
    assert all(isinstance(anchor, Anchor) and len(anchor.hash) >= 8 for anchor in anchors)
    assert digest(b"x") == hashlib.sha256(b"x").hexdigest()[:16]


def test_changes_of_both_within_the_same_lines_are_merged_where_they_touch_different_ones(
    deck, do, root, seen
):
    hash_, anchors = seen("start\none\ntwo\nthree\nfour\nend\n")
    (root / "a.txt").write_text("new\nstart\none\ntwo\nthree\nFOUR by another\nend\n")
    block = {"op": "replace", "anchor": anchors[1], "to": anchors[4]}
    changed = change(do, hash_, {**block, "text": "ONE\ntwo\nand a half\nthree\nfour"})
    assert "both changes are merged" in changed.notes[0]
    text = (root / "a.txt").read_text()
    assert text == "new\nstart\nONE\ntwo\nand a half\nthree\nFOUR by another\nend\n"
    edits = [{**block, "text": "one\ntwo\nthree\n4"}]
    clash = deck.call("file_hash_edit", {"path": "a.txt", "file_hash": hash_, "edits": edits})
    assert clash.status == "failed"
    (conflict,) = clash.exception.conflicts
    assert (conflict.line, conflict.read, conflict.wanted) == (5, ("four",), ("4",))
    now = next(line for line in conflict.now if line.endswith("|FOUR by another"))
    do("file_hash_edit", path="a.txt", file_hash=clash.exception.hash,
       edits=[{"op": "replace", "anchor": now.split("|")[0], "text": "four of both"}])  # fmt: skip
    assert (root / "a.txt").read_text() == text.replace("FOUR by another", "four of both")


BLOCKS = st.lists(st.sampled_from(["}", "", "a", "b", "c", "d", "e", "f", "g", "h"]), min_size=3, max_size=9)


@settings(max_examples=300, deadline=None)
@given(BLOCKS, st.data())
def test_a_merged_block_keeps_every_line_that_either_side_wrote(lines, data):
    known, anchors = Snapshots(), anchors_of(lines)
    hash_ = known.keep("a", ("\n".join(lines) + "\n").encode())
    places = st.integers(0, len(lines) - 1)
    first, theirs = data.draw(places), data.draw(places)
    last = data.draw(st.integers(first, len(lines) - 1))
    mine = data.draw(st.integers(first, last))
    block = [f"mine {mine}" if at == mine else line for at, line in enumerate(lines) if first <= at <= last]
    now = [f"theirs {theirs}" if at == theirs else line for at, line in enumerate(lines)]
    edit = Replace(
        op="replace", anchor=str(anchors[first]), to=str(anchors[last]), text="\n".join(block) + "\n"
    )
    try:
        plan = _planned(("\n".join(now) + "\n").encode(), _Wanted("a", hash_, [edit]), known)
    except ExpectedError:
        return
    assert mine != theirs
    now[mine] = f"mine {mine}"
    assert plan.after.lines == now


def test_the_lines_of_a_cell_have_anchors_and_are_changed_alone(do, refused, root):
    cells = [
        {"cell_type": "code", "id": name, "metadata": {}, "outputs": [], "execution_count": None,
         "source": ["x = 1\n", "y = 2"]}
        for name in ("one", "two")
    ]  # fmt: skip
    path = root / "n.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {"é": "\u2028"}, "nbformat": 4}, indent=1))
    before = path.read_text()
    page = do("file", "read", path="n.ipynb")
    assert page.shown[0] == "--- cell 1, code, id one"
    anchor = next(line for line in page.shown if line.endswith("|y = 2")).split("|")[0]
    edit = {"path": "n.ipynb", "edits": [{"op": "replace", "anchor": anchor, "text": "y = 3\nz = 4"}]}
    do("file_hash_edit", file_hash=page.hash, cell="two", **edit)
    head, _, tail = before.rpartition('"y = 2"')
    assert path.read_text() == f'{head}"y = 3\\n",\n    "z = 4"{tail}'
    do("file_hash_edit", file_hash=page.hash, cell="one", **edit)
    assert path.read_text().count('"z = 4"') == 2
    assert do("file", "edit", path="n.ipynb", cell="1", old="x = 1", new="x = 'ü'").told.startswith(
        "replaced"
    )
    assert json.loads(path.read_text())["cells"][0]["source"] == ["x = 'ü'\n", "y = 3\n", "z = 4"]
    assert "there are: one, two" in refused("file", "edit", path="n.ipynb", cell="x", old="a", new="b")


@pytest.mark.parametrize("indent", [None, 1, 2, "\t"])
@pytest.mark.parametrize("form", ["list", "text", "empty"])
def test_a_source_is_put_into_any_form_of_notebook_and_nothing_else_moves(indent, form):
    source = {"list": ["a\n", "b"], "text": "a\nb", "empty": []}[form]
    book = {"metadata": {"source": ["no"], "cells": [{"source": "no"}]}, "cells": [
        {"source": ["other"], "cell_type": "code", "id": "o"},
        {"cell_type": "code", "metadata": {"source": "no"}, "source": source, "outputs": [{"source": 1}]},
    ]}  # fmt: skip
    text = json.dumps(book, indent=indent)
    for new in ("", "x", "x\ny\n", 'q"\\ \u2028 é'):
        made = with_source(text, "n.ipynb", 2, new)
        book["cells"][1]["source"] = new
        got = json.loads(made)
        assert "".join(got["cells"][1]["source"]) == new
        assert isinstance(got["cells"][1]["source"], str) == (form == "text")
        got["cells"][1]["source"] = new
        assert got == book
        at = text.index(json.dumps({"cell_type": "code"})[1:-1], text.index('"o"'))
        assert made[:at] == text[:at]
