from __future__ import annotations

import subprocess
import sys
from importlib import metadata

import pytest

from tooldeck.core.errors import SetupError
from tooldeck.mcp import sdk
from tooldeck.mcp.connections import Connections


def test_everything_can_be_imported_without_loading_the_mcp_package():
    code = (
        "import sys, tooldeck, tooldeck.mcp.connections, tooldeck.mcp.session, tooldeck.mcp.results;"
        "heavy = {'mcp', 'mcp_types', 'httpx2', 'jsonschema', 'anyio'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (None, "which is not installed: pip install 'mcp>=2.3,<3'"),
        ("1.30.0", "need mcp 2.3 or newer, and 1.30.0 is installed: pip install 'mcp>=2.3,<3'"),
        ("2.2.9", "and 2.2.9 is installed"),
    ],
)
def test_a_missing_or_old_package_is_one_sentence_with_the_command(version, said, shelf, monkeypatch):
    def find(name):
        if version is None:
            raise metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(metadata, "version", find)
    with pytest.raises(SetupError) as caught:
        Connections(shelf)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("version", ["2.3.0", "2.10", "3.0.0rc1"])
def test_newer_packages_are_welcome(version, monkeypatch):
    monkeypatch.setattr(metadata, "version", lambda name: version)
    sdk.require()
