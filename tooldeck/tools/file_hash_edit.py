"""file_hash_edit: change lines of a file by anchors, which hold although others change the file meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from pydantic import Field

from tooldeck.core.errors import ExpectedError
from tooldeck.core.injection import Injected
from tooldeck.core.parts import Answer
from tooldeck.guards.paths import Workspace
from tooldeck.tools.declaring import builtin
from tooldeck.tools.texts.anchors import anchors_of
from tooldeck.tools.texts.cells import Piece, piece_of
from tooldeck.tools.texts.diffs import unified
from tooldeck.tools.texts.documents import Document, decode, same_digest
from tooldeck.tools.texts.drift import Drift
from tooldeck.tools.texts.line_edits import Clash, LineEdit, Span, moved, refined, spans_by_hash, spans_of
from tooldeck.tools.texts.snapshots import Snapshots, snapshots_of

__all__ = ["Conflict", "HashEdited", "MergeConflict", "file_hash_edit"]

MOST_BYTES = 20_000_000
"""Longer files are not changed."""
_AROUND = 3
"""Lines told before and after what was changed."""
_REGION = 40
"""Lines told of one place."""


@dataclass(frozen=True, slots=True)
class HashEdited:
    """A file whose lines were changed."""

    path: str
    hash: str
    """Of the file as it is now, for the next edit."""
    notes: tuple[str, ...]
    """What was different from what the anchors said."""
    regions: tuple[str, ...]
    """The changed places with their anchors of now."""
    diff: str

    def _tool_answer_(self) -> Answer:
        return Answer(
            self, "\n".join([f"{self.path}: changed; hash {self.hash}", *self.notes, *self.regions])
        )


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the edits come to."""

    piece: Piece
    after: Document
    """The text of the piece as it shall be."""
    places: list[tuple[int, int]]
    """Which lines of the new text are new."""
    notes: tuple[str, ...]

    @property
    def data(self) -> bytes:
        """The bytes of the file as it shall be."""
        return self.piece.put(self.after).encode()

    @property
    def diff(self) -> str:
        """The change, as a unified diff."""
        return unified(self.piece.document.text, self.after.text, self.piece.name)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Lines that both sides changed."""

    line: int
    """Where they began when they were read, from 1."""
    read: tuple[str, ...]
    """As they were read."""
    now: tuple[str, ...]
    """As they are now, with their anchors and some lines around."""
    wanted: tuple[str, ...]
    """What was to be put there."""

    def __str__(self) -> str:
        lines = [f"--- lines {self.line} to {self.line + len(self.read) - 1} as they were read"]
        lines += [*self.read[:_REGION], "--- as they are now", *self.now]
        return "\n".join([*lines, "--- what was to be put there", *(self.wanted or ("[nothing]",))[:_REGION]])


class MergeConflict(Clash):
    """Edits that cannot be merged with what others have changed; nothing was written."""

    def __init__(self, path: str, hash_: str, conflicts: tuple[Conflict, ...]) -> None:
        super().__init__(
            f"Nothing was changed: since it was read, {path!r} was changed where the edits are, or so that "
            f"equal lines leave a doubt. Its hash is {hash_} now.\n" + "\n".join(map(str, conflicts))
        )
        self.path = path
        self.hash = hash_
        """Of the file as it is now, for edits with the anchors of ``now``."""
        self.conflicts = conflicts


def _preview(path: str, file_hash: str, edits: list[LineEdit], cell: str, workspace: Workspace) -> str:
    data = workspace.before(path, MOST_BYTES)
    wanted = _Wanted(workspace.relative(path), file_hash, edits, cell)
    return _planned(data, wanted, snapshots_of(workspace)).diff or "nothing changes"


@builtin(
    effects="read,write",
    trust="untrusted",
    preview=_preview,
    max_chars=40_000,
    examples=[
        {
            "path": "notes/todo.txt",
            "file_hash": "25ae2fd59319caf2",
            "edits": [
                {"op": "replace", "anchor": "1:4be18201", "text": "buy two bulbs"},
                {"op": "append", "text": "screw them in"},
            ],
        }
    ],
)
def file_hash_edit(
    path: Annotated[str, Field(description="Path of the file, relative to the workspace.")],
    file_hash: Annotated[str, Field(description="The hash of the file that the anchors were read with.")],
    edits: Annotated[
        list[LineEdit], Field(min_length=1, description="All of the file as it was read; none sees another.")
    ],
    *,
    workspace: Injected[Workspace],
    cell: Annotated[
        str, Field(description="Of a notebook: the id or the number of the cell that the anchors are of.")
    ] = "",
) -> HashEdited:
    """Change lines of a text file by the anchors that a read of it showed: all edits, or none.

    Edits still land where they belong when others have changed the file since it was read, also within the
    same lines where the two changes can be merged. Where they cannot, or equal lines leave a doubt, nothing
    is written, and the answer shows both sides. Each answer has fresh anchors.
    """
    known, wanted = snapshots_of(workspace), _Wanted(workspace.relative(path), file_hash, edits, cell)
    done: list[_Plan] = []

    def change(before: bytes | None) -> bytes:
        done.append(_planned(before, wanted, known))
        return done[0].data

    where = workspace.update(path, change, MOST_BYTES)
    plan = done[0]
    hash_ = known.keep(where, plan.data)
    regions = tuple(_region(plan.after.lines, first, last) for first, last in plan.places)
    return HashEdited(where, hash_, plan.notes, regions, plan.diff)


class _Wanted(NamedTuple):
    path: str
    file_hash: str
    edits: list[LineEdit]
    cell: str = ""


def _planned(data: bytes | None, wanted: _Wanted, known: Snapshots) -> _Plan:
    """What the file becomes. Raises `ExpectedError` where that is in doubt."""
    path = wanted.path
    if data is None:
        raise ExpectedError(f"There is no file {path!r} to edit; make it with the tool file.")
    piece = piece_of(decode(data, path), path, wanted.cell)
    document = piece.document
    notes: tuple[str, ...] = ()
    if same_digest(data, wanted.file_hash):
        spans = spans_of(wanted.edits, document.lines)
    else:
        spans, notes = _drifted(data, piece, wanted, known)
    after, places = _carried_out(document, spans)
    if after == document:
        raise ExpectedError(f"Nothing changes: {piece.name!r} has these lines already.")
    return _Plan(piece, after, places, notes)


def _drifted(
    data: bytes, piece: Piece, wanted: _Wanted, known: Snapshots
) -> tuple[list[Span], tuple[str, ...]]:
    """The edits on a file that was changed since they were made."""
    path, lines = wanted.path, piece.document.lines
    earlier = known.find(path, wanted.file_hash.strip().casefold()[:16])
    changed = f"[the file was changed since {wanted.file_hash} was read, elsewhere]"
    if piece.cell is not None and not piece.cell.id:
        raise Clash(f"{path!r} was changed, and its cells have no ids to be found again by; read it again.")
    if earlier is None:
        known.keep(path, data)
        return spans_by_hash(wanted.edits, lines), (changed,)
    base = piece_of(decode(earlier, path), path, wanted.cell).document.lines
    spans = spans_of(wanted.edits, base)
    drift = Drift(base, lines)
    found = moved(spans, drift, len(lines))
    notes = [changed]
    if None in found:
        spans = [part for span in spans for part in ([span] if span.edge else refined(span, base))]
        found = moved(spans, drift, len(lines))
        notes = [
            f"[others changed the same lines since {wanted.file_hash} was read; both changes are merged]"
        ]
    if None in found:
        hash_ = known.keep(path, data)
        pairs = zip(spans, found, strict=True)
        raise MergeConflict(path, hash_, tuple(_conflict(span, drift) for span, now in pairs if now is None))
    sure = [span for span in found if span is not None]
    shifts = {after.start - before.start for before, after in zip(spans, sure, strict=True) if not after.edge}
    told = [
        f"[lines are {abs(by)} further {'down' if by > 0 else 'up'} than the anchors say]"
        for by in sorted(shifts)
        if by
    ]
    return sure, (*notes, *told)


def _carried_out(document: Document, spans: list[Span]) -> tuple[Document, list[tuple[int, int]]]:
    """The document with all spans, and where in it the new lines stand."""
    order = sorted(range(len(spans)), key=lambda at: (*spans[at].rank, at))
    after = document
    for at in reversed(order):
        after = after.with_lines(spans[at].start, spans[at].stop, spans[at].new)
    places: list[tuple[int, int]] = []
    by = 0
    for at in order:
        start = spans[at].start + by
        places.append((start, start + len(spans[at].new)))
        by += len(spans[at].new) - (spans[at].stop - spans[at].start)
    return after, places


def _region(lines: list[str], first: int, last: int) -> str:
    """Lines with their anchors, from a little before to a little after."""
    anchors = anchors_of(lines)
    low, high = max(0, first - _AROUND), min(len(lines), last + _AROUND)
    shown = [f"{anchors[at]}|{lines[at]}" for at in range(low, min(high, low + _REGION))]
    more = [f"[{high - low - _REGION} more lines]"] if high - low > _REGION else []
    return "\n".join(["---", *shown, *more])


def _conflict(span: Span, drift: Drift) -> Conflict:
    """Both sides of an edit that cannot be carried out."""
    low, high = drift.around(span.first, span.last)
    now = _region(drift.now, low, high).removeprefix("---\n").split("\n")
    return Conflict(span.first + 1, tuple(drift.base[span.first : span.last]), tuple(now), tuple(span.new))
