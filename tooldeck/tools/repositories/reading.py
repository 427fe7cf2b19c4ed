"""Reading git's machine formats into records; names that are no UTF-8 keep their bytes as surrogates."""

from __future__ import annotations

import os

from tooldeck.tools.repositories.records import BlameLine, Branch, Commit, Entry

__all__ = [
    "BRANCH_FORMAT",
    "COMMIT_FORMAT",
    "blame_of",
    "branches_of",
    "commits_of",
    "entries_of",
    "numstat_of",
]

COMMIT_FORMAT = "%x1e%H%x1f%P%x1f%an%x1f%ae%x1f%aI%x1f%D%x1f%s%x1f%b%x1d"
"""Fields between characters that no name or message has as a rule; a message with them loses itself only."""
BRANCH_FORMAT = "%(refname)%1f%(objectname)%1f%(HEAD)%1f%(upstream:short)%1f%(symref)%1f%(subject)"


def commits_of(out: bytes) -> tuple[Commit, ...]:
    """The commits that were printed in `COMMIT_FORMAT`."""
    found: list[Commit] = []
    for record in out.decode(errors="replace").split("\x1e")[1:]:
        fields = record.partition("\x1d")[0].split("\x1f")
        if len(fields) < 8:
            continue
        sha, parents, author, email, date, refs, subject = fields[:7]
        body = "\x1f".join(fields[7:]).strip("\n")
        names = tuple(name for name in refs.split(", ") if name)
        found.append(Commit(sha, tuple(parents.split()), author, email, date, names, subject, body))
    return tuple(found)


def entries_of(out: bytes) -> tuple[dict[str, str], tuple[Entry, ...]]:
    """The headers and the entries of ``status --porcelain=v2 -z``."""
    headers: dict[str, str] = {}
    entries: list[Entry] = []
    records = iter(out.split(b"\0"))
    for record in records:
        line = os.fsdecode(record)
        kind = line[:1]
        if kind == "#":
            name, _, value = line[2:].partition(" ")
            headers[name] = value
        elif kind in {"?", "!"}:
            entries.append(Entry(line[2:], kind, kind))
        elif kind in {"1", "2", "u"}:
            fields = line.split(" ", {"1": 8, "2": 9, "u": 10}[kind])
            original = os.fsdecode(next(records)) if kind == "2" else ""
            module = "" if fields[2] == "N..." else fields[2]
            entries.append(Entry(fields[-1], fields[1][0], fields[1][1], original, module))
    return headers, tuple(entries)


def numstat_of(out: bytes) -> tuple[tuple[str, int | None, int | None], ...]:
    """Path, added and removed lines of ``--numstat -z``."""
    found: list[tuple[str, int | None, int | None]] = []
    records = iter(out.split(b"\0"))
    for record in records:
        fields = os.fsdecode(record).lstrip("\n").split("\t", 2)
        if len(fields) != 3:
            continue
        added, gone, path = fields
        if not path:  # renamed: the old and the new name follow
            next(records)
            path = os.fsdecode(next(records))
        found.append((path, _number(added), _number(gone)))
    return tuple(found)


def _number(word: str) -> int | None:
    return int(word) if word.isdigit() else None


def branches_of(out: bytes) -> tuple[Branch, ...]:
    """The branches that were printed in `BRANCH_FORMAT`."""
    found: list[Branch] = []
    for line in out.decode(errors="replace").splitlines():
        fields = line.split("\x1f", 5)
        if len(fields) != 6 or fields[4]:  # a symbolic one, as origin/HEAD, is another branch's name
            continue
        name, commit, head, upstream, _, subject = fields
        short = name.removeprefix("refs/heads/").removeprefix("refs/remotes/")
        found.append(Branch(short, commit, head == "*", name.startswith("refs/remotes/"), upstream, subject))
    return tuple(found)


def blame_of(out: bytes) -> tuple[BlameLine, ...]:
    """The lines of ``blame --porcelain``, which tells of a commit at its first line only."""
    facts: dict[str, dict[str, str]] = {}
    found: list[BlameLine] = []
    commit, number = "", 0
    for raw in out.split(b"\n"):
        line = raw.decode(errors="replace")
        if line.startswith("\t"):
            about = facts[commit]
            author, time = about.get("author", ""), int(about.get("author-time", "0"))
            found.append(BlameLine(number, commit, author, time, line[1:]))
            continue
        word, _, rest = line.partition(" ")
        if len(word) >= 40 and word.isalnum():
            commit, number = word, int(rest.split(" ")[1])
            facts.setdefault(commit, {})
        elif commit:
            facts[commit].setdefault(word, rest)
    return tuple(found)
