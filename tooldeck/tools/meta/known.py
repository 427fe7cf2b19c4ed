"""The tools of steps that come with tooldeck. They are off until they are added: ``%tools add meta``."""

from __future__ import annotations

from tooldeck.tools.meta.making import MetaTool, Step

__all__ = ["KNOWN"]

_QUERY = {"type": "string", "minLength": 1, "description": "What to look for."}
_SEARCH = Step("found", "web", {"action": "search", "query": "$query", "limit": 3})
_FETCH = Step("page", "web", {"action": "fetch", "url": "$found.results[0].url"})

KNOWN = (
    MetaTool(
        "research_topic",
        "Search the web and read the best page.",
        {"query": _QUERY},
        (_SEARCH, _FETCH),
        ({"query": "tides of the moon"}, {"query": "tides", "dry_run": True}),
    ),
    MetaTool(
        "find_and_read",
        "Find a text in the files of the workspace and read the first file that has it.",
        {"text": {"type": "string", "minLength": 1, "description": "The text to find."}},
        (
            Step("found", "file", {"action": "search", "pattern": "$text", "max_results": 5}),
            Step("read", "file", {"action": "read", "path": "$found.hits[0].path"}),
        ),
        ({"text": "level"},),
    ),
    MetaTool(
        "research_and_save",
        "Search the web, read the best page and save it as a file of the workspace.",
        {"query": _QUERY, "path": {"type": "string", "minLength": 1, "description": "The file to write."}},
        (
            _SEARCH,
            _FETCH,
            Step("saved", "file", {"action": "write", "path": "$path", "content": "$page.text"}),
        ),
        ({"query": "tides of the moon", "path": "notes/tides.md"},),
    ),
)
"""In the order in which they are listed."""
