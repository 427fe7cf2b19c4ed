"""The store in a file: when it is made, who may use it at once, and what it says when it cannot be used."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import stat
import threading

import pytest

from tooldeck.core.errors import DefinitionError, StoreError
from tooldeck.store import SqliteStore, open_store
from tooldeck.store.migrations import MIGRATIONS


def count(store):
    return store.run("SELECT count(*) FROM grants").rows[0][0]


def put(store, key):
    return store.run("INSERT INTO grants VALUES (?, '', '', 0)", (key,))


@pytest.fixture
def path(tmp_path):
    return tmp_path / ".tooldeck" / "deck.db"


def test_nothing_is_made_before_the_first_statement(path):
    store = SqliteStore(path)
    assert store.place == str(path)
    assert not path.parent.exists()
    assert count(store) == 0
    assert path.exists()


def test_only_its_owner_can_read_the_file_and_git_does_not_see_it(path):
    count(SqliteStore(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (path.parent / ".gitignore").read_text() == "deck.db*\n"


def test_a_gitignore_that_is_there_and_other_folders_are_left_alone(path, tmp_path):
    path.parent.mkdir()
    (path.parent / ".gitignore").write_text("mine")
    count(SqliteStore(path))
    assert (path.parent / ".gitignore").read_text() == "mine"
    count(SqliteStore(tmp_path / "elsewhere" / "deck.db"))
    assert not (tmp_path / "elsewhere" / ".gitignore").exists()


def test_a_later_change_of_folder_does_not_change_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = SqliteStore("deck.db")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    put(store, "a")
    assert (tmp_path / "deck.db").exists()


def test_what_is_in_the_file_is_there_after_closing_and_opening_again(path):
    store = SqliteStore(path)
    put(store, "a")
    store.close()
    assert count(store) == 1
    assert count(SqliteStore(path)) == 1


def test_what_is_in_memory_belongs_to_one_object(path):
    store = SqliteStore()
    put(store, "a")
    assert count(store) == 1
    assert count(SqliteStore()) == 0


def test_a_change_tells_how_many_rows_and_which_one(path):
    store = SqliteStore(path)
    first, second = put(store, "a"), put(store, "b")
    assert (first.changed, second.row_id - first.row_id) == (1, 1)
    assert store.run("DELETE FROM grants").changed == 2


def test_many_threads_use_one_store(path):
    store = SqliteStore(path)
    threads = [
        threading.Thread(target=lambda n=n: [put(store, f"{n}-{i}") for i in range(20)]) for n in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert count(store) == 100


def _fill(path, name):
    store = SqliteStore(path)
    for number in range(25):
        put(store, f"{name}-{number}")


def test_several_programs_that_start_at_once_share_one_file(path):
    start = multiprocessing.get_context("spawn")
    programs = [start.Process(target=_fill, args=(path, name)) for name in "abc"]
    for program in programs:
        program.start()
    for program in programs:
        program.join(60)
    assert [program.exitcode for program in programs] == [0, 0, 0]
    assert count(SqliteStore(path)) == 75


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_forked_child_opens_the_file_for_itself(path):
    store = SqliteStore(path)
    put(store, "parent")
    child = os.fork()
    if child == 0:
        try:
            put(store, "child")
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert count(store) == 2


def test_a_database_from_before_gets_what_it_lacks_and_keeps_what_it_has(path):
    path.parent.mkdir()
    old = sqlite3.connect(path, isolation_level=None)
    for migration in MIGRATIONS[:2]:
        migration(old.execute)
    old.execute("INSERT INTO grants VALUES ('old', '', '', 0)")
    old.execute("PRAGMA user_version = 2")
    old.close()
    store = SqliteStore(path)
    assert count(store) == 1
    assert store.run("SELECT count(*) FROM breakers").rows == [(0,)]


def test_a_migration_that_fails_leaves_nothing_behind(path, monkeypatch):
    def broken(run):
        run("CREATE TABLE half (x)")
        run("nonsense")

    monkeypatch.setattr("tooldeck.store.sqlite.MIGRATIONS", (*MIGRATIONS, broken))
    with pytest.raises(StoreError):
        count(SqliteStore(path))
    monkeypatch.setattr("tooldeck.store.sqlite.MIGRATIONS", MIGRATIONS)
    tables = SqliteStore(path).run("SELECT name FROM sqlite_master WHERE name = 'half'").rows
    assert tables == []


def _corrupt(path):
    path.parent.mkdir()
    path.write_bytes(b"this is no database, whatever its name says" * 50)


def _newer(path):
    store = SqliteStore(path)
    store.run("PRAGMA user_version = 999")
    store.close()


def _folder_is_a_file(path):
    path.parent.write_text("")


@pytest.mark.parametrize(
    ("harm", "said"),
    [(_corrupt, "not a database"), (_newer, "newer tooldeck"), (_folder_is_a_file, "cannot be made there")],
)
def test_a_database_that_cannot_be_used_is_one_sentence_with_the_remedy(path, harm, said):
    harm(path)
    with pytest.raises(StoreError, match=said) as caught:
        count(SqliteStore(path))
    assert str(path) in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_locked_database_is_one_sentence_after_a_bounded_wait(path):
    store = SqliteStore(path)
    put(store, "a")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match="locked by another program"):
        put(store, "b")
    other.execute("ROLLBACK")
    other.close()
    assert put(store, "b").changed == 1


def test_a_database_that_may_only_be_read_can_be_read(path):
    class ReadOnly(SqliteStore):
        def _opened(self):
            connection = super()._opened()
            connection.execute("PRAGMA query_only = 1")
            return connection

    put(SqliteStore(path), "a")
    store = ReadOnly(path)
    assert count(store) == 1
    with pytest.raises(StoreError, match="may only be read"):
        put(store, "b")


def test_an_option_is_read_as_path_memory_store_or_nothing(path):
    store = SqliteStore()
    assert open_store(None) is None
    assert open_store(store) is store
    assert open_store(path).place == str(path)
    assert open_store(":memory:").place == ":memory:"
    for wrong in (3, "", b"deck.db"):
        with pytest.raises(DefinitionError, match="store must be"):
            open_store(wrong)
