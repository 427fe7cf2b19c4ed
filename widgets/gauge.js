// The breaker gauge: a ring of failures against the threshold, the seconds to the probe, the last outcomes.

import { greet, h, outside, put, svg } from "./kit.js";

/** @typedef {import("./kit.js").Piece} Piece */

/** @typedef {"closed" | "open" | "half-open" | "off"} Phase */

/**
 * @typedef {object} Reading
 * @property {Piece[]} name
 * @property {Phase} phase
 * @property {number} failures
 * @property {number} threshold
 * @property {number} left seconds to the probe when the reading was taken
 * @property {string[]} recent the last outcomes, oldest first
 * @property {string} counted the same as counts in words
 * @property {Piece[]} last what the last failure said
 * @property {Piece[]} text
 * @property {Piece[][]} [targets] the targets that have failed, each in a few words
 */

/** @typedef {{reading: Reading}} Model */

const RADIUS = 11;
const ROUND = 2 * Math.PI * RADIUS;

/** @type {Record<string, number>} heights of the ticks in px: outcomes differ in length as well as in colour */
const TICKS = { ok: 10, failed: 16, refused: 6, ignored: 3 };

/** @type {import("@anywidget/types").Render<Model>} */
function render({ model, el }) {
  const root = h("div", { class: "td td-gauge", "data-tooldeck": "gauge", role: "img" });
  /** @type {number | null} */
  let deadline = null;
  const left = () => (deadline === null ? null : Math.max(0, (deadline - performance.now()) / 1000));

  const draw = () => {
    const reading = model.get("reading");
    const tip = reading.text.map(([text]) => text).join("");
    root.title = tip;
    root.setAttribute("aria-label", tip);
    root.dataset["phase"] = reading.phase;
    put(root, ring(reading, left()), words(reading, left()), strip(reading), targets(reading));
  };
  const taken = () => {
    deadline = model.get("reading").phase === "open" ? performance.now() + model.get("reading").left * 1000 : null;
    draw();
  };
  const tick = () => {
    if (model.get("reading").phase === "open") draw();
  };

  model.on("change:reading", taken);
  // A saved reading is old: until a kernel tells how many seconds are left now, none are shown.
  draw();
  const stop = greet(model, (hello) => {
    deadline = model.get("reading").phase === "open" ? performance.now() + hello.left * 1000 : null;
    draw();
  });
  const ticking = setInterval(tick, 500);
  el.append(root);
  return () => {
    stop();
    clearInterval(ticking);
    model.off("change:reading", taken);
  };
}

/**
 * @param {Reading} reading
 * @param {number | null} left
 */
function ring({ phase, failures, threshold }, left) {
  const image = svg("svg", { viewBox: "0 0 28 28", class: "td-gauge-ring", "aria-hidden": "true" });
  const circle = (/** @type {Record<string, string | number>} */ more) =>
    svg("circle", { cx: 14, cy: 14, r: RADIUS, transform: "rotate(-90 14 14)", ...more });
  if (phase === "open") {
    const part = ROUND / 3;
    image.append(circle({ class: "td-gauge-open", "stroke-dasharray": `${part - 5} 5` }));
    const number = svg("text", { x: 14, y: 17.5, class: "td-gauge-left" });
    number.textContent = left === null ? "–" : short(Math.ceil(left));
    image.append(number);
    return image;
  }
  image.append(circle({ class: "td-gauge-track" }));
  if (phase === "closed" && failures > 0 && threshold > 0) {
    const share = Math.min(1, failures / threshold);
    image.append(circle({ class: "td-gauge-failures", "stroke-dasharray": `${share * ROUND} ${ROUND}` }));
  }
  if (phase === "half-open") {
    image.append(svg("circle", { cx: 14, cy: 14 - RADIUS, r: 3, class: "td-gauge-probe" }));
  }
  if (phase === "closed" && failures === 0) image.append(svg("path", { d: "M10 14.5l3 3 5.5-6.5", class: "td-gauge-fine" }));
  return image;
}

/**
 * Seconds, or minutes and hours when there are more, in at most three characters.
 * @param {number} seconds
 */
function short(seconds) {
  if (seconds < 100) return String(seconds);
  return seconds < 5940 ? `${Math.ceil(seconds / 60)}m` : `${Math.ceil(seconds / 3600)}h`;
}

/**
 * @param {Reading} reading
 * @param {number | null} left
 */
function words({ phase, failures, threshold, last }, left) {
  const lines = {
    off: "breaker off",
    closed: `closed, ${failures} of ${threshold} failure${threshold === 1 ? "" : "s"}`,
    open: left === null ? "open" : left > 0 ? `open, probe in ${Math.ceil(left)} s` : "open, probe due",
    "half-open": "half-open, probing",
  };
  return h(
    "span",
    { class: "td-gauge-words" },
    lines[phase],
    phase === "open" && last.length > 0 && h("code", { class: "td-gauge-last td-quiet" }, outside(last)),
  );
}

/**
 * The targets that have failed, which a tool that is closed would not show otherwise.
 * @param {Reading} reading
 */
function targets({ targets: troubled }) {
  if (troubled === undefined || troubled.length === 0) return null;
  return h("ul", { class: "td-gauge-targets td-quiet" }, ...troubled.map((line) => h("li", {}, outside(line))));
}

/** @param {Reading} reading */
function strip({ recent, counted }) {
  const image = svg("svg", { class: "td-gauge-strip", viewBox: "0 0 120 16", "aria-hidden": "true" });
  recent.forEach((outcome, place) => {
    const height = TICKS[outcome] ?? 3;
    const x = (30 - recent.length + place) * 4;
    image.append(svg("rect", { x, y: 16 - height, width: 3, height, class: `td-tick td-tick-${outcome}` }));
  });
  const title = svg("title", {});
  title.textContent = counted;
  image.append(title);
  return image;
}

export default { render };
