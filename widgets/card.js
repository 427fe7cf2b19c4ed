// The head of a tool card: what the tool is, where it comes from, what it may do, whether somebody is asked.

import { h, lintMark, outside, put, quietWithin, shape } from "./kit.js";

/** @typedef {import("./kit.js").Piece} Piece */

/**
 * @typedef {object} Tool
 * @property {Piece[]} name
 * @property {Piece[]} description
 * @property {boolean} remote whether the words come from another program
 * @property {string[]} marks how many findings of the lint there are: their severity comes first
 * @property {Piece[][]} badges
 * @property {Piece[][]} notes what its author may want to mend
 * @property {boolean} trusted
 * @property {"idle" | "running" | "removed"} state
 */

/** @type {import("@anywidget/types").Render<{tool: Tool}>} */
function render({ model, el }) {
  const root = h("header", { class: "td td-card", "data-tooldeck": "card" });
  const draw = () => {
    const tool = model.get("tool");
    root.dataset["state"] = tool.state;
    put(root, title(tool), about(tool), badges(tool), ...tool.notes.map(note));
  };
  model.on("change:tool", draw);
  draw();
  el.append(root);
  const stop = quietWithin("td-toolcard");
  return () => {
    stop();
    model.off("change:tool", draw);
  };
}

/** @param {Tool} tool */
function title({ name, state }) {
  return h(
    "div",
    { class: "td-card-title" },
    h("h3", {}, h("code", {}, outside(name))),
    state === "running" && h("span", { class: "td-card-state" }, shape("running"), " running"),
    state === "removed" && h("span", { class: "td-card-state" }, shape("off"), " removed from the deck"),
  );
}

/** @param {Tool} tool */
function about({ description, remote }) {
  if (description.length === 0) return h("p", { class: "td-quiet" }, "no description");
  return remote
    ? h("pre", { class: "td-box td-card-about", tabindex: "0", "aria-label": "description by the server" },
        outside(description))
    : h("p", { class: "td-card-about" }, outside(description));
}

/** @param {Tool} tool */
function badges({ marks, badges, trusted }) {
  return h(
    "ul",
    { class: "td-card-badges", "aria-label": "what to know of it" },
    ...marks.map((mark) => h("li", {}, lintMark(mark))),
    ...badges.map((badge) => {
      const words = badge.map(([text]) => text).join("");
      return h("li", { class: !trusted && words.startsWith("untrusted") ? "td-card-untrusted" : "" }, outside(badge));
    }),
  );
}

/** @param {Piece[]} words */
function note(words) {
  return h("p", { class: "td-card-note td-quiet" }, "note: ", outside(words));
}

export default { render };
