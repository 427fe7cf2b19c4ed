// The parts of an approval card: what it shows and the controls it has; what they do is told from outside.

import { h, outside, shape } from "./kit.js";

/** @typedef {import("./kit.js").Piece} Piece */

/**
 * @typedef {object} Argument
 * @property {Piece[]} name
 * @property {Piece[]} value
 * @property {string} length for example `text, 1 204 characters`
 * @property {boolean} block whether the value needs a box of its own
 */

/**
 * @typedef {object} Facts what the question is about; it never changes
 * @property {string} request the id that an answer must carry
 * @property {Piece[]} tool
 * @property {Piece[]} asked who wants the call
 * @property {string} powers
 * @property {string} trust
 * @property {boolean} trusted
 * @property {string} risk
 * @property {Piece[]} origin
 * @property {Piece[]} rule
 * @property {Piece[]} description
 * @property {Piece[][]} notes
 * @property {Argument[]} arguments
 * @property {Preview | null} preview what the call would change
 * @property {string | null} editable the arguments as JSON, or null when JSON cannot hold them
 * @property {boolean} harmless whether the call would change nothing at all
 * @property {{value: string, label: string}[]} scopes
 * @property {boolean} stoppable whether the call belongs to a run that can be stopped
 */

/**
 * @typedef {object} Preview
 * @property {[kind: string, number: number | null, text: Piece[]][] | null} rows the lines of a diff, or null
 * @property {Piece[]} text what it is instead
 * @property {string} size
 */

/**
 * The parts of a card.
 * @param {Facts} facts
 * @param {Record<"deny" | "stop" | "approve" | "note" | "edit" | "edited", () => void>} on
 */
export function controls(facts, on) {
  const deny = h("button", { type: "button", onclick: on.deny }, "Deny");
  const noting = h("button", { type: "button", onclick: on.note }, "Deny with a note…");
  const stop = h("button", { type: "button", onclick: on.stop }, "Stop the run");
  const editing = h("button", { type: "button", onclick: on.edit }, "Edit arguments");
  const scope = h(
    "select",
    { "aria-label": "How far the approval reaches", class: "td-approval-scope" },
    ...facts.scopes.map(({ value, label }) => h("option", { value }, label)),
  );
  const approve = h("button", { type: "button", class: "td-main", onclick: on.approve }, "Approve");
  const say = h("p", { class: "td-approval-say", role: "status", "aria-live": "polite" });
  const asked = askedFor(facts);
  const { note, words } = noteField(on.deny);
  const { editor, json, problems, foreseen } = editField(facts.editable ?? "", on.edited);
  return {
    ...{ deny, noting, stop, editing, scope, approve, say, asked, note, words, editor, json, problems, foreseen },
    head: h("div", { class: "td-approval-head" }),
    time: h("span", { class: "td-approval-time td-codelike", role: "timer", "aria-label": "time left" }),
    body: h("div", { class: "td-approval-body" }, about(facts), asked, editor, note),
    bar: h(
      "div",
      { class: "td-approval-bar" },
      deny,
      noting,
      facts.stoppable && stop,
      say,
      facts.editable !== null && editing,
      h("span", { class: "td-approval-yes" }, scope, approve),
    ),
  };
}

/** @param {() => void} deny */
function noteField(deny) {
  const words = h("input", {
    type: "text",
    placeholder: "Why not? The caller is told.",
    "aria-label": "Note for the caller",
    onkeydown: (event) => {
      if (event.key === "Enter") deny();
    },
  });
  const send = h("button", { type: "button", onclick: deny }, "Deny with this note");
  return { words, note: h("div", { class: "td-approval-note", hidden: true }, words, send) };
}

/**
 * @param {string} text
 * @param {() => void} edited
 */
function editField(text, edited) {
  const json = h("textarea", {
    class: "td-codelike",
    "aria-label": "Arguments as JSON",
    rows: Math.min(14, Math.max(4, text.split("\n").length + 1)),
    spellcheck: "false",
    autocomplete: "off",
    oninput: edited,
  });
  json.value = text;
  const problems = h("ul", { class: "td-approval-problems", role: "status", "aria-live": "polite" });
  const foreseen = h("div", { role: "status", "aria-live": "polite" });
  const editor = h("div", { class: "td-approval-editor", hidden: true }, json, problems, foreseen);
  return { json, problems, foreseen, editor };
}

/**
 * @param {Facts} facts
 * @param {string} place
 * @returns {import("./kit.js").Child[]}
 */
export function headline(facts, place) {
  return [
    shape("waiting"),
    h("strong", {}, "Approve?"),
    h("code", { class: "td-approval-tool" }, outside(facts.tool)),
    h("span", { class: "td-quiet" }, outside(facts.asked)),
    h("span", { class: "td-spring" }),
    place !== "" && h("span", { class: "td-quiet" }, place),
  ];
}

/**
 * What holds whatever the arguments are: what the tool may do, and who says so. It stays in sight of an edit.
 * @param {Facts} facts
 */
function about(facts) {
  return h(
    "div",
    {},
    h(
      "p",
      { class: "td-approval-powers" },
      h("span", {}, facts.powers),
      h("span", {}, `risk ${facts.risk}`),
      h("span", { class: facts.trusted ? "" : "td-approval-untrusted" }, facts.trust),
      h("span", {}, "from ", h("code", {}, outside(facts.origin))),
      h("span", {}, "rule: ", h("code", {}, outside(facts.rule))),
    ),
    facts.description.length > 0 &&
      h("pre", { class: "td-box td-approval-about", tabindex: "0", "aria-label": "What the tool says of itself" },
        outside(facts.description)),
    ...facts.notes.map((note) => h("p", { class: "td-quiet" }, "note: ", h("code", {}, outside(note)))),
  );
}

/**
 * The arguments that are asked for, complete, and what they would change.
 * @param {Facts} facts
 */
function askedFor(facts) {
  return h(
    "div",
    {},
    facts.arguments.length === 0
      ? h("p", { class: "td-quiet" }, "no arguments")
      : h("dl", { class: "td-approval-arguments" }, ...facts.arguments.flatMap(argument)),
    facts.preview !== null && change(facts.preview),
  );
}

/**
 * What the call would change, complete: a diff with its lines tinted, or text.
 * @param {Preview} preview
 */
export function change({ rows, text, size }) {
  return h(
    "figure",
    { class: "td-approval-change" },
    h("figcaption", { class: "td-quiet" }, `${rows === null ? "preview" : "change"} · ${size}`),
    h(
      "pre",
      { class: `td-box${rows === null ? "" : " td-diff"}`, tabindex: "0", "aria-label": "What the call would change" },
      ...(rows === null ? [outside(text)] : rows.map(diffRow)),
    ),
  );
}

/** @type {Record<string, string>} */
const SIGNS = { new: "+", gone: "-", same: " " };

/** @param {[kind: string, number: number | null, text: Piece[]]} row */
function diffRow([kind, number, text]) {
  return h(
    "span",
    { class: `td-diff-row td-diff-${kind}` },
    h("span", { class: "td-diff-number", "aria-hidden": "true" }, number === null ? "" : String(number)),
    h("span", {}, SIGNS[kind] ?? "", outside(text), "\n"),
  );
}

/**
 * @param {Argument} given
 * @returns {HTMLElement[]}
 */
function argument(given) {
  const value = given.block
    ? h("pre", { class: "td-box", tabindex: "0", "aria-label": `${plain(given.name)}, ${given.length}` },
        outside(given.value))
    : h("code", { class: "td-outside td-approval-short" }, outside(given.value));
  const hidden = given.value.some(([, escaped]) => escaped);
  return [
    h("dt", {}, h("code", {}, outside(given.name))),
    h(
      "dd",
      {},
      h("span", { class: "td-quiet td-approval-length" }, given.length),
      hidden && h("span", { class: "td-escape td-approval-length" }, "invisible characters, shown as escapes"),
      value,
    ),
  ];
}

/**
 * The text of pieces, for labels.
 * @param {Piece[]} pieces
 */
export function plain(pieces) {
  return pieces.map(([text]) => text).join("");
}
