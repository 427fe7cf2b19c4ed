"""git: the repositories of the workspace by typed actions, never by a command line.

Each action builds its own arguments: references are checked, paths are literal and lie in the workspace,
nothing that the repository's configuration names is run, and nothing can wait for somebody to type.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tooldeck.core.action_tool import ActionTool
from tooldeck.core.errors import ExpectedError
from tooldeck.core.injection import Injected
from tooldeck.guards.paths import Workspace
from tooldeck.hosts.background import background
from tooldeck.tools.program_writes import program_writes
from tooldeck.tools.repositories import changing, previews
from tooldeck.tools.repositories.commands import translated
from tooldeck.tools.repositories.looking import blamed, diffed, listed, logged, shown, status_of
from tooldeck.tools.repositories.records import Blamed, Branches, Diff, Done, Log, Shown, Status
from tooldeck.tools.repositories.running import opened

__all__ = ["git"]

git = ActionTool(
    "git",
    "Work with a git repository of the workspace. Paths are relative to the workspace.",
    executor=background(),
    trust="untrusted",
    max_chars=60_000,
)

Repo = Annotated[str, Field(description="A folder of the repository, relative to the workspace.")]
Paths = Annotated[tuple[str, ...], Field(description="Files or folders, relative to the workspace.")]
Ref = Annotated[str, Field(description="A branch, a tag, a commit or a range such as main..work.")]
Remote = Annotated[str, Field(description="The name of a remote.")]
Message = Annotated[str, Field(min_length=1, description="A subject, and a body after a blank line.")]

# -- looking


@git.action(effects="read", examples=[{}])
async def status(*, workspace: Injected[Workspace], repo: Repo = ".", paths: Paths = ()) -> Status:
    """What is staged, changed, untracked and undecided, and where the branch stands."""
    return await status_of(await opened(workspace, repo), paths)


@git.action(effects="read", examples=[{}, {"n": 5, "path": "README.md"}])
async def log(
    *,
    workspace: Injected[Workspace],
    repo: Repo = ".",
    n: Annotated[int, Field(ge=1, le=500, description="Commits at most.")] = 20,
    ref: Ref = "HEAD",
    path: Annotated[str, Field(description="Only commits that change this path.")] = "",
    since: Annotated[str, Field(description="Only later ones: a date or '2 weeks ago'.")] = "",
    until: Annotated[str, Field(description="Only earlier ones.")] = "",
    grep: Annotated[str, Field(description="Only those with this text in the message.")] = "",
    author: Annotated[str, Field(description="Only those with this text in the author.")] = "",
) -> Log:
    """The commits that lead to a revision, newest first."""
    repository = await opened(workspace, repo)
    filters = {"since": since, "until": until, "grep": grep, "author": author}
    return await logged(repository, n, ref, [path] if path else [], filters)


@git.action(effects="read", examples=[{}, {"stat": True}])
async def diff(
    *,
    workspace: Injected[Workspace],
    repo: Repo = ".",
    staged: Annotated[bool, Field(description="What is staged, not what is changed since.")] = False,
    ref: Annotated[str, Field(description="Compare with this revision, or the two ends of a..b.")] = "",
    paths: Paths = (),
    stat: Annotated[bool, Field(description="Only the files and their counts of lines.")] = False,
    context: Annotated[int, Field(ge=0, le=100, description="Unchanged lines around a change.")] = 3,
) -> Diff:
    """What has changed."""
    return await diffed(
        await opened(workspace, repo), paths, staged=staged, ref=ref, stat=stat, context=context
    )


@git.action(effects="read", examples=[{}, {"ref": "HEAD", "path": "README.md"}])
async def show(
    *,
    workspace: Injected[Workspace],
    repo: Repo = ".",
    ref: Ref = "HEAD",
    path: Annotated[str, Field(description="The file as it was there, in place of the change.")] = "",
) -> Shown:
    """A commit and its change, or a file as it was."""
    return await shown(await opened(workspace, repo), ref, path)


@git.action(effects="read", examples=[{"path": "README.md", "start": 1, "end": 1}])
async def blame(
    path: Annotated[str, Field(description="The file.")],
    *,
    workspace: Injected[Workspace],
    repo: Repo = ".",
    start: Annotated[int, Field(ge=1, description="The first line.")] = 1,
    end: Annotated[
        int | None, Field(ge=1, description="The last line; none for the end of the file.")
    ] = None,
    ref: Ref = "HEAD",
) -> Blamed:
    """The commit that each line of a file comes from."""
    return await blamed(await opened(workspace, repo), path, start, end, ref)


@git.action(effects="read", examples=[{}])
async def branches(*, workspace: Injected[Workspace], repo: Repo = ".") -> Branches:
    """The branches, here and of the remotes."""
    return await listed(await opened(workspace, repo))


@git.action(effects="read", examples=[{"command": "git log --oneline -n 3"}])
async def command(
    command: Annotated[str, Field(description="A git command line, such as 'git log -n 3 -- README.md'.")],
    *,
    workspace: Injected[Workspace],
    repo: Repo = ".",
) -> Status | Log | Diff | Shown | Blamed | Branches:
    """Read a command line that only looks; any other is refused with the action to use in its place."""
    asked, given = translated(command)
    looks = {"status": status, "log": log, "diff": diff, "show": show, "blame": blame, "branches": branches}
    if asked not in looks:
        raise ExpectedError(f"This would change something; call git with action={asked!r} and {given!r}.")
    return await looks[asked](**given, workspace=workspace, repo=repo)


# -- changing


@git.action(
    effects="read,write,repository",
    risk="medium",
    idempotent=True,
    preview=previews.add,
    preview_within=previews.SECONDS,
    examples=[{"paths": ["notes/todo.txt"]}],
)
async def add(paths: Paths, *, workspace: Injected[Workspace], repo: Repo = ".") -> Done:
    """Stage files and folders as they are now, removed ones too."""
    return await changing.add(await opened(workspace, repo), paths)


@git.action(
    effects="read,write,repository",
    risk="medium",
    preview=previews.commit,
    preview_within=previews.SECONDS,
    examples=[{"message": "Note the bulb", "paths": ["notes/todo.txt"]}],
)
async def commit(
    message: Message,
    *,
    workspace: Injected[Workspace],
    repo: Repo = ".",
    paths: Annotated[
        tuple[str, ...],
        Field(description="Commit these files as they are now, and nothing else that is staged."),
    ] = (),
    amend: Annotated[bool, Field(description="Put it in place of the last commit.")] = False,
) -> Done:
    """Commit what is staged. Hooks are not run."""
    return await changing.commit(await opened(workspace, repo), message, paths, amend=amend)


@git.action(
    effects="read,write,repository",
    preview=previews.branch,
    preview_within=previews.SECONDS,
    examples=[{"do": "create", "name": "try-a-lamp"}],
)
async def branch(
    do: Annotated[
        Literal["create", "switch", "delete"],
        Field(description="Make a branch and switch to it, switch to one, or delete one that is merged."),
    ],
    name: Annotated[str, Field(description="The name of the branch.")],
    *,
    workspace: Injected[Workspace],
    repo: Repo = ".",
    start: Ref = "HEAD",
    force: Annotated[
        bool, Field(description="Delete a branch that is not merged; its commits are lost.")
    ] = False,
) -> Done:
    """Create, switch to or delete a branch. Changes that would be lost keep it from switching."""
    async with program_writes(workspace):
        return await changing.branch(await opened(workspace, repo), do, name, start, force=force)


@git.action(
    effects="read,write,repository",
    preview=previews.restore,
    preview_within=previews.SECONDS,
    examples=[{"paths": ["README.md"]}],
)
async def restore(
    paths: Annotated[tuple[str, ...], Field(min_length=1, description="Files or folders to put back.")],
    *,
    workspace: Injected[Workspace],
    repo: Repo = ".",
    staged: Annotated[bool, Field(description="Unstage; the files stay as they are.")] = False,
    source: Annotated[str, Field(description="The revision to take them from.")] = "",
) -> Done:
    """Put files back as they were staged or committed; their changes are lost."""
    async with program_writes(workspace):
        return await changing.restore(await opened(workspace, repo), paths, source, staged=staged)


@git.action(
    effects="read,write,repository",
    preview=previews.stash,
    preview_within=previews.SECONDS,
    examples=[{"do": "push", "message": "half done"}],
)
async def stash(
    do: Annotated[
        Literal["push", "pop", "apply", "drop"],
        Field(
            description="Put changes aside, bring them back, bring them back and keep them, throw them away."
        ),
    ] = "push",
    *,
    workspace: Injected[Workspace],
    repo: Repo = ".",
    message: Annotated[str, Field(description="What they are, for push.")] = "",
    paths: Paths = (),
    untracked: Annotated[bool, Field(description="Untracked files as well, for push.")] = False,
    index: Annotated[int, Field(ge=0, description="Which one, 0 the latest; not for push.")] = 0,
) -> Done:
    """Put changes aside, or bring them back."""
    repository = await opened(workspace, repo)
    async with program_writes(workspace):
        return await changing.stash(repository, do, message, paths, index, untracked=untracked)


@git.action(
    effects="read,repository,network", preview=previews.push, preview_within=previews.SECONDS, examples=[{}]
)
async def push(
    *,
    workspace: Injected[Workspace],
    repo: Repo = ".",
    remote: Remote = "origin",
    branch: Annotated[str, Field(description="The branch; empty for the current one.")] = "",
    force: Annotated[
        bool,
        Field(description="Replace what is there, unless somebody else has changed it since the last fetch."),
    ] = False,
    set_upstream: Annotated[bool, Field(description="Remember the remote as the branch's upstream.")] = False,
) -> Done:
    """Send a branch to a remote."""
    repository = await opened(workspace, repo)
    return await changing.push(repository, remote, branch, force=force, set_upstream=set_upstream)


@git.action(
    effects="read,write,repository,network",
    preview=previews.pull,
    preview_within=previews.SECONDS,
    examples=[{}],
)
async def pull(
    *,
    workspace: Injected[Workspace],
    repo: Repo = ".",
    remote: Remote = "origin",
    branch: Annotated[str, Field(description="The branch there; empty for the one of the same name.")] = "",
    how: Annotated[
        Literal["ff-only", "merge", "rebase"],
        Field(description="What to do where both sides have new commits; ff-only refuses."),
    ] = "ff-only",
) -> Done:
    """Fetch a branch of a remote and bring it into the current one."""
    async with program_writes(workspace):
        return await changing.pull(await opened(workspace, repo), remote, branch, how)
