"""The kernels of one worker, shared by its tests, and which of them a test runs with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

import pytest
from live_kernel import SUBSHELL, LiveKernel
from rig import kernels

__all__ = ["Pool", "every_kernel", "or_skip", "routed"]

K = TypeVar("K", bound=LiveKernel)


class Pool(Generic[K]):
    """One kernel of each version, started when first asked for."""

    def __init__(self, start: Callable[[str | None], K]) -> None:
        self._start = start
        self._kernels: dict[str | None, K] = {}

    def get(self, version: str | None) -> K:
        """Return the kernel of a version; the test is skipped where there can be none."""
        if version not in self._kernels:
            with or_skip():
                kernel = self._kernels[version] = self._start(version)
            # The first traceback of a kernel takes IPython up to a second, which is not what is measured.
            kernel.finish(kernel.send("1 / 0"), 30)
        return self._kernels[version]

    def close(self) -> None:
        """End them all."""
        for kernel in self._kernels.values():
            kernel.close()


@contextmanager
def or_skip() -> Iterator[None]:
    """Skip the test when what its kernel needs cannot be had here."""
    try:
        yield
    except kernels.UnavailableError as error:
        pytest.skip(str(error))


def every_kernel(metafunc: pytest.Metafunc, fixture: str, versions: list[str | None]) -> None:
    """Run a test with these kernels, and with other Pythons as well when it is marked `pythons`."""
    if fixture in metafunc.fixturenames:
        marked = metafunc.definition.get_closest_marker("pythons") is not None
        more = [one for one in kernels.PYTHONS if marked and one not in versions]
        metafunc.parametrize(fixture, [*versions, *more], indirect=True, ids=name)


def name(version: str | None) -> str:
    """How a test's name tells its kernel."""
    return f"python{version}" if version in kernels.PYTHONS else version or "installed"


def routed(route: str, kernel: LiveKernel) -> str:
    """Return the route of widget messages; the test is skipped where the kernel has no such route."""
    if route == SUBSHELL and not kernel.has_subshells:
        pytest.skip("ipykernel 6 has no subshells")
    return route
