"""What changes a repository, its working tree or a remote."""

from __future__ import annotations

from collections.abc import Sequence

from tooldeck.core.errors import ExpectedError
from tooldeck.tools.repositories.records import Done
from tooldeck.tools.repositories.running import Repository, check_ref

__all__ = ["add", "branch", "commit", "pull", "push", "restore", "stash"]

_END = "--end-of-options"


async def _done(repository: Repository, told: str) -> Done:
    head = await repository.raw("rev-parse", "--verify", "--quiet", "HEAD")
    at = head.stdout.text.strip() if head.ok else ""
    return Done(told, at, repository.overridden)


async def _branch_now(repository: Repository) -> str:
    now = await repository.raw("symbolic-ref", "--quiet", "--short", "HEAD")
    if not now.ok:
        raise ExpectedError("HEAD is detached, so that there is no current branch; name one.")
    return now.stdout.text.strip()


async def add(repository: Repository, paths: Sequence[str]) -> Done:
    """Stage files and folders."""
    if not paths:
        raise ExpectedError("Name the files or folders to stage; '.' for all of the folder.")
    await repository.out("add", "--all", *repository.paths(paths), reads=False)
    return await _done(repository, f"staged {', '.join(paths)}")


async def commit(repository: Repository, message: str, paths: Sequence[str], *, amend: bool) -> Done:
    """Commit what is staged, or these files."""
    words = ["commit", "--quiet", "--no-verify", "--file=-", "--cleanup=whitespace", "--no-status"]
    words += ["--amend"] if amend else []
    words += ["--only", *repository.paths(paths)] if paths else []
    await repository.out(*words, reads=False, data=message.encode())
    told = await repository.out("log", "--max-count=1", "--format=%h %s", "--no-color")
    return await _done(repository, f"committed {told.decode(errors='replace').strip()}")


async def branch(repository: Repository, do: str, name: str, start: str, *, force: bool) -> Done:
    """Create, switch to or delete a branch."""
    check_ref(name, "name")
    if not (await repository.raw("check-ref-format", f"refs/heads/{name}")).ok:
        raise ExpectedError(f"{name!r} cannot be the name of a branch.")
    if do == "create":
        start_at = [check_ref(start, "start")] if await repository.has_commits() else []
        await repository.out("switch", "--quiet", "--no-track", "--create", name, *start_at, reads=False)
        return await _done(repository, f"made {name} and switched to it")
    if do == "switch":
        await repository.out("switch", "--quiet", "--no-guess", _END, name, reads=False)
        return await _done(repository, f"switched to {name}")
    await repository.out("branch", "--quiet", "-D" if force else "-d", "--", name, reads=False)
    return await _done(repository, f"deleted {name}")


async def restore(repository: Repository, paths: Sequence[str], source: str, *, staged: bool) -> Done:
    """Put files back."""
    options = ["--staged" if staged else "--worktree"]
    options += [f"--source={check_ref(source, 'source')}"] if source else []
    await repository.out("restore", "--quiet", *options, *repository.paths(paths), reads=False)
    return await _done(repository, f"{'unstaged' if staged else 'put back'} {', '.join(paths)}")


async def stash(
    repository: Repository, do: str, message: str, paths: Sequence[str], index: int, *, untracked: bool
) -> Done:
    """Put changes aside, or bring them back."""
    if do == "push":
        words = ["stash", "push", "--quiet", *(["--include-untracked"] if untracked else [])]
        words += [f"--message={message}"] if message else []
        before = await _stashes(repository)
        await repository.out(*words, *(repository.paths(paths) if paths else []), reads=False)
        if await _stashes(repository) == before:
            return await _done(repository, "there was nothing to put aside")
        return await _done(repository, "put aside; stash pop brings it back")
    await repository.out("stash", do, "--quiet", f"stash@{{{index}}}", reads=False)
    return await _done(repository, {"drop": "thrown away"}.get(do, "brought back"))


async def _stashes(repository: Repository) -> int:
    return len((await repository.out("stash", "list", "--format=%H")).split())


async def push(repository: Repository, remote: str, branch: str, *, force: bool, set_upstream: bool) -> Done:
    """Send a branch to a remote."""
    name = check_ref(branch, "branch") if branch else await _branch_now(repository)
    where = await repository.remote_url(check_ref(remote, "remote"), push=True)
    words = ["push", "--porcelain", "--no-verify", "--no-progress", "--receive-pack=git-receive-pack"]
    words += ["--force-with-lease"] if force else []
    words += ["--set-upstream"] if set_upstream else []
    refs = f"refs/heads/{name}:refs/heads/{name}"
    out = await repository.out(*words, _END, remote, refs, reads=False, network=True)
    said = [line for line in out.decode(errors="replace").splitlines() if line[1:2] == "\t"]
    told = said[0].split("\t")[-1] if said else ""
    return await _done(repository, f"pushed {name} to {where} {told}".strip())


async def pull(repository: Repository, remote: str, branch: str, how: str) -> Done:
    """Fetch a branch and bring it in."""
    name = check_ref(branch, "branch") if branch else await _branch_now(repository)
    where = await repository.remote_url(check_ref(remote, "remote"), push=False)
    options = {"ff-only": ["--ff-only"], "merge": ["--no-rebase"], "rebase": ["--rebase"]}[how]
    words = ["pull", "--quiet", "--no-edit", "--no-verify", "--no-recurse-submodules", *options]
    words += ["--upload-pack=git-upload-pack", _END, remote, f"refs/heads/{name}"]
    done = await repository.raw(*words, reads=False, network=True)
    if not done.ok and repository.in_progress:
        raise ExpectedError(
            f"The {repository.in_progress} met conflicts and waits: edit the files that status names as "
            "conflicts, add them, then commit."
        )
    if not done.ok:
        said = done.stderr.text.strip() or done.stdout.text.strip()
        raise ExpectedError(f"git pull: {said[:2000]}")
    return await _done(repository, f"pulled {name} from {where}")
