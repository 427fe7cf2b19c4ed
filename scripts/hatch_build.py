"""Build hook: puts the front-end sources of widgets/ into the wheel, as tooldeck/_widgets.

Only what a browser is served is shipped. A checkout (and an editable install) has no such folder;
there the package reads widgets/ beside itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SERVED = {".css", ".js", ".svg"}
DEVELOPMENT = {"coverage", "node_modules", "test", "tests", "types"}


def served(widgets: Path) -> list[Path]:
    """Return the files below ``widgets`` that a front end loads, relative to it and sorted."""
    found = (path.relative_to(widgets) for path in widgets.rglob("*") if path.suffix in SERVED)
    return sorted(
        path
        for path in found
        if not DEVELOPMENT.intersection(path.parts)
        and not path.name.endswith((".config.js", ".test.js", ".spec.js"))
    )


class WidgetSources(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the files when a wheel for installation is built."""

    PLUGIN_NAME = "widgets"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files, unless ``version`` says that this is an editable install."""
        if version == "editable":
            return
        widgets = Path(self.root) / "widgets"
        for path in served(widgets):
            build_data["force_include"][str(widgets / path)] = f"tooldeck/_widgets/{path.as_posix()}"
