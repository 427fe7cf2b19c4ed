// How calls ended: the last one open, earlier ones behind a line each.

import { h, outside, put, shape } from "./kit.js";

/** @typedef {import("./kit.js").Piece} Piece */

/** @typedef {{line: Piece[], name: string, data: string}} Kept data in base64, empty where it is not here */

/**
 * @typedef {object} Result
 * @property {string} id
 * @property {import("./kit.js").State} state
 * @property {string} line status, time, attempts
 * @property {Piece[]} call
 * @property {Piece[]} text the value or the error
 * @property {string} length
 * @property {boolean} untrusted
 * @property {{mime: string, data: string}[]} pictures the data in base64
 * @property {Kept[]} files that the tool kept for the person
 * @property {Piece[][]} notes
 */

/** @typedef {{results: Result[], single: boolean, empty: string}} Model */

/** @type {import("@anywidget/types").Render<Model>} */
function render({ model, el }) {
  const root = h("div", { class: "td td-result", "data-tooldeck": "result" });
  /** @type {Set<string>} what a person opened stays open when a new result comes */
  const opened = new Set();
  const draw = () => {
    const results = model.get("results");
    if (results.length === 0) {
      put(root, h("p", { class: "td-quiet" }, model.get("empty")));
      return;
    }
    put(root, ...results.map((result) => one(result, model.get("single"), opened)));
  };
  model.on("change:results", draw);
  draw();
  el.append(root);
  return () => model.off("change:results", draw);
}

/**
 * @param {Result} result
 * @param {boolean} always whether it stands open without a way to close it
 * @param {Set<string>} opened
 */
function one(result, always, opened) {
  const call = h("code", { class: "td-result-call td-quiet" }, outside(result.call));
  const line = [shape(result.state), h("span", {}, result.line), call];
  const rest = [
    h(
      "pre",
      {
        class: `td-box${result.untrusted ? " td-result-untrusted" : ""}`,
        tabindex: "0",
        "aria-label": result.state === "ok" ? "value" : "error",
      },
      outside(result.text),
    ),
    h("p", { class: "td-quiet" }, result.length, result.untrusted && " · untrusted: text from outside"),
    ...result.pictures.map(({ mime, data }) =>
      h("img", { class: "td-result-picture", alt: mime, src: `data:${mime};base64,${data}` }),
    ),
    ...result.files.map((file) => h("p", { class: "td-quiet" }, saved(file))),
    ...result.notes.map((note) => h("p", { class: "td-quiet" }, h("code", {}, outside(note)))),
  ];
  if (always) {
    const head = h("div", { class: "td-result-line" }, ...line);
    return h("section", { "aria-label": "last result", role: "group" }, head, ...rest);
  }
  return h(
    "details",
    {
      open: opened.has(result.id),
      ontoggle: (/** @type {Event & {target: HTMLDetailsElement}} */ event) =>
        event.target.open ? opened.add(result.id) : opened.delete(result.id),
    },
    h("summary", { class: "td-result-line" }, ...line),
    ...rest,
  );
}

/**
 * A kept file: a link that saves it, where its bytes are here; never as a page that a browser would run.
 * @param {Kept} file
 */
function saved({ line, name, data }) {
  const words = h("code", {}, outside(line));
  if (!data) return words;
  return h("a", { download: name, href: `data:application/octet-stream;base64,${data}` }, words);
}

export default { render };
