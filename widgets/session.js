// The card of an MCP session: which server, how it is, what its tools may do; why it died, and the way back.

import { h, lintMark, outside, put, shape } from "./kit.js";

/** @typedef {import("./kit.js").Piece} Piece */

/**
 * @typedef {object} Session
 * @property {Piece[]} label
 * @property {"ready" | "connecting" | "restarting" | "dead" | "closed"} state
 * @property {Piece[]} server name and version
 * @property {string} facts transport, protocol, counts
 * @property {Piece[]} target
 * @property {Piece[]} reason why it is over
 * @property {Piece[]} log the last lines of its stderr
 * @property {{name: Piece[], powers: string, asks: string, marks: string[], about: Piece[]}[]} tools
 * @property {Piece[][]} notes
 * @property {"" | "reconnect" | "close"} busy
 */

/** @type {Record<string, import("./kit.js").State>} */
const SHAPE = { ready: "ok", connecting: "running", dead: "failed", closed: "off" };

/** @type {import("@anywidget/types").Render<{session: Session}>} */
function render({ model, el }) {
  const root = h("section", {
    class: "td td-panel td-session",
    "data-tooldeck": "session",
    role: "group",
  });
  let log = false;
  const draw = () => {
    const session = model.get("session");
    root.dataset["state"] = session.state;
    root.setAttribute("aria-label", `MCP server ${session.label.map(([text]) => text).join("")}`);
    const act = (/** @type {string} */ type) => model.send({ type });
    const toggle = () => {
      log = !log;
      draw();
    };
    put(root, headline(session), bar(session, act, log, toggle), ...body(session, log));
  };
  model.on("change:session", draw);
  draw();
  el.append(root);
  model.send({ type: "ready" });
  return () => model.off("change:session", draw);
}

/** @param {Session} session */
function headline({ state, label, server, facts }) {
  return h(
    "div",
    { class: "td-session-head" },
    shape(SHAPE[state] ?? "off"),
    h("span", {}, state),
    h("code", { class: "td-session-label" }, outside(label)),
    server.length > 0 && h("code", {}, outside(server)),
    h("span", { class: "td-quiet" }, facts),
  );
}

/**
 * @param {Session} session
 * @param {(type: string) => void} act
 * @param {boolean} log
 * @param {() => void} toggle
 */
function bar({ target, state, busy, log: lines }, act, log, toggle) {
  const button = (/** @type {string} */ type, /** @type {string} */ word, /** @type {string} */ doing) =>
    h("button", { type: "button", disabled: busy !== "", onclick: () => act(type) }, busy === type ? doing : word);
  return h(
    "div",
    { class: "td-session-bar" },
    h("code", { class: "td-session-target td-quiet" }, outside(target)),
    lines.length > 0 &&
      h("button", { type: "button", "aria-expanded": String(log), onclick: toggle }, log ? "Hide log" : "Log"),
    !["ready", "restarting"].includes(state) && button("reconnect", "Reconnect", "Reconnecting…"),
    state === "ready" && button("close", "Close", "Closing…"),
  );
}

/**
 * @param {Session} session
 * @param {boolean} log
 */
function body({ reason, log: lines, state, tools, notes }, log) {
  const over = state === "dead";
  return [
    over && h("p", { class: "td-session-reason", role: "alert" }, h("code", {}, outside(reason))),
    (log || over) &&
      lines.length > 0 &&
      h("pre", { class: "td-box", tabindex: "0", "aria-label": "last lines of the server's log" }, outside(lines)),
    tools.length > 0 && h("ul", { class: "td-session-tools", "aria-label": "tools" }, ...tools.map(tool)),
    ...notes.map((note) => h("p", { class: "td-quiet" }, "note: ", h("code", {}, outside(note)))),
  ];
}

/** @param {Session["tools"][number]} tool */
function tool({ name, powers, asks, marks, about }) {
  return h(
    "li",
    { title: about.map(([text]) => text).join("") },
    h("code", {}, outside(name)),
    ...marks.map(lintMark),
    h("span", { class: "td-quiet" }, powers),
    h("span", { class: "td-quiet" }, asks),
  );
}

export default { render };
