"""The environment of a program that is started: what it needs to find its way, and no secrets."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["environment"]

# Enough for programs to find themselves, their certificates and their language; nothing that is a secret.
_SAFE = (
    *("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"),
    *("LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TEMP", "TMP", "TMPDIR"),
    *("NODE_EXTRA_CA_CERTS", "SSL_CERT_DIR", "SSL_CERT_FILE"),
    *("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
    *("SYSTEMDRIVE", "SYSTEMROOT", "USERNAME", "USERPROFILE"),
)


def environment(given: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a program: the safe part of ours, and on top of it what is given.

    Everything else stays here, tokens above all; a program gets those it needs by name.
    """
    safe = {name: os.environ[name] for name in _SAFE if not os.environ.get(name, "()").startswith("()")}
    # What is installed beside this very Python is found first, as in a shell whose environment is activated.
    safe["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), *filter(None, [safe.get("PATH")])])
    return safe | {str(name): str(value) for name, value in (given or {}).items()}
