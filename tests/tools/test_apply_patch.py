"""apply_patch: what the patch means is done to all files, or nothing is."""

from __future__ import annotations

import os
import stat

import pytest

from tooldeck.guards.paths import Workspace
from tooldeck.testing import fake_deck

ROWS = [f"row {number}" for number in range(1, 21)]
TEN = """--- a/a.txt
+++ b/a.txt
@@ -7,7 +7,7 @@
 row 7
 row 8
 row 9
-row 10
+ROW 10
 row 11
 row 12
 row 13
"""


def write(root, **files):
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_txt", ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def everything(root):
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def test_a_hunk_goes_where_its_lines_are_and_says_how_far_that_is(do, root):
    write(root, a_txt="\n".join(["new", "newer", *ROWS]) + "\n")
    [file] = do("apply_patch", "apply", patch=TEN).files
    assert (root / "a.txt").read_text() == "\n".join(["new", "newer", *ROWS]).replace(
        "row 10", "ROW 10"
    ) + "\n"
    assert [(one.line, one.offset) for one in file.hunks] == [(9, 2)]


@pytest.mark.parametrize(
    "head", ["@@ -7,3 +7,9 @@", "@@ -1,99 +1 @@", "@@", "@@ ... @@", "@@ -7 +7 @@ def x():"]
)
def test_counts_and_numbers_that_are_wrong_do_no_harm(do, root, head):
    write(root, a_txt="\n".join(ROWS) + "\n")
    do("apply_patch", "apply", patch=TEN.replace("@@ -7,7 +7,7 @@", head))
    assert (root / "a.txt").read_text() == "\n".join(ROWS).replace("row 10", "ROW 10") + "\n"


def test_a_context_that_is_nowhere_is_refused_with_the_line_that_does_not_fit(refused, root):
    write(root, a_txt="\n".join(ROWS).replace("row 9", "other") + "\n")
    before = everything(root)
    said = refused("apply_patch", "apply", patch=TEN)
    assert "hunk 1 of 'a.txt' are not in the file: 'row 9' is not there after line 8" in said
    assert everything(root) == before


def test_lines_at_several_places_are_refused_and_a_line_number_alone_is_not_enough(refused, do, root):
    write(root, a_txt="x\ny\n" * 5)
    hunk = "--- a/a.txt\n+++ b/a.txt\n{}\n-x\n+X\n y\n"
    assert "5 places: lines 1, 3, 5, 7, 9" in refused("apply_patch", "apply", patch=hunk.format("@@"))
    assert "5 places" in refused("apply_patch", "apply", patch=hunk.format("@@ -2,2 +2,2 @@"))
    do("apply_patch", "apply", patch=hunk.format("@@ -5,2 +5,2 @@"))
    assert (root / "a.txt").read_text().splitlines()[4] == "X"
    bare = "--- a/a.txt\n+++ b/a.txt\n@@ -3,0 +4,1 @@\n+z\n"
    assert "Nothing but a line number" in refused("apply_patch", "apply", patch=bare)


ENVELOPE = """*** Begin Patch
*** Add File: n.txt
+new
*** Update File: a.txt
@@
 one
+inserted
*** Delete File: old.txt
*** Update File: b.txt
@@
-{}
+B
*** End Patch
"""


def test_a_file_that_does_not_fit_leaves_all_of_them_as_they_were(do, refused, root):
    write(root, a_txt="one\ntwo\n", b_txt="b\n", old_txt="old\n")
    before = everything(root)
    assert "hunk 1 of 'b.txt'" in refused("apply_patch", "apply", patch=ENVELOPE.format("wrong"))
    assert everything(root) == before
    files = do("apply_patch", "apply", patch=ENVELOPE.format("b")).files
    assert [(one.status, one.path) for one in files] == [
        ("A", "n.txt"),
        ("M", "a.txt"),
        ("D", "old.txt"),
        ("M", "b.txt"),
    ]
    assert everything(root) == {"a.txt": b"one\ninserted\ntwo\n", "b.txt": b"B\n", "n.txt": b"new\n"}


@pytest.mark.parametrize("broken", range(1, 4))
def test_a_disk_that_fails_in_the_middle_leaves_all_files_as_they_were(refused, root, monkeypatch, broken):
    write(root, a_txt="one\ntwo\n", b_txt="b\n", old_txt="old\n")
    before, calls, real = (
        everything(root),
        [],
        {name: getattr(os, name) for name in ("rename", "link", "unlink")},
    )

    def failing(name):
        def call(*args, **kwargs):
            if "dst_dir_fd" in kwargs and not str(args[1]).endswith((".old", ".json")):
                calls.append(name)
                if len(calls) == broken:
                    raise OSError(28, "No space left on device")
            return real[name](*args, **kwargs)

        return call

    for name in ("rename", "link"):
        monkeypatch.setattr(os, name, failing(name))
    said = refused("apply_patch", "apply", patch=ENVELOPE.format("b"))
    monkeypatch.undo()
    assert "no space left on device" in said
    assert "All files are as they were before" in said
    assert everything(root) == before


@pytest.mark.parametrize("form", ["unified", "envelope"])
def test_line_ends_are_kept_byte_for_byte(do, root, form):
    write(root, a_txt=b"alpha\r\nbeta\r\ngamma\r\n", m_txt=b"alpha\nbeta\r\ngamma\n")
    for name in ("a.txt", "m.txt"):
        body = " alpha\n-beta\n+BETA\n gamma\n+delta\n"
        patch = {
            "unified": f"--- a/{name}\n+++ b/{name}\n@@ -1,3 +1,4 @@\n{body}",
            "envelope": f"*** Begin Patch\n*** Update File: {name}\n@@\n{body}*** End Patch",
        }
        do("apply_patch", "apply", patch=patch[form])
    assert (root / "a.txt").read_bytes() == b"alpha\r\nBETA\r\ngamma\r\ndelta\r\n"
    assert (root / "m.txt").read_bytes() == b"alpha\nBETA\r\ngamma\ndelta\n"


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        (b"first\nlast", " last\n+added\n", b"first\nlast\nadded"),
        (b"first\nlast", "-last\n\\ No newline at end of file\n+last\n+added\n", b"first\nlast\nadded\n"),
        (b"first\nlast\n", "-last\n+last\n\\ No newline at end of file\n", b"first\nlast"),
        (
            b"first\nlast",
            "-last\n\\ No newline at end of file\n+end\n\\ No newline at end of file\n",
            b"first\nend",
        ),
        (b"a\r\nlast", " last\n+added\n", b"a\r\nlast\r\nadded"),
    ],
)
def test_an_open_end_is_kept_or_changed_as_the_patch_says(do, root, before, body, after):
    write(root, a_txt=before)
    do("apply_patch", "apply", patch=f"--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n{body}")
    assert (root / "a.txt").read_bytes() == after


def test_files_are_made_moved_and_deleted_with_their_modes(do, refused, root):
    write(root, notes__a_txt="one\ntwo\n", gone_txt="x\n")
    (root / "notes" / "a.txt").chmod(0o755)
    move = "*** Begin Patch\n*** Update File: notes/a.txt\n*** Move to: {}\n@@\n-{}\n+{}\n*** End Patch"
    do("apply_patch", "apply", patch=move.format("notes/a.txt", "one", "1"))
    do("apply_patch", "apply", patch=move.format("notes/../notes/a.txt", "1", "uno"))
    assert (root / "notes" / "a.txt").read_text() == "uno\ntwo\n"
    do("apply_patch", "apply", patch=move.format("sub/dir/b.txt", "uno", "ONE"))
    assert everything(root) == {"gone.txt": b"x\n", "sub/dir/b.txt": b"ONE\ntwo\n"}
    assert stat.S_IMODE((root / "sub/dir/b.txt").stat().st_mode) == 0o755
    git = (
        "diff --git a/run.sh b/run.sh\nnew file mode 100755\n"
        "--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+echo\n"
        "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n"
        "--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        "diff --git a/sub/dir/b.txt b/c.txt\nrename from sub/dir/b.txt\nrename to c.txt\n"
    )
    assert [one.status for one in do("apply_patch", "apply", patch=git).files] == ["A", "D", "R"]
    assert everything(root) == {"c.txt": b"ONE\ntwo\n", "run.sh": b"echo\n"}
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o755
    write(root, d_txt="d\n")
    said = refused(
        "apply_patch", "apply", patch="diff --git a/c.txt b/d.txt\nrename from c.txt\nrename to d.txt\n"
    )
    assert "there is such a file already" in said
    assert "such a file already" in refused(
        "apply_patch", "apply", patch="*** Begin Patch\n*** Add File: d.txt\n+other\n*** End Patch"
    )


def test_what_is_there_already_is_told_and_done_once(do, root):
    write(root, a_txt="\n".join(ROWS) + "\n")
    do("apply_patch", "apply", patch=TEN)
    [file] = do("apply_patch", "apply", patch=TEN).files
    assert file.status == "="
    assert file.hunks[0].already


def test_hashes_modes_and_sections_are_checked_before(do, refused, root):
    write(root, a_txt="\n".join(ROWS) + "\n")
    seen = do("file", "read", path="a.txt").hash
    do("apply_patch", "check", patch=TEN, expect_hashes={"a.txt": seen})
    write(root, a_txt="\n".join([*ROWS, "more"]) + "\n")
    assert "read it again" in refused("apply_patch", "apply", patch=TEN, expect_hashes={"a.txt": seen})
    assert "does not change" in refused("apply_patch", "apply", patch=TEN, expect_hashes={"b.txt": seen})
    assert "two sections for 'a.txt'" in refused(
        "apply_patch", "apply", patch=TEN + TEN.replace("a/a", "a/./a")
    )
    link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n"
    assert "only plain files" in refused("apply_patch", "apply", patch=link)
    assert "binary" in refused(
        "apply_patch", "apply", patch="diff --git a/a b/a\nGIT binary patch\nliteral 0\n"
    )


@pytest.mark.parametrize(
    "path", ["../out/secret.txt", "out.lnk/secret.txt", "/etc/passwd", ".git/hooks/x", "~/x"]
)
@pytest.mark.parametrize("kind", ["Add", "Update", "Delete"])
def test_no_section_leads_out_of_the_workspace(refused, root, path, kind):
    (root / "out.lnk").symlink_to("../out")
    body = {"Add": "+x\n", "Update": "-secret\n+x\n", "Delete": ""}[kind]
    refused("apply_patch", "apply", patch=f"*** Begin Patch\n*** {kind} File: {path}\n{body}*** End Patch")
    assert (root.parent / "out" / "secret.txt").read_text() == "secret\n"
    assert sorted(one.name for one in root.iterdir()) == ["out.lnk"]


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        ("a \nb\n", " a\n-b\n+c\n", "a \nc\n"),
        ("class A:\n    x = 1\n    y = 2\n", " x = 1\n-y = 2\n+y = 3\n", "class A:\n    x = 1\n    y = 3\n"),
        ("say \u201chi\u201d\nend\n", ' say "hi"\n-end\n+END\n', "say \u201chi\u201d\nEND\n"),
    ],
)  # fmt: skip
def test_liberties_are_taken_only_where_they_are_allowed_and_lines_that_stay_stay(
    do, refused, root, before, body, after
):
    write(root, a_txt=before)
    patch = f"--- a/a.txt\n+++ b/a.txt\n@@\n{body}"
    refused("apply_patch", "apply", patch=patch, fuzz="exact")
    [file] = do("apply_patch", "apply", patch=patch).files
    assert (root / "a.txt").read_text() == after
    assert file.hunks[0].liberty


def test_headings_choose_between_equal_places(do, root):
    write(root, a_txt="def f():\n    return 1\n\ndef g():\n    return 1\n")
    do("apply_patch", "apply", patch=(
        "*** Begin Patch\n*** Update File: a.txt\n@@ def g():\n-    return 1\n+    return 2\n*** End Patch"
    ))  # fmt: skip
    assert (root / "a.txt").read_text() == "def f():\n    return 1\n\ndef g():\n    return 2\n"


def test_a_file_that_cannot_be_parsed_any_more_is_told(do, root):
    (root / "a.py").write_text("x = 1\n")
    [file] = do("apply_patch", "check", patch="--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = (\n").files
    assert "cannot be parsed any more" in file.warning
    assert (root / "a.py").read_text() == "x = 1\n"


def test_looking_asks_nobody_and_the_person_sees_the_diff_of_all_files(run, root):
    write(root, a_txt="one\ntwo\n", b_txt="b\n", old_txt="old\n")
    deck, host = fake_deck([False])
    deck.workspace = root
    deck.add_builtins("apply_patch")
    assert run(deck, "apply_patch", action="check", patch=ENVELOPE.format("b")).ok
    assert run(deck, "apply_patch", action="apply", patch=ENVELOPE.format("b")).status == "denied"
    [request] = host.requests
    for line in ("+++ b/n.txt", "+inserted", "--- a/old.txt", "+++ /dev/null", "-old", "+B"):
        assert line in request.preview.splitlines()


@pytest.mark.parametrize(
    "text",
    ["", "nothing", "*** Begin Patch\n*** End Patch", "*** Begin Patch\n*** Update File: a", "@@\n-a\n"],
)
def test_what_is_no_patch_is_said_so(refused, text):
    assert "patch" in refused("apply_patch", "apply", patch=text)


def test_nothing_is_left_behind_in_the_workspace(do, root):
    write(root, a_txt="\n".join(ROWS) + "\n")
    do("apply_patch", "apply", patch=TEN)
    assert sorted(one.name for one in root.iterdir()) == ["a.txt"]
    assert Workspace(root).read("a.txt")


FUZZY = "--- a/a.txt\n+++ b/a.txt\n@@ -1,5 +1,5 @@\n one\n two\n-three\n+THREE\n four\n five\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("0ne\ntwo\nthree\nfour\nfive\n", "0ne\ntwo\nTHREE\nfour\nfive\n"),
        ("x\nx\nx\none\ntwo\nthree\nfour\n5\n", "x\nx\nx\none\ntwo\nTHREE\nfour\n5\n"),
        ("1\n2\nthree\nfour\n", "1\n2\nTHREE\nfour\n"),
        ("1\n2\nthree\n4\n5\n", None),
        ("1\ntwo\n3\nfour\n5\n", None),
        ("1\ntwo\nthree\nfour\n5\n1\ntwo\nthree\nfour\n6\n", None),
    ],
)  # fmt: skip
def test_context_at_the_edges_may_differ_only_when_asked_for_and_at_one_place(
    do, refused, root, before, after
):
    write(root, a_txt=before)
    refused("apply_patch", "apply", patch=FUZZY)
    if after is None:
        refused("apply_patch", "apply", patch=FUZZY, fuzz="context")
        assert (root / "a.txt").read_text() == before
        return
    [file] = do("apply_patch", "apply", patch=FUZZY, fuzz="context").files
    assert "of context aside" in file.hunks[0].liberty
    assert (root / "a.txt").read_text() == after


def test_a_patch_that_does_not_pass_its_checks_is_taken_back_from_our_own_copies(do, refused, root):
    (root / "a.py").write_text("import os\n\nprint(os.name)\n")
    (root / "b.txt").write_text("mine, never committed\n")
    patch = (
        "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,2 @@\n import os\n \n-print(os.name)\n"
        "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-mine, never committed\n+theirs\n"
        "--- /dev/null\n+++ b/new/c.py\n@@ -0,0 +1 @@\n+x = 1\n"
    )
    said = refused("apply_patch", "apply_verified", patch=patch, verify=["lint"])
    assert "taken back" in said
    assert "F401" in said
    assert "All files are as they were before." in said
    assert (root / "a.py").read_text().endswith("print(os.name)\n")
    assert (root / "b.txt").read_text() == "mine, never committed\n"
    assert not (root / "new" / "c.py").exists()
    assert not (root / ".tooldeck").exists()
    good = do("apply_patch", "apply_verified", patch=patch, verify=["lint"], paths=["new"])
    assert good.report.status == "passed"
    assert (root / "b.txt").read_text() == "theirs\n"
    unknown = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-theirs\n+ours\n"
    assert "nothing was checked" in refused("apply_patch", "apply_verified", patch=unknown, verify=["npm"])
    assert (root / "b.txt").read_text() == "theirs\n"
