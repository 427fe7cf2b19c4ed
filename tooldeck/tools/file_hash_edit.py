"""file_hash_edit: change lines of a file by anchors, which hold although others change the file meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from tooldeck.core.errors import ExpectedError
from tooldeck.core.injection import Injected
from tooldeck.core.parts import Answer
from tooldeck.guards.paths import Workspace
from tooldeck.tools.declaring import builtin
from tooldeck.tools.texts.anchors import anchors_of
from tooldeck.tools.texts.diffs import unified
from tooldeck.tools.texts.documents import Document, decode, same_digest
from tooldeck.tools.texts.drift import Drift
from tooldeck.tools.texts.line_edits import Clash, LineEdit, Span, moved, spans_by_hash, spans_of
from tooldeck.tools.texts.snapshots import Snapshots, snapshots_of

__all__ = ["HashEdited", "file_hash_edit"]

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

    before: Document
    after: Document
    places: list[tuple[int, int]]
    """Which lines of the new text are new."""
    notes: tuple[str, ...]


def _preview(path: str, file_hash: str, edits: list[LineEdit], workspace: Workspace) -> str:
    data = workspace.before(path, MOST_BYTES)
    plan = _planned(data, workspace.relative(path), file_hash, edits, snapshots_of(workspace))
    return unified(plan.before.text, plan.after.text, path) or "nothing changes"


@builtin(
    effects="read,write",
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
) -> HashEdited:
    """Change lines of a text file by the anchors that a read of it showed: all edits, or none.

    Edits still land where they belong when others have changed the file elsewhere since it was read. Where
    the lines themselves were changed, or equal lines leave a doubt, nothing is written, and the answer shows
    what is there now. Each answer has fresh anchors.
    """
    known, name = snapshots_of(workspace), workspace.relative(path)
    done: list[_Plan] = []

    def change(before: bytes | None) -> bytes:
        done.append(_planned(before, name, file_hash, edits, known))
        return done[0].after.encode()

    where = workspace.update(path, change, MOST_BYTES)
    plan = done[0]
    hash_ = known.keep(where, plan.after.encode())
    regions = tuple(_region(plan.after.lines, first, last) for first, last in plan.places)
    return HashEdited(where, hash_, plan.notes, regions, unified(plan.before.text, plan.after.text, where))


def _planned(data: bytes | None, path: str, file_hash: str, edits: list[LineEdit], known: Snapshots) -> _Plan:
    """What the file becomes. Raises `ExpectedError` where that is in doubt."""
    if data is None:
        raise ExpectedError(f"There is no file {path!r} to edit; make it with the tool file.")
    document = decode(data, path)
    lines = document.lines
    notes: tuple[str, ...] = ()
    if same_digest(data, file_hash):
        spans = spans_of(edits, lines)
    else:
        spans, notes = _drifted(data, path, file_hash, edits, known)
    after, places = _carried_out(document, spans)
    if after == document:
        raise ExpectedError(f"Nothing changes: {path!r} has these lines already.")
    return _Plan(document, after, places, notes)


def _drifted(
    data: bytes, path: str, file_hash: str, edits: list[LineEdit], known: Snapshots
) -> tuple[list[Span], tuple[str, ...]]:
    """The edits on a file that was changed since they were made."""
    lines = decode(data, path).lines
    earlier = known.find(path, file_hash.strip().casefold()[:16])
    changed = f"[the file was changed since {file_hash} was read, elsewhere]"
    if earlier is None:
        known.keep(path, data)
        return spans_by_hash(edits, lines), (changed,)
    base = decode(earlier, path).lines
    spans = spans_of(edits, base)
    drift = Drift(base, lines)
    found = moved(spans, drift, len(lines))
    if None in found:
        hash_ = known.keep(path, data)
        raise Clash(_conflict(path, hash_, list(zip(spans, found, strict=True)), drift))
    sure = [span for span in found if span is not None]
    shifts = {after.start - before.start for before, after in zip(spans, sure, strict=True) if not after.edge}
    told = [
        f"[lines are {abs(by)} further {'down' if by > 0 else 'up'} than the anchors say]"
        for by in sorted(shifts)
        if by
    ]
    return sure, (changed, *told)


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


def _conflict(path: str, hash_: str, pairs: list[tuple[Span, Span | None]], drift: Drift) -> str:
    """Both sides of every edit that cannot be carried out."""
    head = f"Nothing was changed: since it was read, {path!r} was changed where the edits are, or so that"
    said = [f"{head} equal lines leave a doubt. Its hash is {hash_} now."]
    for span, now in pairs:
        if now is not None:
            continue
        low, high = drift.around(span.first, span.last)
        said += [
            f"--- lines {span.first + 1} to {span.last} as they were read",
            *drift.base[span.first : span.last][:_REGION],
            "--- as they are now",
            _region(drift.now, low, high).removeprefix("---\n"),
            "--- what was to be put there",
            *(span.new or ["[nothing]"])[:_REGION],
        ]
    return "\n".join(said)
