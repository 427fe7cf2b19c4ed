// The card of a served deck: what other programs see and how they are told of it. The token comes only when a
// person asks for it, and stays in the page.

import { copyText, h, outside, put, shape } from "./kit.js";

/** @typedef {import("./kit.js").Piece} Piece */

/**
 * @typedef {object} Serving
 * @property {boolean} running
 * @property {Piece[]} name
 * @property {string} url
 * @property {string} facts
 * @property {boolean} token whether there is one
 * @property {string} dots what stands for it
 * @property {[label: string, text: string][]} forms
 * @property {{name: Piece[], powers: string, asks: string, about: Piece[]}[]} tools
 * @property {[who: Piece[], calls: string][]} clients
 */

/** @type {import("@anywidget/types").Render<{serving: Serving}>} */
function render({ model, el }) {
  const root = h("section", {
    class: "td td-panel td-serving",
    "data-tooldeck": "serving",
    role: "group",
    "aria-label": "served to MCP clients",
  });
  const copied = h("span", { class: "td-quiet", role: "status", "aria-live": "polite" });
  let chosen = 0;
  let token = "";
  /** @type {(() => void) | null} what waits for the token */
  let then = null;

  const filled = () => {
    const { forms, dots } = model.get("serving");
    const text = forms[chosen]?.[1] ?? "";
    return token === "" ? text : text.replaceAll(dots, token);
  };
  const withToken = (/** @type {() => void} */ go) => {
    if (token !== "" || !model.get("serving").token) {
      go();
      return;
    }
    then = go;
    model.send({ type: "token" });
  };
  const act = {
    stop: () => model.send({ type: "stop" }),
    choose: (/** @type {number} */ index) => {
      chosen = index;
      draw();
    },
    reveal: () => {
      if (token === "") withToken(draw);
      else {
        token = "";
        draw();
      }
    },
    copy: () => {
      const shown = token !== "";
      withToken(() => {
        void copyText(filled(), copied);
        if (!shown) token = "";
        draw();
      });
    },
  };
  const draw = () => {
    const serving = model.get("serving");
    root.dataset["state"] = serving.running ? "running" : "stopped";
    put(
      root,
      head(serving, act.stop),
      serving.running && snippet(serving, chosen, filled(), token !== "", act, copied),
      tools(serving),
      clients(serving),
    );
  };
  const told = (/** @type {any} */ message) => {
    if (message?.type !== "token") return;
    token = message.token;
    const go = then;
    then = null;
    go?.();
  };
  model.on("change:serving", draw);
  model.on("msg:custom", told);
  draw();
  el.append(root);
  model.send({ type: "ready" });
  return () => {
    model.off("change:serving", draw);
    model.off("msg:custom", told);
  };
}

/**
 * @param {Serving} serving
 * @param {() => void} stop
 */
function head({ running, name, url, facts }, stop) {
  return h(
    "div",
    { class: "td-serving-head" },
    shape(running ? "ok" : "off"),
    h("span", {}, running ? "serving" : "stopped"),
    h("code", { class: "td-serving-name" }, outside(name)),
    running && h("code", {}, url),
    h("span", { class: "td-quiet td-serving-facts" }, facts),
    running && h("button", { type: "button", onclick: stop }, "Stop"),
  );
}

/**
 * @param {Serving} serving
 * @param {number} chosen
 * @param {string} text
 * @param {boolean} shown whether the token is
 * @param {{choose: (index: number) => void, reveal: () => void, copy: () => void}} act
 * @param {HTMLElement} copied
 */
function snippet({ forms, token }, chosen, text, shown, act, copied) {
  const select = h(
    "select",
    { "aria-label": "for which program", onchange: (event) => act.choose(event.target.selectedIndex) },
    ...forms.map(([label], index) => h("option", { value: label, selected: index === chosen }, label)),
  );
  return h(
    "div",
    { class: "td-serving-snippet" },
    h("pre", { class: "td-box", tabindex: "0", "aria-label": "how a client connects" }, text),
    h(
      "div",
      { class: "td-serving-bar" },
      select,
      h("button", { type: "button", onclick: act.copy }, token ? "Copy with token" : "Copy"),
      token &&
        h("button", { type: "button", "aria-pressed": String(shown), onclick: act.reveal }, shown ? "Hide token" : "Show token"),
      copied,
    ),
  );
}

/** @param {Serving} serving */
function tools({ tools: shown }) {
  if (shown.length === 0) return h("p", { class: "td-quiet" }, "No tool is declared to only read; --allow NAME shows others.");
  return h(
    "ul",
    { class: "td-serving-tools", "aria-label": "tools that clients see" },
    ...shown.map(({ name, powers, asks, about }) =>
      h(
        "li",
        { title: about.map(([text]) => text).join("") },
        h("code", {}, outside(name)),
        h("span", { class: "td-quiet" }, powers),
        h("span", { class: "td-quiet" }, asks),
      ),
    ),
  );
}

/** @param {Serving} serving */
function clients({ clients: seen }) {
  return (
    seen.length > 0 &&
    h(
      "p",
      { class: "td-quiet" },
      ...seen.flatMap(([who, calls], index) => [index > 0 && " · ", h("code", {}, outside(who)), ` ${calls}`]),
    )
  );
}

export default { render };
