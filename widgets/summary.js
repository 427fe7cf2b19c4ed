// The last line of a form: what does not fit, said aloud when it changes.

import { labelled } from "./form.js";
import { h, outside, put, quietWithin, shape } from "./kit.js";

/** @typedef {import("./kit.js").Piece} Piece */

/** @typedef {{line: string, problems: Piece[][]}} Summary */

/** @type {import("@anywidget/types").Render<{summary: Summary}>} */
function render({ model, el }) {
  const root = h("div", { class: "td td-summary", "data-tooldeck": "summary", role: "status", "aria-live": "polite" });
  const draw = () => {
    const { line, problems } = model.get("summary");
    put(
      root,
      line !== "" && h("p", {}, shape("failed"), " ", line),
      ...problems.map((problem) => h("p", {}, h("code", {}, outside(problem)))),
    );
  };
  model.on("change:summary", draw);
  draw();
  el.append(root);
  const stop = quietWithin("td-form");
  let unlabel = () => {};
  // The box of the form is there only after this has returned.
  const due = requestAnimationFrame(() => {
    const form = el.closest(".td-form");
    if (form !== null) unlabel = labelled(form);
  });
  return () => {
    stop();
    cancelAnimationFrame(due);
    unlabel();
    model.off("change:summary", draw);
  };
}

export default { render };
