"""Running git: fixed options before, checked refs and literal paths after, nothing that a repository runs.

A repository's configuration can name programs in a dozen places (hooks, monitors, filters, drivers, helpers).
Those that one option turns off are turned off for every run; those with names of their own are looked up and
overridden one by one. The user's own configuration is not read either, except for who the user is, how to
authenticate, and which folders are safe.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tooldeck.core.errors import ExpectedError
from tooldeck.guards.environment import environment
from tooldeck.guards.paths import Workspace, shown_path
from tooldeck.guards.programs import find_program
from tooldeck.guards.running import Finished, Limits, run

__all__ = ["Repository", "check_ref", "opened"]

MIB = 1024 * 1024
_LIMITS = Limits(seconds=60.0, kept=32 * MIB, output=32 * MIB)
_NETWORK_LIMITS = Limits(seconds=300.0, kept=MIB, output=32 * MIB)
_FIXED = (
    *("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.editor=true"),
    *("core.askPass=", "core.attributesFile=/dev/null", "core.alternateRefsCommand=true"),
    *("core.quotePath=false", "core.sshCommand=ssh", "core.gitProxy=", "sequence.editor=true"),
    *("diff.external=", "interactive.diffFilter=", "commit.gpgSign=false", "tag.gpgSign=false"),
    *("log.showSignature=false", "log.mailmap=false", "color.ui=false", "submodule.recurse=false"),
    *("fetch.recurseSubmodules=false", "push.recurseSubmodules=no", "status.relativePaths=false"),
    *("gc.auto=0", "maintenance.auto=false", "credential.helper=", "push.gpgSign=false"),
    *("uploadpack.packObjectsHook=", "rerere.enabled=false", "commit.template=", "diff.noprefix=false"),
    *("diff.mnemonicPrefix=false", "diff.renames=true", "diff.submodule=short", "diff.relative=false"),
    *("protocol.allow=never", "protocol.https.allow=always", "protocol.http.allow=always"),
    *("protocol.ssh.allow=always", "protocol.file.allow=always"),
)
_NAMED = re.compile(
    r"(?i)(filter\..+\.(clean|smudge|process)|diff\..+\.(command|textconv)|merge\..+\.driver|credential\..+\.helper"
    r"|remote\..+\.(uploadpack|receivepack|vcs|proxy)|submodule\..+\.update|gpg(\..+)?\.program)"
)
"""Settings that name a program and have a name of their own in the middle."""
_INSTEAD = {"textconv": "cat", "driver": "git merge-file --marker-size=%L %A %O %B"}
"""What does the same as having none, where an empty command would be run or would mean success."""
_TRUSTED = r"^(user\.(name|email)|credential\..*|safe\.directory)$"
_REF = re.compile(r"[\w@./+#=][\w@{}^~./+#=-]*")
_IN_PROGRESS = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "BISECT_LOG": "bisect",
}


def check_ref(ref: str, what: str = "ref") -> str:
    """`ref`, if git can take it for nothing but a revision; else `ExpectedError`."""
    if not _REF.fullmatch(ref) or len(ref) > 250:
        raise ExpectedError(
            f"{what}={ref!r} is no revision: a branch, a tag, a commit or a range such as main..work, "
            "without blanks and not beginning with a dash."
        )
    return ref


class Repository:
    """One repository of the workspace."""

    def __init__(self, workspace: Workspace, folder: Path, git: str) -> None:
        self.workspace = workspace
        self.folder = folder
        """The top of its working tree; of a bare one the repository itself."""
        self.git_dir = folder
        self.bare = False
        self.overridden: tuple[str, ...] = ()
        """The settings of the repository that name programs and were left out."""
        self._git = git
        self._options: list[str] = [word for setting in _FIXED for word in ("-c", setting)]

    def env(self, *, reads: bool) -> dict[str, str]:
        """The environment of git: nothing can ask, nothing outside of the workspace is found."""
        given = {name: os.environ[name] for name in ("SSH_AUTH_SOCK",) if name in os.environ}
        return environment(given) | {
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "true",
            "SSH_ASKPASS_REQUIRE": "never",
            "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
            "GIT_EDITOR": "true",
            "GIT_SEQUENCE_EDITOR": "true",
            "GIT_PAGER": "cat",
            "GIT_MERGE_AUTOEDIT": "no",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_OPTIONAL_LOCKS": "0" if reads else "1",
            "GIT_CEILING_DIRECTORIES": str(self.workspace.root.parent),
            "GIT_NO_REPLACE_OBJECTS": "1",
            "LC_ALL": "C.UTF-8",
        }

    async def raw(
        self, *words: str, reads: bool = True, data: bytes | None = None, network: bool = False
    ) -> Finished:
        """Run git with these words, however it ends."""
        return await run(
            [self._git, "--no-pager", "--literal-pathspecs", *self._options, *words],
            cwd=self.folder,
            env=self.env(reads=reads),
            data=data,
            limits=_NETWORK_LIMITS if network else _LIMITS,
        )

    async def out(
        self, *words: str, reads: bool = True, data: bytes | None = None, network: bool = False
    ) -> bytes:
        """What git prints; raises `ExpectedError` with git's own words where it fails."""
        done = await self.raw(*words, reads=reads, data=data, network=network)
        if done.stopped:
            raise ExpectedError(f"git {words[0]} was ended: it took or printed too much ({done.stopped}).")
        if not done.ok:
            said = done.stderr.text.strip() or done.stdout.text.strip() or f"exit code {done.exit_code}"
            raise ExpectedError(f"git {words[0]}: {said[:2000]}")
        return done.stdout.data

    async def open(self) -> None:
        """Find out where everything lies, and what has to be overridden."""
        self._options += await _trusted(self._git)
        asked = ("--is-bare-repository", "--absolute-git-dir", "--git-common-dir", "--show-toplevel")
        done = await self.raw("rev-parse", *asked)
        told = done.stdout.data.decode(errors="surrogateescape").splitlines()
        self.bare = told[:1] == ["true"]
        if not done.ok and not self.bare:
            where = shown_path(str(self.folder))
            if "dubious ownership" in done.stderr.text:
                raise ExpectedError(f"{where} belongs to another user; git refuses to work in it.")
            raise ExpectedError(
                f"{where} is not a git repository, and no folder above it in the workspace is."
            )
        if len(told) != (3 if self.bare else 4):
            raise ExpectedError("The repository lies in a folder with a line break in its name.")
        self.git_dir = Path(told[1])
        places = [self.git_dir, self.folder / told[2], *map(Path, told[3:])]
        self.folder = places[-1] if not self.bare else self.git_dir
        for place in places:
            if not self._is_inside(place):
                where = shown_path(str(place))
                raise ExpectedError(
                    f"The repository keeps a part of itself outside of the workspace: {where}."
                )
        await self._override()

    async def _override(self) -> None:
        listed = await self.out("config", "--list", "--name-only", "-z")
        names = {
            name for name in listed.decode(errors="surrogateescape").split("\0") if _NAMED.fullmatch(name)
        }
        self.overridden = tuple(sorted(names))
        for name in self.overridden:
            kind = name.lower().rpartition(".")[2]
            self._options += ["-c", f"{name}={_INSTEAD.get(kind, '')}"]
            if name.lower().startswith("filter."):
                self._options += ["-c", f"{name.rpartition('.')[0]}.required=false"]

    def paths(self, given: Iterable[str]) -> list[str]:
        """Paths of the workspace as git takes them, after two dashes; raises where one leads out."""
        return ["--", *(self._path(path) for path in given)]

    def _path(self, path: str) -> str:
        """One path from the top of the repository on. A link at its end means the link itself."""
        self.workspace.relative(path)  # raises where it leads out
        root = self.workspace.root
        plain = posixpath.normpath(posixpath.join(str(root), path))
        inside = os.path.relpath(plain, self.folder)
        if inside.split("/")[0] == "..":
            raise ExpectedError(f"{shown_path(path)} lies outside of the repository.")
        if ".git" in inside.casefold().split("/"):
            raise ExpectedError(f"{shown_path(path)} lies in the repository's own folder.")
        return inside

    def _is_inside(self, place: Path) -> bool:
        return Path(os.path.realpath(place)).is_relative_to(self.workspace.root)

    @property
    def in_progress(self) -> str:
        """What was begun and not ended: a merge, a rebase or the like; empty for nothing."""
        found = [word for name, word in _IN_PROGRESS.items() if (self.git_dir / name).exists()]
        return found[0] if found else ""

    async def has_commits(self) -> bool:
        """Whether the current branch has any."""
        return (await self.raw("rev-parse", "--verify", "--quiet", "HEAD^{commit}")).ok

    async def remote_url(self, remote: str, *, push: bool) -> str:
        """Where a remote lies; raises `ExpectedError` for a folder outside of the workspace."""
        which: Sequence[str] = ("--push",) if push else ()
        answer = await self.out("remote", "get-url", *which, "--", remote)
        url = answer.decode(errors="replace").strip()
        is_local = "://" not in url and not re.match(r"[^/]+:", url)
        path = url.removeprefix("file://") if url.startswith("file://") else url if is_local else None
        if path is not None and not self._is_inside(self.folder / path):
            raise ExpectedError(f"The remote {remote!r} is {path!r}, a folder outside of the workspace.")
        return re.sub(r"//[^/@]*@", "//…@", url)


async def _trusted(git: str) -> list[str]:
    """The part of the user's own configuration that is used, as options; read again when a file changed."""
    env = environment()
    home = Path(env.get("HOME", "/"))
    files = [home / ".gitconfig", home / ".config" / "git" / "config"]
    key = (str(home), *(_changed(file) for file in files))
    if key not in _read:
        words = [git, "config", "--global", "--includes", "-z", "--get-regexp", _TRUSTED]
        done = await run(words, cwd="/", env=env, limits=_LIMITS)
        lines = done.stdout.data.decode(errors="surrogateescape").split("\0")
        pairs = [line.partition("\n") for line in lines if line]
        _read[key] = [word for name, _, value in pairs for word in ("-c", f"{name}={value}")]
    return _read[key]


_read: dict[tuple[object, ...], list[str]] = {}


def _changed(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


async def opened(workspace: Workspace, repo: str) -> Repository:
    """The repository of a folder of the workspace; raises `ExpectedError` where there is none."""
    git = find_program("git", environment())
    with workspace.at(repo, "folder"):
        folder = workspace.real(repo)
    repository = Repository(workspace, folder, git)
    await repository.open()
    return repository
