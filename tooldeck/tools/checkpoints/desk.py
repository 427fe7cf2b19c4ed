"""What the actions of ``checkpoint`` work with: the tables, the workspace, the run of one call."""

from __future__ import annotations

from tooldeck.core.cells import Cell
from tooldeck.core.errors import ExpectedError, SetupError
from tooldeck.core.injection import ToolContext
from tooldeck.core.vocabulary import nearest
from tooldeck.guards.paths import Workspace
from tooldeck.store.checkpoints import Checkpoint, Checkpoints
from tooldeck.store.conversations import conversation_of
from tooldeck.tools.checkpoints.files import Difference, changed_paths, snapshot

__all__ = ["Desk"]


class Desk:
    """Raises `SetupError` on a deck without a database."""

    def __init__(self, context: ToolContext) -> None:
        if context.store is None:
            raise SetupError(
                "This deck keeps nothing, so it has no checkpoints; make it with "
                'Deck(store=".tooldeck/deck.db").'
            )
        self.table = Checkpoints(context.store)
        self.workspace: Workspace = context.deck.workspace
        self.folder = str(self.workspace.root)
        self.run = context.call.caller.run
        self._context = context
        self._ledger = context.deck.ledger

    def save(self, label: str, *, cell: Cell | None = None, kind: str = "checkpoint") -> Checkpoint:
        """Keep this moment."""
        last = self._ledger.last()  # before the files are read: a change meanwhile counts as one since
        now = snapshot(self.folder, self._context.cancel)
        reader = Workspace(self.folder)
        return self.table.save(
            self.folder,
            label,
            files=now.files,
            contents=lambda digest: reader.read(now.places[digest]),
            left_out=now.left_out,
            messages=() if self.run is None else self.run.messages,
            conversation="" if self.run is None else conversation_of(self.run),
            cell=None if cell is None else cell.number,
            last_write=last,
            kind=kind,
        )

    def found(self, id: str) -> Checkpoint:
        """The checkpoint of an id; ``last`` is the newest that somebody asked for."""
        there = self.table.list(self.folder)
        asked = [one for one in there if one.kind == "checkpoint"]
        found = asked[-1:] if id == "last" else [one for one in there if one.id == id]
        if found:
            return found[0]
        if not there:
            raise ExpectedError("There is no checkpoint of this workspace yet; `save` makes one.")
        close = nearest(id, [one.id for one in there], 2) or [one.id for one in asked[-3:]]
        raise ExpectedError(
            f"There is no checkpoint {id!r} of this workspace; there is {' or '.join(close)}."
        )

    def differences(self, found: Checkpoint) -> list[Difference]:
        """The files that are not as they were at a checkpoint."""
        return [*changed_paths(found, self.table.files(found.id), self._ledger, self.folder)]
