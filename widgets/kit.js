// What the widget modules share. It is put in place of their import of "./kit.js" when they are served,
// so that every widget stays one self-contained module.

/**
 * A stretch of text from outside, as the kernel prepared it: the text, and whether it is an escape that
 * stands for characters nobody could see.
 * @typedef {[text: string, escaped: boolean]} Piece
 */

/** @typedef {Node | string | null | undefined | false} Child */

/** @typedef {"ok" | "waiting" | "running" | "refused" | "failed" | "open" | "off"} State */

/**
 * An element. Strings become text nodes and attributes are set by name: nothing is ever parsed as HTML.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} [attributes]
 *   `on…` functions become listeners; false, null and undefined leave the attribute out.
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  if (FOCUSABLE.has(tag) || "tabindex" in attributes) quiet(element);
  put(element, ...children);
  return element;
}

const FOCUSABLE = new Set(["a", "button", "input", "select", "summary", "textarea"]);

/**
 * Keep the notebook from taking keys meant for this element as its own commands: a "d" typed twice on a button
 * deletes the cell otherwise. The notebook looks for the mark on the focused element itself.
 * @param {Element} element
 */
export function quiet(element) {
  element.setAttribute("data-lm-suppress-shortcuts", "true");
}

/**
 * Do the same for controls that somebody else draws within elements of this class, as they get the focus.
 * @param {string} name
 * @returns {() => void} ends it
 */
export function quietWithin(name) {
  /** @param {FocusEvent} event */
  const focused = ({ target }) => {
    if (target instanceof Element && target.closest(`.${name}`)) quiet(target);
  };
  document.addEventListener("focusin", focused);
  return () => document.removeEventListener("focusin", focused);
}

/**
 * Make these the only children of an element.
 * @param {Element} element
 * @param {...Child} children
 */
export function put(element, ...children) {
  element.replaceChildren(
    ...children.filter((child) => child !== null && child !== undefined && child !== false),
  );
}

/**
 * Text from outside; escapes are tinted, so that a real one and a typed one differ.
 * @param {Piece[]} pieces
 * @returns {DocumentFragment}
 */
export function outside(pieces) {
  const fragment = document.createDocumentFragment();
  for (const [text, escaped] of pieces) {
    fragment.append(
      escaped
        ? h("span", { class: "td-escape", title: "characters that cannot be seen, written as escapes" }, text)
        : text,
    );
  }
  return fragment;
}

/** @type {Record<State, string[]>} */
const SHAPES = {
  ok: ["M8 3a5 5 0 1 1 0 10a5 5 0 1 1 0-10z"],
  waiting: ["M8 3a5 5 0 1 1 0 10a5 5 0 1 1 0-10z"],
  running: ["M8 3a5 5 0 1 1 0 10a5 5 0 1 1 0-10z"],
  refused: ["M8 3a5 5 0 1 1 0 10a5 5 0 1 1 0-10z", "M4.5 11.5l7-7"],
  failed: ["M3.5 3.5l9 9", "M12.5 3.5l-9 9"],
  open: ["M6 3.4a5 5 0 0 0-2.6 6.6", "M5 12a5 5 0 0 0 6 0", "M12.6 10a5 5 0 0 0-2.6-6.6"],
  off: ["M4 8h8"],
};

/**
 * The shape of a state, 16 px. The word for it always stands beside, so it is hidden from screen readers.
 * @param {State} state
 * @returns {SVGSVGElement}
 */
export function shape(state) {
  const image = svg("svg", { viewBox: "0 0 16 16", class: `td-shape td-is-${state}`, "aria-hidden": "true" });
  for (const d of SHAPES[state]) image.append(svg("path", { d }));
  return image;
}

/**
 * How many findings of one severity the lint has in the words of a tool, such as "danger ×2". The word stands
 * there whatever the colour.
 * @param {string} mark
 */
export function lintMark(mark) {
  const severity = ["danger", "warning", "info"].find((one) => mark.startsWith(one)) ?? "info";
  return h("span", { class: `td-lint td-lint-${severity}`, title: "what the lint found in its words" }, mark);
}

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number>} attributes
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/**
 * A count with thin spaces between thousands.
 * @param {number} number
 * @returns {string}
 */
export function count(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

/**
 * Minutes and seconds left, as `04:52`.
 * @param {number} seconds
 * @returns {string}
 */
export function clock(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${String(Math.floor(whole / 60)).padStart(2, "0")}:${String(whole % 60).padStart(2, "0")}`;
}

/**
 * Tell the kernel that a view is on screen, and learn whether anybody is there.
 * @param {{on: Function, off: Function, send: Function}} model
 * @param {(hello: any) => void} answered called for every hello of the kernel, however late
 * @param {() => void} [silent] called once when none came within the time
 * @param {number} [milliseconds]
 * @returns {() => void} ends it
 */
export function greet(model, answered, silent = () => {}, milliseconds = 4000) {
  const timer = setTimeout(silent, milliseconds);
  /** @param {any} message */
  const hear = (message) => {
    if (message?.type !== "hello") return;
    clearTimeout(timer);
    answered(message);
  };
  model.on("msg:custom", hear);
  model.send({ type: "ready" });
  return () => {
    clearTimeout(timer);
    model.off("msg:custom", hear);
  };
}

/**
 * Put a text on the clipboard and say so, or say how else.
 * @param {string} text
 * @param {HTMLElement} told
 */
export async function copyText(text, told) {
  try {
    await navigator.clipboard.writeText(text);
    told.textContent = "copied";
  } catch {
    told.textContent = "The browser did not allow it: select the text and copy it.";
  }
}
