"""What `git` gives: records for Python, each with its text for a model."""

from __future__ import annotations

from dataclasses import dataclass

from tooldeck.core.parts import Answer
from tooldeck.guards.paths import shown_path
from tooldeck.guards.text import one_line

__all__ = [
    "BlameLine",
    "Blamed",
    "Branch",
    "Branches",
    "Commit",
    "Diff",
    "Done",
    "Entry",
    "Log",
    "Shown",
    "Status",
]


def _named(path: str) -> str:
    """A path in one line, whatever is in it."""
    return one_line(shown_path(path))


@dataclass(frozen=True, slots=True)
class Entry:
    """A path that is not as it was committed."""

    path: str
    index: str
    """What is staged: one of git's letters (M, A, D, R, C, T, U), ``.`` for nothing, ``?`` untracked."""
    worktree: str
    """The same for what is not staged."""
    original: str = ""
    """Where it was before, when it was renamed or copied."""
    submodule: str = ""
    """Of a submodule: ``S`` with letters for a new commit, changes and untracked files."""

    @property
    def conflict(self) -> bool:
        """Whether a merge left it undecided."""
        return "U" in self.index + self.worktree or self.index + self.worktree in {"AA", "DD"}

    def __str__(self) -> str:
        path = f"{_named(self.original)} -> {_named(self.path)}" if self.original else _named(self.path)
        mark = " (conflict)" if self.conflict else " (submodule)" if self.submodule else ""
        return f"{self.index}{self.worktree} {path}{mark}"


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a working tree."""

    branch: str | None
    """None where HEAD is detached."""
    commit: str | None
    """None on a branch without a commit."""
    upstream: str
    ahead: int
    behind: int
    stashes: int
    in_progress: str
    """A merge or the like that was begun; empty for nothing."""
    entries: tuple[Entry, ...]

    @property
    def clean(self) -> bool:
        """Whether there is nothing to commit."""
        return not self.entries

    def _tool_answer_(self) -> Answer:
        at = (self.commit or "")[:10] or "no commit yet"
        head = f"on {self.branch} ({at})" if self.branch else f"HEAD detached at {at}"
        if self.upstream:
            head += f", upstream {self.upstream}, {self.ahead} ahead, {self.behind} behind"
        more = [f"{self.in_progress} in progress"] if self.in_progress else []
        more += [f"{self.stashes} stashed"] if self.stashes else []
        lines = [str(entry) for entry in self.entries] or ["nothing to commit"]
        return Answer(self, "\n".join([", ".join([head, *more]), *lines]))


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit."""

    id: str
    parents: tuple[str, ...]
    author: str
    email: str
    date: str
    """When it was written, ISO 8601."""
    refs: tuple[str, ...]
    subject: str
    body: str

    def __str__(self) -> str:
        refs = f" ({', '.join(self.refs)})" if self.refs else ""
        return f"{self.id[:10]} {self.date[:10]} {self.author}{refs}: {self.subject}"


@dataclass(frozen=True, slots=True)
class Log:
    """Commits, newest first."""

    commits: tuple[Commit, ...]

    def _tool_answer_(self) -> Answer:
        return Answer(self, "\n".join(map(str, self.commits)) or "no commits")


@dataclass(frozen=True, slots=True)
class Diff:
    """A difference."""

    files: tuple[tuple[str, int | None, int | None], ...]
    """Path, added lines, removed lines; None for binary files."""
    patch: str

    def _tool_answer_(self) -> Answer:
        lines = [f"{_named(path)} | +{_count(add)} -{_count(gone)}" for path, add, gone in self.files]
        lines += ["", self.patch] if self.patch else []
        return Answer(self, "\n".join(lines) or "no difference")


def _count(lines: int | None) -> str:
    return "binary" if lines is None else str(lines)


@dataclass(frozen=True, slots=True)
class Shown:
    """A commit with its change, or a file as it was."""

    commit: Commit | None
    text: str

    def _tool_answer_(self) -> Answer:
        head = [str(self.commit), self.commit.body, ""] if self.commit else []
        return Answer(self, "\n".join([*head, self.text]))


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch, of this repository or of a remote."""

    name: str
    commit: str
    current: bool
    remote: bool
    upstream: str
    subject: str


@dataclass(frozen=True, slots=True)
class Branches:
    """The branches."""

    branches: tuple[Branch, ...]

    def _tool_answer_(self) -> Answer:
        lines = [
            f"{'*' if one.current else ' '} {one.name} {one.commit[:10]}"
            f"{f' [{one.upstream}]' if one.upstream else ''} {one.subject}"
            for one in self.branches
        ]
        return Answer(self, "\n".join(lines) or "no branches yet")


@dataclass(frozen=True, slots=True)
class BlameLine:
    """A line and the commit that it comes from."""

    number: int
    commit: str
    author: str
    time: int
    """Seconds since 1970."""
    text: str


@dataclass(frozen=True, slots=True)
class Blamed:
    """Lines of a file with their commits."""

    lines: tuple[BlameLine, ...]

    def _tool_answer_(self) -> Answer:
        shown = [f"{one.number:>5} {one.commit[:10]} {one.author}: {one.text}" for one in self.lines]
        return Answer(self, "\n".join(shown))


@dataclass(frozen=True, slots=True)
class Done:
    """A change that was made."""

    told: str
    commit: str = ""
    """The commit that HEAD is at now, where that changed."""
    passed_over: tuple[str, ...] = ()
    """Settings of the repository that name programs, such as filters, and were not used."""

    def _tool_answer_(self) -> Answer:
        passed = ", ".join(self.passed_over)
        more = [f"[not used, since they run programs: {passed}]"] if passed else []
        return Answer(self, "\n".join([self.told, *more]))
