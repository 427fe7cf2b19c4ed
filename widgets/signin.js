// Signing in to a server: the page to visit, and a field for the address at which the browser ended.

import { greet, h, outside, put, shape } from "./kit.js";

/** @typedef {import("./kit.js").Piece} Piece */

/**
 * @typedef {object} Wanted
 * @property {Piece[]} server
 * @property {string} link the page to visit, whole and checked
 * @property {Piece[]} address the same, to be read
 * @property {Piece[]} host
 * @property {string} ends how the address begins at which the browser ends
 * @property {boolean} listening whether somebody listens there
 * @property {Piece[][]} warnings
 */

/** @typedef {"waiting" | "done" | "refused" | "off"} Phase */

/** @type {Record<Phase, import("./kit.js").State>} */
const SHAPE = { waiting: "waiting", done: "ok", refused: "refused", off: "off" };

/** @type {import("@anywidget/types").Render<{request: Wanted, phase: Phase, trouble: Piece[], summary: Piece[]}>} */
function render({ model, el }) {
  const root = h("section", { class: "td td-panel td-signin", "data-tooldeck": "signin", role: "group" });
  const trouble = h("p", { class: "td-signin-trouble", role: "alert" });
  const tell = () => put(trouble, outside(model.get("trouble")));
  const draw = () => {
    const phase = model.get("phase");
    root.dataset["phase"] = phase;
    root.setAttribute("aria-label", "Sign in to an MCP server");
    if (phase === "waiting") put(root, ...open(model.get("request"), trouble, (message) => model.send(message)));
    else put(root, h("p", { class: "td-signin-head" }, shape(SHAPE[phase]), h("span", {}, outside(model.get("summary")))));
  };
  model.on("change:phase", draw);
  model.on("change:trouble", tell);
  tell();
  draw();
  el.append(root);
  const stop = greet(model, () => {});
  return () => {
    stop();
    model.off("change:phase", draw);
    model.off("change:trouble", tell);
  };
}

/**
 * @param {Wanted} wanted
 * @param {HTMLElement} trouble
 * @param {(message: object) => void} send
 * @returns {import("./kit.js").Child[]}
 */
function open({ server, link, address, host, ends, listening, warnings }, trouble, send) {
  const field = /** @type {HTMLInputElement} */ (
    h("input", {
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: `${ends}?…`,
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Enter") return;
        event.preventDefault(); // the notebook would take it and submit nothing
        event.stopPropagation();
        paste();
      },
    })
  );
  const paste = () => {
    if (field.value.trim() !== "") send({ type: "paste", address: field.value });
    field.value = ""; // a code is in it
  };
  return [
    h(
      "div",
      { class: "td-signin-head" },
      shape("waiting"),
      h("code", {}, outside(server)),
      h("strong", {}, "wants you to sign in"),
      h("span", {}, "at ", h("code", { class: "td-signin-host" }, outside(host))),
    ),
    h(
      "pre",
      { class: "td-box", tabindex: "0", "aria-label": "the page to visit" },
      /^https?:/.test(link)
        ? h("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, outside(address))
        : outside(address),
    ),
    ...warnings.map((warning) => h("p", { class: "td-signin-warning" }, "⚠ ", h("span", {}, outside(warning)))),
    h(
      "p",
      { class: "td-quiet" },
      listening
        ? "A browser on this machine comes back by itself. One elsewhere ends at an address that it cannot open: paste that here."
        : "The browser ends at an address that it cannot open: paste that here.",
    ),
    h(
      "div",
      { class: "td-signin-form" },
      h("label", {}, h("span", {}, "Where it ended"), field),
      h("button", { type: "button", onclick: paste }, "Sign in"),
      h("button", { type: "button", onclick: () => send({ type: "give up" }) }, "Give up"),
    ),
    trouble,
  ];
}

export default { render };
