// A run of a model: what it writes, its calls as cards with their traces, a box to steer it, a stop.

import { greet, h, outside, put, shape } from "./kit.js";
import { traceRows } from "./trace-rows.js";

/** @typedef {import("./kit.js").Piece} Piece */

/**
 * @typedef {object} Entry
 * @property {"model" | "person" | "call" | "note"} kind
 * @property {Piece[]} text
 * @property {string} [id]
 * @property {Piece[]} [call]
 * @property {import("./kit.js").State} [state]
 * @property {string} [line]
 * @property {Piece[]} [reason] why it was not done
 * @property {{mime: string, data: string}[]} [pictures]
 * @property {import("./trace-rows.js").Trace | null} [trace]
 */

/**
 * @typedef {object} Run
 * @property {Piece[]} model
 * @property {import("./kit.js").State} state
 * @property {string} line
 * @property {Piece[]} reason
 * @property {boolean} open whether it goes on, so that it can be steered
 * @property {number} leftOut
 * @property {Entry[]} entries
 * @property {{open: boolean, end: string, rows: import("./trace-rows.js").Row[]} | null} timeline once it is over
 */

/** @type {import("@anywidget/types").Render<{run: Run, live: Piece[]}>} */
function render({ model, el }) {
  const head = h("div", { class: "td-run-head" });
  const log = h("ol", { class: "td-run-log", "aria-label": "what happened" });
  const live = h("pre", { class: "td-run-live td-outside", "aria-live": "off", hidden: true });
  const reason = h("p", { class: "td-quiet", hidden: true });
  const timeline = h("details", { class: "td-run-timeline", hidden: true });
  const status = h("span", { class: "td-quiet", role: "status" });
  const words = h("input", {
    type: "text",
    "aria-label": "Say something to the model",
    placeholder: "Say something to the model…",
    maxlength: 4000,
    disabled: true,
  });
  const say = h("button", { type: "submit", disabled: true }, "Send");
  const stop = h("button", {
    type: "button",
    disabled: true,
    onclick: () => {
      model.send({ type: "stop" });
      status.textContent = "stopping…";
      stop.disabled = true;
    },
  }, "Stop");
  const steer = h(
    "form",
    {
      class: "td-run-steer",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        if (words.value.trim() === "") return;
        model.send({ type: "steer", text: words.value });
        words.value = "";
        status.textContent = "the model hears it before its next step";
      },
    },
    words,
    say,
    stop,
    status,
  );
  const root = h(
    "section",
    { class: "td td-panel td-run", "data-tooldeck": "run", role: "group" },
    head,
    log,
    live,
    reason,
    timeline,
    steer,
  );

  /** @type {Map<string, {drawn: string, row: HTMLElement}>} */
  const known = new Map();
  let answered = false;

  const draw = () => {
    const run = model.get("run");
    root.setAttribute("aria-label", `Run of ${run.model.map(([text]) => text).join("")}`);
    put(
      head,
      shape(run.state),
      h("code", { class: "td-run-who" }, outside(run.model)),
      h("span", { class: "td-quiet td-run-line" }, run.line),
    );
    const rows = run.entries.map((entry, place) => row(entry, `${entry.id ?? ""} ${run.leftOut + place}`));
    if (run.leftOut > 0) rows.unshift(h("li", { class: "td-quiet" }, `${run.leftOut} earlier ones`));
    put(log, ...rows);
    reason.hidden = run.reason.length === 0;
    put(reason, h("code", {}, outside(run.reason)));
    if (timeline.hidden === Boolean(run.timeline)) drawTimeline(run.timeline);
    steer.hidden = !run.open;
    for (const control of [words, say]) control.disabled = !answered || !run.open;
    if (!status.textContent?.startsWith("stopping")) stop.disabled = !answered || !run.open;
  };

  /**
   * The row of an entry, the one that was drawn before where nothing changed, so that what is unfolded stays.
   * @param {Entry} entry
   * @param {string} key
   */
  const row = (entry, key) => {
    const drawn = JSON.stringify(entry);
    const before = known.get(key);
    if (before?.drawn === drawn) return before.row;
    const made = entry.kind === "call" ? card(entry) : spoken(entry);
    known.set(key, { drawn, row: made });
    return made;
  };

  /** @param {Run["timeline"]} told */
  const drawTimeline = (told) => {
    timeline.hidden = !told;
    timeline.open = Boolean(told?.open);
    put(timeline, h("summary", {}, "timeline"), ...(told ? traceRows({ ...told, error: [], notes: [] }) : []));
  };

  const speak = () => {
    const pieces = model.get("live");
    live.hidden = pieces.length === 0;
    put(live, outside(pieces));
    live.scrollTop = live.scrollHeight;
  };

  model.on("change:run", draw);
  model.on("change:live", speak);
  draw();
  speak();
  el.append(root);
  const quit = greet(model, () => {
    answered = true;
    draw();
  });
  return () => {
    quit();
    model.off("change:run", draw);
    model.off("change:live", speak);
  };
}

/** @param {Entry} entry */
function spoken(entry) {
  if (entry.kind === "note") return h("li", { class: "td-quiet" }, h("code", {}, outside(entry.text)));
  return h(
    "li",
    { class: `td-run-${entry.kind}` },
    entry.kind === "person" && h("span", { class: "td-quiet" }, "you"),
    h("pre", { class: "td-run-words td-outside" }, outside(entry.text)),
  );
}

/** @param {Entry} entry */
function card(entry) {
  const { call = [], state = "running", line = "", reason = [], trace, text, pictures = [] } = entry;
  const what = [
    shape(state),
    h("code", { class: "td-run-name" }, outside(call)),
    h("span", { class: "td-quiet" }, line),
    reason.length > 0 && h("code", { class: "td-run-why td-quiet" }, outside(reason)),
  ];
  if (!trace) return h("li", { class: "td-run-call" }, h("div", { class: "td-run-what" }, ...what));
  return h(
    "li",
    { class: "td-run-call" },
    h(
      "details",
      {},
      h("summary", { class: "td-run-what" }, ...what),
      text.length > 0 && h("pre", { class: "td-box", tabindex: "0", "aria-label": "result" }, outside(text)),
      ...traceRows({ ...trace, error: [] }),
    ),
    ...pictures.map(({ mime, data }) => h("img", { src: `data:${mime};base64,${data}`, alt: mime })),
  );
}

export default { render };
