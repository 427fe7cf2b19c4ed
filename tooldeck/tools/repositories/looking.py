"""What only looks at a repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tooldeck.core.errors import ExpectedError
from tooldeck.tools.repositories.reading import (
    BRANCH_FORMAT,
    COMMIT_FORMAT,
    blame_of,
    branches_of,
    commits_of,
    entries_of,
    numstat_of,
)
from tooldeck.tools.repositories.records import Blamed, Branches, Diff, Log, Shown, Status
from tooldeck.tools.repositories.running import Repository, check_ref

__all__ = ["blamed", "diffed", "listed", "logged", "shown", "status_of"]

_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color")
_END = "--end-of-options"


async def status_of(repository: Repository, paths: Sequence[str] = ()) -> Status:
    """The state of the working tree."""
    if repository.bare:
        raise ExpectedError("The repository is bare: it has no working tree that could have a status.")
    options = ("--porcelain=v2", "-z", "--branch", "--show-stash", "--untracked-files=all")
    out = await repository.out("status", *options, *repository.paths(paths))
    headers, entries = entries_of(out)
    branch, commit = headers.get("branch.head"), headers.get("branch.oid")
    ahead, _, behind = headers.get("branch.ab", "+0 -0").partition(" ")
    return Status(
        None if branch == "(detached)" else branch,
        None if commit == "(initial)" else commit,
        headers.get("branch.upstream", ""),
        int(ahead),
        -int(behind),
        int(headers.get("stash", "0")),
        repository.in_progress,
        entries,
    )


async def logged(
    repository: Repository, n: int, ref: str, paths: Sequence[str], filters: Mapping[str, str]
) -> Log:
    """The commits that lead to a revision."""
    check_ref(ref)
    given = [f"--{name}={value}" for name, value in filters.items() if value]
    if ref == "HEAD" and not await repository.has_commits():
        return Log(())
    options = (f"--max-count={n}", "--fixed-strings", "--no-show-signature", "--no-color", "--decorate=short")
    words = ("log", *options, f"--format={COMMIT_FORMAT}", *given, _END, ref)
    return Log(commits_of(await repository.out(*words, *repository.paths(paths))))


async def diffed(
    repository: Repository,
    paths: Sequence[str] = (),
    *,
    staged: bool = False,
    ref: str = "",
    stat: bool = False,
    context: int = 3,
) -> Diff:
    """What has changed."""
    chosen = [*(["--cached"] if staged else []), _END, *([check_ref(ref)] if ref else [])]
    rest = [*chosen, *repository.paths(paths)]
    files = numstat_of(await repository.out("diff", *_PLAIN, "--numstat", "-z", *rest))
    if stat:
        return Diff(files, "")
    patch = await repository.out("diff", *_PLAIN, f"--unified={context}", *rest)
    return Diff(files, patch.decode(errors="replace"))


async def shown(repository: Repository, ref: str, path: str) -> Shown:
    """A commit and its change, or a file as it was."""
    check_ref(ref)
    if path:
        inside = repository.paths([path])[1]
        text = await repository.out("cat-file", "blob", f"{ref}:{inside}")
        return Shown(None, text.decode(errors="replace"))
    plain = ("show", *_PLAIN, "--no-show-signature")
    commits = commits_of(await repository.out(*plain, "--no-patch", f"--format={COMMIT_FORMAT}", _END, ref))
    patch = await repository.out(*plain, "--format=", _END, ref)
    return Shown(commits[0] if commits else None, patch.decode(errors="replace").lstrip("\n"))


async def listed(repository: Repository) -> Branches:
    """The branches, here and of the remotes."""
    words = ("for-each-ref", f"--format={BRANCH_FORMAT}", "refs/heads", "refs/remotes")
    return Branches(branches_of(await repository.out(*words)))


async def blamed(repository: Repository, path: str, start: int, end: int | None, ref: str) -> Blamed:
    """The commit that each line of a file comes from."""
    lines = f"-L{start},{end if end is not None else ''}"
    words = ("blame", "--porcelain", "--no-progress", "--no-textconv", lines, check_ref(ref))
    return Blamed(blame_of(await repository.out(*words, *repository.paths([path]))))
