// What a server, a model or the person's own code asks: whose question it is, its words, and what to beware of.

import { greet, h, outside, put, quietWithin, shape } from "./kit.js";

/** @typedef {import("./kit.js").Piece} Piece */

/**
 * @typedef {object} Question
 * @property {Piece[]} asker
 * @property {"server" | "model" | "program"} kind what the asker is
 * @property {Piece[]} tool
 * @property {Piece[]} message
 * @property {string} link the page to visit; empty when there is none or it must not be opened
 * @property {Piece[]} address the same in full, to be read
 * @property {Piece[]} host
 * @property {Piece[][]} warnings
 */

/** @typedef {"waiting" | "answered" | "declined" | "interrupted"} Phase */

/** @type {Record<Phase, import("./kit.js").State>} */
const SHAPE = { waiting: "waiting", answered: "ok", declined: "refused", interrupted: "off" };

/** @type {Record<Question["kind"], string>} */
const ASKS = { server: "A server asks you", model: "A model asks you", program: "You are asked by" };

/** @type {Record<Question["kind"], string>} */
const KIND = { server: "the MCP server ", model: "the model ", program: "" };

/** @type {import("@anywidget/types").Render<{question: Question, phase: Phase, summary: Piece[]}>} */
function render({ model, el }) {
  const root = h("section", { class: "td td-question", "data-tooldeck": "question", role: "group" });
  const draw = () => {
    const question = model.get("question");
    const phase = model.get("phase");
    root.dataset["phase"] = phase;
    root.setAttribute("aria-label", `Question of ${whose(question)}`);
    put(root, ...(phase === "waiting" ? open(question) : [ended(phase, model.get("summary"))]));
  };
  model.on("change:phase", draw);
  draw();
  el.append(root);
  const stops = [greet(model, () => {}), quietWithin("td-questioncard")];
  return () => {
    for (const stop of stops) stop();
    model.off("change:phase", draw);
  };
}

/** @param {Question} question */
function whose({ asker, kind }) {
  return KIND[kind] + asker.map(([text]) => text).join("");
}

/**
 * @param {Question} question
 * @returns {import("./kit.js").Child[]}
 */
function open({ asker, kind, tool, message, link, address, host, warnings }) {
  return [
    h(
      "div",
      { class: "td-question-head" },
      shape("waiting"),
      h("strong", {}, ASKS[kind]),
      h(kind === "program" ? "strong" : "code", {}, outside(asker)),
      tool.length > 0 && h("span", { class: "td-quiet" }, "while running ", h("code", {}, outside(tool))),
    ),
    h("pre", { class: "td-box", tabindex: "0", "aria-label": "the question" }, outside(message)),
    ...warnings.map((warning) => h("p", { class: "td-question-warning" }, "⚠ ", h("span", {}, outside(warning)))),
    address.length > 0 &&
      h(
        "p",
        {},
        "It wants you to visit a page of ",
        h("code", { class: "td-question-host" }, outside(host)),
        ": ",
        !/^https?:/.test(link)
          ? h("code", { class: "td-outside" }, outside(address))
          : h("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, h("code", {}, outside(address))),
      ),
  ];
}

/**
 * @param {Phase} phase
 * @param {Piece[]} summary
 */
function ended(phase, summary) {
  return h("p", { class: "td-question-head" }, shape(SHAPE[phase]), h("span", {}, outside(summary)));
}

export default { render };
