"""What a very large page shows: a list of headings, links, buttons and fields from where it is scrolled to.

The tree of such a page takes minutes to make, in which the page does not react. A reference is good as long
as its element is there and still has the role and the name that were shown.
"""

from __future__ import annotations

from typing import Any

from tooldeck.tools.browsing.snapshots import Snapshot

__all__ = ["elements_of", "kept_element", "outline_of"]

MOST_ELEMENTS = 25_000
"""Elements of a page beyond which no tree of it is made."""
_LISTED = 300
_TOLD = """
  const roles = {a: "link", summary: "button", select: "combobox", textarea: "textbox", button: "button"};
  const inputs = {checkbox: "checkbox", radio: "radio", button: "button", submit: "button", reset: "button",
                  image: "button", range: "slider", number: "spinbutton", search: "searchbox"};
  const told = (element) => {
    const tag = element.localName;
    const level = /^h[1-6]$/.test(tag) ? ` [level=${tag[1]}]` : "";
    const role = element.getAttribute("role") || (level ? "heading" : "")
      || (tag === "input" ? inputs[element.type] || "textbox" : roles[tag]) || "generic";
    const said = [element.getAttribute("aria-label"), element.labels?.[0]?.textContent,
                  ["button", "submit", "reset"].includes(element.type) && tag === "input" && element.value,
                  tag !== "select" && tag !== "textarea" && element.textContent,
                  element.placeholder, element.alt, element.title, element.name];
    const plain = said.map((text) => String(text || "").slice(0, 1000).replace(/\\s+/g, " ").trim());
    const name = JSON.stringify((plain.find(Boolean) || "").slice(0, 120));
    return `${role.replace(/[^a-z]/g, "") || "generic"} ${name}${level}`;
  };
"""
_CHOSEN = (
    "h1,h2,h3,h4,h5,h6,a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button],"
    "[role=link],[role=tab],[role=menuitem],[role=checkbox],[contenteditable=true]"
)
_OUTLINE = f"""([chosen, most]) => {{
  {_TOLD}
  const all = [...document.querySelectorAll(chosen)];
  const inView = all.findIndex((element) => element.getBoundingClientRect().bottom > 0);
  const before = inView < 0 ? all.length : inView;
  const elements = [];
  let at = before;
  for (; at < all.length && elements.length < most; at++)
    if (all[at].checkVisibility({{visibilityProperty: true}})) elements.push(all[at]);
  return {{elements, lines: elements.map(told), before, after: all.length - at}};
}}"""
_SAME = f"""({{elements}}, place) => {{
  {_TOLD}
  const element = elements[place];
  return element && element.isConnected ? told(element) : null;
}}"""


async def elements_of(page: Any) -> int:
    """How many elements a page has."""
    return int(await page.evaluate("document.getElementsByTagName('*').length"))


async def outline_of(page: Any, document: int) -> tuple[Snapshot, str]:
    """The list for the `document`-th document of a tab, and what it leaves out, in words."""
    kept = await page.evaluate_handle(_OUTLINE, [_CHOSEN, _LISTED])
    found = await kept.evaluate("({lines, before, after}) => ({lines, before, after})")
    names = [f"d{document}-x{place}" for place in range(1, len(found["lines"]) + 1)]
    shown = [f"- {line} [ref={name}]" for name, line in zip(names, found["lines"], strict=True)]
    left_out = (
        f"the page is too large for a tree: {len(names)} headings, links, buttons and fields are listed from "
        f"where it is scrolled to; {found['before']} before and {found['after']} after them are left out; "
        "action='scroll' goes on, action='extract' reads its text"
    )
    elements = dict(zip(names, found["lines"], strict=True))
    return Snapshot("\n".join(shown), elements, kept), left_out


async def kept_element(shown: Snapshot, ref: str) -> Any:
    """A handle of the element of a reference in a list; None where it is not there as it was shown."""
    if ref not in shown.elements:
        return None
    place = int(ref.rpartition("x")[2]) - 1
    if await shown.kept.evaluate(_SAME, place) != shown.elements[ref]:
        return None
    handle = await shown.kept.evaluate_handle("({elements}, place) => elements[place]", place)
    return handle.as_element()
