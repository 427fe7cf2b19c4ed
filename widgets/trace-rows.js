// The rows of a trace: one for each stage, bars on one time axis, decisions beside them.

import { h, outside } from "./kit.js";

/** @typedef {import("./kit.js").Piece} Piece */

/**
 * @typedef {object} Row
 * @property {Piece[]} name
 * @property {"stage" | "attempt" | "wait" | "person" | "reply" | "ok" | "refused" | "failed"} kind
 * @property {number} depth
 * @property {string} time the time that was its own
 * @property {Piece[]} decision
 * @property {[left: number, width: number]} reach shares of the axis from 0 to 1
 * @property {[left: number, width: number][]} bars
 * @property {string} detail
 */

/**
 * @typedef {object} Trace
 * @property {Piece[]} name
 * @property {import("./kit.js").State} state
 * @property {string} line
 * @property {Piece[]} error
 * @property {Piece[][]} notes
 * @property {string} end
 * @property {Row[]} rows
 */

/**
 * @param {Pick<Trace, "rows" | "error" | "notes" | "end">} trace
 * @returns {HTMLElement[]}
 */
export function traceRows({ rows, error, notes, end }) {
  const parts = [];
  if (rows.length === 0) parts.push(h("p", { class: "td-quiet" }, "No trace was kept of this call."));
  else parts.push(h("ol", { class: "td-trace-rows" }, ...rows.map(traceLine)), traceAxis(end));
  if (error.length > 0) parts.push(h("pre", { class: "td-box", tabindex: "0", "aria-label": "error" }, outside(error)));
  parts.push(...notes.map((note) => h("p", { class: "td-quiet" }, "note · ", h("code", {}, outside(note)))));
  return parts;
}

/** @param {Row} row */
function traceLine(row) {
  const detail = h("span", { class: "td-trace-detail td-quiet", hidden: true }, row.detail);
  const open = h(
    "button",
    {
      type: "button",
      class: "td-plain td-trace-stage",
      style: `padding-left: ${4 + row.depth * 8}px`,
      "aria-expanded": "false",
      title: row.detail,
      onclick: () => {
        detail.hidden = !detail.hidden;
        open.setAttribute("aria-expanded", String(!detail.hidden));
      },
    },
    outside(row.name),
    row.kind === "person" && h("span", { class: "td-quiet" }, " · a person"),
  );
  return h(
    "li",
    { class: "td-trace-row", "data-kind": row.kind },
    open,
    h("span", { class: "td-trace-time" }, row.time),
    h(
      "span",
      { class: "td-trace-lane", "aria-hidden": "true" },
      row.kind === "stage" && traceStretch("td-trace-reach", row.reach),
      ...row.bars.map((bar) => traceStretch("td-trace-bar", bar)),
    ),
    row.decision.length > 0 && h("code", { class: "td-trace-tag" }, outside(row.decision)),
    detail,
  );
}

/**
 * @param {string} name
 * @param {[number, number]} place
 */
function traceStretch(name, [left, width]) {
  return h("span", { class: name, style: `left: ${left * 100}%; width: ${width * 100}%` });
}

/** @param {string} end */
function traceAxis(end) {
  return h(
    "div",
    { class: "td-trace-row td-trace-axis td-quiet", "aria-hidden": "true" },
    h("span", { class: "td-trace-ends" }, h("span", {}, "0"), h("span", {}, end)),
  );
}
