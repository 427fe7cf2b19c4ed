"""Ten thousand tools as servers write them, and queries of which each has one right answer."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import NamedTuple

from tooldeck.core.tool import Tool

__all__ = ["KINDS", "Query", "corpus", "queries"]

KINDS = ("exact", "inflected", "described", "typo", "chinese")

_VERBS = {
    "create": ("creating", "Make a new", "新建"),
    "delete": ("deleting", "Remove an existing", "删除"),
    "list": ("listing", "Show every", "列出"),
    "update": ("updating", "Change the fields of a", "更新"),
    "search": ("searching", "Look for a", "搜索"),
    "export": ("exporting", "Write out a", "导出"),
    "archive": ("archiving", "Put away a", "归档"),
    "approve": ("approving", "Accept a pending", "批准"),
    "assign": ("assigning", "Give somebody a", "分配"),
    "watch": ("watching", "Follow the changes of a", "关注"),
    "share": ("sharing", "Let others see a", "分享"),
    "restore": ("restoring", "Bring back a deleted", "恢复"),
    "validate": ("validating", "Check the contents of a", "校验"),
    "duplicate": ("duplicating", "Make a second", "复制"),
    "rename": ("renaming", "Set another title for a", "改名"),
    "schedule": ("scheduling", "Plan the date of a", "安排"),
    "translate": ("translating", "Write in another language a", "翻译"),
    "merge": ("merging", "Put into one with its twin a", "合并"),
    "publish": ("publishing", "Make public a", "发布"),
    "lock": ("locking", "Forbid changes of a", "锁定"),
}
_THINGS = {
    "issue": ("issues", "问题"),
    "branch": ("branches", "分支"),
    "invoice": ("invoices", "发票"),
    "calendar": ("calendars", "日历"),
    "message": ("messages", "消息"),
    "folder": ("folders", "文件夹"),
    "customer": ("customers", "客户"),
    "contract": ("contracts", "合同"),
    "dashboard": ("dashboards", "仪表盘"),
    "pipeline": ("pipelines", "流水线"),
    "recipe": ("recipes", "菜谱"),
    "shipment": ("shipments", "货运"),
    "payment": ("payments", "付款"),
    "ticket": ("tickets", "工单"),
    "meeting": ("meetings", "会议"),
    "survey": ("surveys", "调查"),
    "template": ("templates", "模板"),
    "workflow": ("workflows", "流程"),
    "database": ("databases", "数据库"),
    "spreadsheet": ("spreadsheets", "表格"),
    "photo": ("photos", "照片"),
    "playlist": ("playlists", "歌单"),
    "subscription": ("subscriptions", "订阅"),
    "certificate": ("certificates", "证书"),
    "warehouse": ("warehouses", "仓库"),
}
_SERVICES = {
    "github": "code hosting",
    "jira": "project tracking",
    "slack": "team chat",
    "notion": "shared notes",
    "stripe": "card billing",
    "hubspot": "sales records",
    "zendesk": "help desk",
    "dropbox": "cloud files",
    "shopify": "web shop",
    "trello": "kanban boards",
    "asana": "task planning",
    "gitlab": "merge reviews",
    "airtable": "tables of rows",
    "salesforce": "accounts and leads",
    "figma": "design drawings",
    "linear": "engineering cycles",
    "mailchimp": "newsletter mailing",
    "quickbooks": "book keeping",
    "twilio": "phone calls",
    "discord": "game communities",
}


class Query(NamedTuple):
    """A question, and the one tool that it means."""

    kind: str
    text: str
    right: str


class _Fields:
    """Parameters that nobody calls."""

    def __init__(self, schema: dict[str, object]) -> None:
        self.schema = schema

    def check(self, arguments: object) -> object:
        raise AssertionError("a tool of the corpus is only looked for")


def corpus(count: int = 10_000) -> list[Tool]:
    """The first `count` tools; names in snake_case, camelCase and kebab-case in turns."""
    return [_tool(place, *words) for place, words in zip(range(count), _combinations(), strict=False)]


def _combinations() -> Iterator[tuple[str, str, str]]:
    return itertools.product(_VERBS, _THINGS, _SERVICES)


def _name(place: int, words: tuple[str, str, str]) -> str:
    verb, thing, service = words
    return (
        f"{verb}_{thing}_{service}",
        f"{verb}{thing.title()}{service.title()}",
        f"{verb}-{thing}-{service}",
    )[place % 3]


def _tool(place: int, verb: str, thing: str, service: str) -> Tool:
    fields = {
        f"{thing}Id": {"type": "string", "description": f"Which {thing}."},
        "dry_run": {"type": "boolean", "description": "Whether to only tell what would happen."},
    }
    chinese = f" {_VERBS[verb][2]}{_THINGS[thing][1]}。" if place % 2 else ""
    return Tool(
        name=_name(place, (verb, thing, service)),
        description=f"{_VERBS[verb][1]} {thing} by the {_SERVICES[service]} account of {service}.{chinese}",
        params=_Fields({"type": "object", "properties": fields}),
        invoke=dict,
    )


def queries(count: int = 300, seed: int = 8) -> list[Query]:
    """Questions of all kinds in turns."""
    chance = random.Random(seed)  # noqa: S311 - the same questions every time
    chosen = chance.sample(list(enumerate(_combinations())), count * 3)
    asked: list[Query] = []
    for place, (verb, thing, service) in chosen:
        kind = KINDS[len(asked) % len(KINDS)]
        if kind == "chinese" and not place % 2:
            continue
        right = _name(place, (verb, thing, service))
        asked.append(Query(kind, _asked(kind, (verb, thing, service), right, chance), right))
        if len(asked) == count:
            break
    return asked


def _asked(kind: str, words: tuple[str, str, str], name: str, chance: random.Random) -> str:
    verb, thing, service = words
    if kind == "exact":
        return chance.choice([name, f"{verb} {thing} {service}", f"please use {name} for it"])
    if kind == "inflected":
        return f"{_VERBS[verb][0]} {_THINGS[thing][0]} in {service.title()}"
    if kind == "described":
        return f"{_VERBS[verb][1].lower()} {thing} with the {_SERVICES[service]} account"
    if kind == "typo":
        typed = [verb, thing, service]
        place = chance.randrange(3)
        typed[place] = _mistyped(typed[place], chance)
        return " ".join(typed)
    return f"用{service}{_VERBS[verb][2]}{_THINGS[thing][1]}"


def _mistyped(word: str, chance: random.Random) -> str:
    place = chance.randrange(len(word))
    other = chance.choice([letter for letter in "abcdefghijklmnopqrstuvwxyz" if letter != word[place]])
    swapped = word[:place] + word[place + 1 : place + 2] + word[place : place + 1] + word[place + 2 :]
    return chance.choice(
        [
            word[:place] + other + word[place + 1 :],
            word[:place] + word[place + 1 :],
            word[:place] + other + word[place:],
            swapped if swapped != word else word + other,
        ]
    )
