"""What a change of a repository would do, told before anybody is asked; each takes what its action takes."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from tooldeck.guards.paths import Workspace
from tooldeck.hosts.background import background
from tooldeck.tools.repositories.looking import diffed, logged, status_of
from tooldeck.tools.repositories.records import Diff
from tooldeck.tools.repositories.running import Repository, check_ref, opened

__all__ = ["SECONDS", "add", "branch", "commit", "pull", "push", "restore", "stash"]

SECONDS = 30.0
"""How long somebody who is asked waits for git to say what would change."""


def _told(workspace: Workspace, repo: str, tell: Callable[[Repository], Coroutine[Any, Any, str]]) -> str:
    async def look() -> str:
        return await tell(await opened(workspace, repo))

    return background().submit(look).result()


def _of(diff: Diff, otherwise: str) -> str:
    return diff.patch or otherwise


def add(paths: Sequence[str], workspace: Workspace, repo: str) -> str:
    """The change that would be staged, and new files by name."""

    async def tell(repository: Repository) -> str:
        patch = (await diffed(repository, paths)).patch
        new = [entry for entry in (await status_of(repository, paths)).entries if entry.index == "?"]
        return patch + "".join(f"new: {entry}\n" for entry in new) or "nothing to stage"

    return _told(workspace, repo, tell)


def commit(paths: Sequence[str], workspace: Workspace, repo: str, *, amend: bool) -> str:
    """The change that would be committed."""

    async def tell(repository: Repository) -> str:
        begun = await repository.has_commits()
        if paths and begun:
            return _of(await diffed(repository, paths, ref="HEAD"), "nothing to commit")
        staged = _of(await diffed(repository, staged=True), "nothing is staged")
        if not amend or not begun:
            return staged
        last = await logged(repository, 1, "HEAD", [], {})
        return f"in place of {last.commits[0]}, with\n{staged}"

    return _told(workspace, repo, tell)


def branch(do: str, name: str, start: str, workspace: Workspace, repo: str) -> str:
    """From where to where."""

    async def tell(repository: Repository) -> str:
        status = await status_of(repository)
        return (
            f"{do} {check_ref(name, 'name')}"
            + (f" at {start}" if do == "create" else "")
            + (f"; now on {status.branch or status.commit}, {len(status.entries)} paths changed")
        )

    return _told(workspace, repo, tell)


def restore(paths: Sequence[str], source: str, workspace: Workspace, repo: str, *, staged: bool) -> str:
    """The changes that would be lost, or unstaged."""

    async def tell(repository: Repository) -> str:
        diff = await diffed(repository, paths, staged=staged, ref="" if staged else source)
        word = "unstaged" if staged else "lost"
        return f"these changes would be {word}:\n{diff.patch}" if diff.patch else "nothing differs"

    return _told(workspace, repo, tell)


def stash(do: str, paths: Sequence[str], index: int, workspace: Workspace, repo: str) -> str:
    """The changes that would be put aside, or those of the stash."""

    async def tell(repository: Repository) -> str:
        if do == "push":
            return _of(await diffed(repository, paths), "no change of a tracked file")
        plain = ("--no-ext-diff", "--no-textconv", "--no-color")
        out = await repository.out("stash", "show", "--patch", *plain, f"stash@{{{index}}}")
        return f"{do}:\n{out.decode(errors='replace')}"

    return _told(workspace, repo, tell)


def push(remote: str, branch: str, workspace: Workspace, repo: str, *, force: bool) -> str:
    """Where to, and which commits the remote did not have when it was last looked at."""

    async def tell(repository: Repository) -> str:
        where = await repository.remote_url(check_ref(remote, "remote"), push=True)
        name = check_ref(branch, "branch") if branch else ((await status_of(repository)).branch or "HEAD")
        known = await repository.raw("rev-parse", "--verify", "--quiet", f"refs/remotes/{remote}/{name}")
        span = f"refs/remotes/{remote}/{name}..{name}" if known.ok else name
        new = await logged(repository, 50, span, [], {})
        head = f"{'force ' if force else ''}push {name} to {where}"
        return "\n".join([head, *map(str, new.commits)])

    return _told(workspace, repo, tell)


def pull(remote: str, how: str, workspace: Workspace, repo: str) -> str:
    """From where, into what."""

    async def tell(repository: Repository) -> str:
        where = await repository.remote_url(check_ref(remote, "remote"), push=False)
        status = await status_of(repository)
        return f"pull ({how}) from {where} into {status.branch}, {len(status.entries)} paths changed"

    return _told(workspace, repo, tell)
