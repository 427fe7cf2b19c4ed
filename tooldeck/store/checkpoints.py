"""Checkpoints: what the files of a workspace and the messages of a run were at a moment.

Contents are kept once, by their hash. A checkpoint is there from the moment on in which its own row is
written, last of all, so that a program that is killed meanwhile leaves none that is half made.
"""

from __future__ import annotations

import json
import secrets
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tooldeck.core.messages import Message
from tooldeck.core.stored import from_json, to_json
from tooldeck.store.masked_messages import without_secrets
from tooldeck.store.protocol import Store

__all__ = ["Checkpoint", "Checkpoints", "Kept"]

MOST = 50
"""Checkpoints of a workspace that stay; the oldest beyond them go."""
_COLUMNS = "id, label, at, conversation, count, cell, last_write, files, left_out, kind"


class Kept(NamedTuple):
    """A file as it was."""

    digest: str
    """SHA-256 of its bytes."""
    mode: int
    """Its mode bits."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A moment to which files and messages can be taken back."""

    id: str
    label: str
    at: float
    """Seconds since 1970."""
    conversation: str
    """Of the run in which it was made; empty outside of one."""
    count: int
    """Messages that the conversation had."""
    cell: int | None
    """The execution count of the notebook, where there is one."""
    last_write: int
    """The number of the last change of a file by a tool before it."""
    files: int
    left_out: tuple[str, ...]
    """Files that were there and are not kept, since they are too large or look like secrets."""
    kind: str
    """``checkpoint``; ``before rollback`` and ``collapsed`` for those that were made by themselves."""


class Checkpoints:
    """The checkpoints in a store. Every method raises `StoreError`; `now` gives seconds since 1970."""

    def __init__(self, store: Store, now: Callable[[], float] = time.time) -> None:
        self._store = store
        self._now = now

    def save(
        self,
        folder: str,
        label: str,
        *,
        files: Mapping[str, Kept],
        contents: Callable[[str], bytes],
        left_out: Iterable[str] = (),
        messages: Sequence[Message] = (),
        conversation: str = "",
        cell: int | None = None,
        last_write: int = 0,
        kind: str = "checkpoint",
    ) -> Checkpoint:
        """Keep a moment; `contents` gives the bytes of a hash that is not kept yet."""
        id = f"cp_{secrets.token_hex(4)}"  # noqa: A001 - as in the table
        self._keep_contents({one.digest for one in files.values()}, contents)
        self._store.run(
            "INSERT INTO checkpoint_files (checkpoint, path, digest, mode)"
            " SELECT ?1, value ->> 0, value ->> 1, value ->> 2 FROM json_each(?2)",
            (id, json.dumps([[path, *one] for path, one in files.items()])),
        )
        said = json.dumps(to_json([without_secrets(one) for one in messages]))
        self._store.run(
            f"INSERT INTO checkpoints (folder, messages, {_COLUMNS})"  # noqa: S608
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (folder, said, id, label, self._now(), conversation, len(messages), cell,
             last_write, len(files), json.dumps(list(left_out)), kind),
        )  # fmt: skip
        self._forget_oldest(folder)
        found = self.find(folder, id)
        if found is None:
            raise AssertionError(f"{id} is gone at once")
        return found

    def _keep_contents(self, digests: set[str], contents: Callable[[str], bytes]) -> None:
        have = self._store.run(
            "SELECT digest FROM contents WHERE digest IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(digests)),),
        ).rows
        for digest in sorted(digests - {row[0] for row in have}):
            self._store.run(
                "INSERT OR IGNORE INTO contents (digest, data) VALUES (?, ?)",
                (digest, zlib.compress(contents(digest))),
            )

    def _forget_oldest(self, folder: str) -> None:
        gone = self._store.run(
            "DELETE FROM checkpoints WHERE folder = ?1 AND id NOT IN"
            " (SELECT id FROM checkpoints WHERE folder = ?1 ORDER BY at DESC, rowid DESC LIMIT ?2)",
            (folder, MOST),
        )
        if gone.changed:
            self._store.run(
                "DELETE FROM checkpoint_files WHERE checkpoint NOT IN (SELECT id FROM checkpoints)"
            )
            self._store.run("DELETE FROM contents WHERE digest NOT IN (SELECT digest FROM checkpoint_files)")

    def find(self, folder: str, id: str) -> Checkpoint | None:
        """The checkpoint of this id in a workspace."""
        found = self.list(folder, "id = ?", id)
        return found[0] if found else None

    def list(self, folder: str, where: str = "1", *values: Any) -> list[Checkpoint]:
        """The checkpoints of a workspace, oldest first."""
        rows = self._store.run(
            f"SELECT {_COLUMNS} FROM checkpoints WHERE folder = ? AND {where} ORDER BY at, rowid",  # noqa: S608
            (folder, *values),
        ).rows
        return [Checkpoint(*row[:8], left_out=tuple(json.loads(row[8])), kind=row[9]) for row in rows]

    def files(self, id: str) -> dict[str, Kept]:
        """The files of a checkpoint by their paths."""
        rows = self._store.run(
            "SELECT path, digest, mode FROM checkpoint_files WHERE checkpoint = ? ORDER BY path", (id,)
        ).rows
        return {path: Kept(digest, mode) for path, digest, mode in rows}

    def content(self, digest: str) -> bytes | None:
        """The bytes of this hash, where they are kept."""
        rows = self._store.run("SELECT data FROM contents WHERE digest = ?", (digest,)).rows
        return zlib.decompress(rows[0][0]) if rows else None

    def messages(self, id: str) -> tuple[Message, ...]:
        """The messages of a checkpoint, as ``deck.run(…, messages=…)`` takes them; empty without them.

        Secrets in them are blacked out.
        """
        rows = self._store.run("SELECT messages FROM checkpoints WHERE id = ?", (id,)).rows
        return from_json(json.loads(rows[0][0])) if rows else ()
