"""The guard of paths: nothing outside of the workspace is read or changed, whatever the path looks like."""

from __future__ import annotations

import os
import stat
import threading

import pytest

from tooldeck import Deck
from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.guards.paths import PathRefused, Workspace


@pytest.fixture
def box(tmp_path):
    """A workspace with files and links in it, and a folder beside it with a secret."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "secret.txt").write_text("secret")
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "in.txt").write_text("inside")
    (root / "sub" / "deep.txt").write_text("deep")
    (tmp_path / "root2").mkdir()
    (tmp_path / "root2" / "x").write_text("sibling")
    (root / "file.lnk").symlink_to(out / "secret.txt")
    (root / "dirlnk").symlink_to(out)
    (root / "up").symlink_to("../out")
    (root / "loop").symlink_to("loop")
    (root / "inner").symlink_to("./in.txt")
    (root / "absolute").symlink_to(root / "sub")
    (root / "proc").symlink_to("/proc/self/root")
    return root


def listed(folder):
    return sorted(one.name for one in folder.iterdir())


def reads(workspace, path):
    return workspace.read(path)


def writes(workspace, path):
    workspace.update(path, lambda _: b"written")


def looks(workspace, path):
    with workspace.at(path):
        pass


def names(workspace, path):
    workspace.relative(path)
    workspace.real(path)


DOORS = {"read": reads, "write": writes, "look": looks, "name": names}
OUTSIDE = [
    "../out/secret.txt",
    "sub/../../out/secret.txt",
    ".//..//out/secret.txt",
    "{root}/../out/secret.txt",
    "{root}2/x",
    "{root}/../root2/x",
    "{out}/secret.txt",
    "{out}/missing.txt",
    "/etc/passwd",
    "/proc/self/root/etc/passwd",
    "/proc/self/cwd/x",
    "//etc/passwd",
    "..",
    "sub/../..",
    "file.lnk",
    "dirlnk/secret.txt",
    "dirlnk/../out/secret.txt",
    "up/secret.txt",
    "proc/etc/passwd",
    "sub/../dirlnk/secret.txt",
]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("path", OUTSIDE)
def test_no_door_leads_outside(box, door, path):
    out = box.parent / "out"
    with pytest.raises(PathRefused, match="leads out of the workspace"):
        DOORS[door](Workspace(box), path.format(root=box, out=out))
    assert listed(out) == ["secret.txt"]
    assert (out / "secret.txt").read_text() == "secret"
    assert not (box.parent / "root2" / "written").exists()


def test_the_refusal_is_the_same_whether_something_is_there_or_not(box):
    workspace = Workspace(box)
    said = set()
    for name in ("secret.txt", "missing.txt"):
        with pytest.raises(PathRefused) as refused:
            workspace.read(f"../out/{name}")
        said.add(str(refused.value).replace(name, "NAME"))
    assert len(said) == 1
    assert isinstance(refused.value, ExpectedError)


ODD = [
    "",
    "a\0b",
    "\ud800.txt",
    "~",
    "~/x",
    "x" * 5000,
    "loop",
    "loop/x",
    "in.txt/x",
    "sub/../missing/../in.txt/..",
]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("path", ODD, ids=range(len(ODD)))
def test_odd_names_end_in_one_sentence(box, door, path):
    with pytest.raises(PathRefused) as refused:
        DOORS[door](Workspace(box), path)
    said = str(refused.value)
    assert said.endswith((".", "?"))
    assert len(said) < 500
    said.encode()


@pytest.mark.parametrize(
    "path", ["x.", "x ", " x", "a\\b", "..\\out.txt", "a\nb", "rtl\u202ename", "new./x", "new/", "sub"]
)
def test_names_that_would_be_taken_for_others_are_not_made(box, path):
    with pytest.raises(PathRefused):
        writes(Workspace(box), path)
    assert listed(box / "sub") == ["deep.txt"]


@pytest.mark.parametrize(
    "path", [".git/hooks/pre-commit", ".GIT/config", "sub/.git/x", ".tooldeck/policy.toml", ".git", ".git./x"]
)
def test_what_belongs_to_the_repository_or_the_deck_is_read_and_never_changed(box, path):
    (box / ".git").mkdir()
    (box / ".git" / "config").write_text("here")
    workspace = Workspace(box)
    with pytest.raises(PathRefused):
        writes(workspace, path)
    assert listed(box / ".git") == ["config"]
    assert workspace.read(".git/config") == b"here"
    (box / "way").symlink_to(".git")
    with pytest.raises(PathRefused, match="is changed through paths"):
        writes(workspace, "way/config")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("in.txt", "inside"),
        ("sub/../in.txt", "inside"),
        ("./sub//deep.txt", "deep"),
        ("{root}/in.txt", "inside"),
        ("{root}/../root/in.txt", "inside"),
        ("inner", "inside"),
        ("absolute/deep.txt", "deep"),
        ("absolute/../in.txt", "inside"),
    ],
)
def test_every_spelling_of_what_is_inside_works(box, path, text):
    assert Workspace(box).read(path.format(root=box)).decode() == text


@pytest.mark.parametrize("spelling", ["{}", "{}/", "{}/.", "{}/sub/.."])
def test_every_spelling_of_the_root_works(box, spelling, monkeypatch):
    monkeypatch.chdir(box.parent)
    for given in (spelling.format(box), spelling.format("root")):
        workspace = Workspace(given)
        assert workspace.root == box
        assert workspace.read("in.txt") == b"inside"
        with workspace.at(str(box), "folder") as entry:
            assert entry.path == "."
        with pytest.raises(PathRefused):
            workspace.read(f"{box}2/x")


def test_a_root_that_is_a_link_takes_both_of_its_names(box, tmp_path):
    alias = tmp_path / "alias"
    alias.symlink_to(box)
    workspace = Workspace(alias)
    for path in (alias / "in.txt", box / "in.txt", "in.txt"):
        assert workspace.read(str(path)) == b"inside"
    assert workspace.update(f"{alias}/new/b.txt", lambda _: b"b") == "new/b.txt"
    assert (box / "new" / "b.txt").read_text() == "b"


def test_the_whole_file_system_may_be_the_root(box):
    workspace = Workspace("/")
    assert workspace.read(str(box / "in.txt")) == b"inside"
    assert workspace.read(str(box / "file.lnk")) == b"secret"
    with pytest.raises(PathRefused):
        workspace.read("../x")


def test_a_link_is_written_through_where_it_stays_inside(box):
    Workspace(box).update("inner", lambda _: b"new")
    assert (box / "inner").is_symlink()
    assert (box / "in.txt").read_text() == "new"


def test_what_is_swapped_for_a_link_after_the_check_is_not_followed(box):
    """The path is good when it is checked, and leads outside when it is used."""
    out = box.parent / "out"
    workspace = Workspace(box)
    with workspace.at("in.txt", "file") as entry:
        (box / "in.txt").rename(box / "old")
        (box / "in.txt").symlink_to(out / "secret.txt")
        with pytest.raises(PathRefused):
            entry.read()
        with pytest.raises(PathRefused, match="changed at this very moment"):
            entry.write(b"x")
    with workspace.at("sub/deep.txt", "changed") as entry:
        (box / "sub").rename(box / "moved")
        (box / "sub").symlink_to(out)
        entry.write(b"still the old folder")
    assert (box / "moved" / "deep.txt").read_text() == "still the old folder"
    assert listed(out) == ["secret.txt"]


def test_swapping_a_folder_for_a_link_again_and_again_never_lets_a_read_out(box):
    stop = threading.Event()
    (box / "flip").mkdir()
    (box / "flip" / "secret.txt").write_text("fine")

    def swap():
        while not stop.is_set():
            (box / "flip").rename(box / "aside")
            (box / "flip").symlink_to(box.parent / "out")
            (box / "flip").unlink()
            (box / "aside").rename(box / "flip")

    swapper = threading.Thread(target=swap)
    swapper.start()
    workspace, seen = Workspace(box), set()
    try:
        for _ in range(400):
            try:
                seen.add(workspace.read("flip/secret.txt"))
            except PathRefused:
                seen.add(None)
    finally:
        stop.set()
        swapper.join(10)
    assert seen <= {b"fine", None}


def test_pipes_and_devices_are_left_alone(box):
    os.mkfifo(box / "pipe")
    workspace = Workspace(box)
    for door in (reads, writes):
        with pytest.raises(PathRefused, match="is no plain file"):
            door(workspace, "pipe")
    with workspace.at("pipe") as entry, pytest.raises(PathRefused):
        entry.read()


def test_writing_keeps_the_bits_of_the_mode_and_leaves_nothing_behind(box):
    target = box / "run.sh"
    target.write_text("old")
    target.chmod(0o754)
    workspace = Workspace(box)
    assert workspace.update("run.sh", lambda before: before + b" and new") == "run.sh"
    assert target.read_text() == "old and new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o754
    before = os.umask(0o027)
    try:
        workspace.update("fresh.txt", lambda before: b"" if before is None else before)
    finally:
        os.umask(before)
    assert stat.S_IMODE((box / "fresh.txt").stat().st_mode) == 0o640
    assert not [name for name in listed(box) if name.endswith(".tmp")]


def test_a_change_that_fails_changes_nothing(box):
    def fail(before):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        Workspace(box).update("in.txt", fail)
    assert (box / "in.txt").read_text() == "inside"
    inode = (box / "in.txt").stat().st_ino
    Workspace(box).update("in.txt", lambda before: None)
    Workspace(box).update("in.txt", lambda before: before)
    assert (box / "in.txt").stat().st_ino == inode


def test_a_stranger_who_writes_in_between_is_not_written_over(box):
    def change(before):
        (box / "in.txt").write_text("by a stranger")
        return b"ours"

    def make(before):
        (box / "made.txt").write_text("by a stranger")
        return b"ours"

    for path, function in (("in.txt", change), ("made.txt", make)):
        with pytest.raises(PathRefused, match="changed at this very moment"):
            Workspace(box).update(path, function)
        assert (box / path).read_text() == "by a stranger"
    assert not [name for name in listed(box) if name.endswith(".tmp")]


def test_updates_of_many_threads_are_all_kept(box):
    def add(number):
        workspace = Workspace(box)
        for step in range(10):
            workspace.update("log.txt", lambda before, at=step: (before or b"") + b"%d.%d\n" % (number, at))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    lines = (box / "log.txt").read_text().split()
    assert sorted(lines) == sorted(f"{number}.{step}" for number in range(4) for step in range(10))


def test_a_file_that_is_not_there_is_answered_with_names_that_are_near(box):
    with pytest.raises(PathRefused, match=r"did you mean 'sub/deep.txt'\?"):
        Workspace(box).read("sub/deap.txt")
    with pytest.raises(PathRefused, match="there is no folder 'sup'"):
        Workspace(box).read("sup/deep.txt")


def test_a_file_that_is_too_long_is_not_read(box):
    with pytest.raises(PathRefused, match="has 6 bytes, and at most 5"):
        Workspace(box).read("in.txt", 5)


def test_names_that_are_no_text_can_be_read_and_are_shown(box):
    odd = os.fsdecode(b"caf\xe9.txt")
    (box / odd).write_text("coffee")
    workspace = Workspace(box)
    assert workspace.read(odd) == b"coffee"
    with pytest.raises(PathRefused, match=r"caf\\xe9"):
        workspace.read(f"{odd}x/y")


def test_a_workspace_that_is_no_folder_says_so(tmp_path):
    with pytest.raises(SetupError, match="is no folder; make it, or set another one"):
        _ = Workspace(tmp_path / "missing").root


def test_where_the_current_folder_is_gone_a_deck_works_and_its_files_say_so(tmp_path, monkeypatch):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    here.rmdir()
    with pytest.raises(SetupError, match="current folder was removed"):
        _ = Deck().workspace.root
