// The trace of one call.

import { h, outside, put, shape } from "./kit.js";
import { traceRows } from "./trace-rows.js";

/** @typedef {import("./trace-rows.js").Trace} Trace */

/** @type {import("@anywidget/types").Render<{trace: Trace}>} */
function render({ model, el }) {
  const root = h("section", {
    class: "td td-panel td-trace",
    "data-tooldeck": "trace",
    role: "group",
  });
  const draw = () => {
    const trace = model.get("trace");
    root.setAttribute("aria-label", `Trace of ${trace.name.map(([text]) => text).join("")}`);
    put(root, headline(trace), ...traceRows(trace));
  };
  model.on("change:trace", draw);
  draw();
  el.append(root);
  model.send({ type: "ready" });
  return () => model.off("change:trace", draw);
}

/** @param {Trace} trace */
function headline({ name, state, line }) {
  return h(
    "div",
    { class: "td-trace-head" },
    shape(state),
    h("code", { class: "td-trace-name" }, outside(name)),
    h("span", { class: "td-quiet" }, line),
  );
}

export default { render };
