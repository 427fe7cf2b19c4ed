// How far a call is, as its body or its server tells it, with the way to end it.

import { h, outside, put } from "./kit.js";

/** @typedef {import("./kit.js").Piece} Piece */

/**
 * @typedef {{title: Piece[], share: number | null, line: Piece[], cancel: "" | "offered" | "asked"}} Progress
 */

/** @type {import("@anywidget/types").Render<{progress: Progress}>} */
function render({ model, el }) {
  const title = h("code", {});
  const bar = h("progress", { max: 1 });
  const line = h("code", {});
  const asked = h("span", { class: "td-quiet", role: "status" });
  const cancel = h("button", { type: "button", onclick: () => stop() }, "Cancel");
  const root = h("div", { class: "td td-progress", "data-tooldeck": "progress", tabindex: -1 });
  put(root, title, bar, h("span", { class: "td-quiet" }, line), cancel, asked);

  const stop = () => {
    if (cancel.disabled) return;
    cancel.disabled = true;
    asked.textContent = "asking…";
    model.send({ type: "cancel" });
  };
  const draw = () => {
    const told = model.get("progress");
    const label = told.title.map(([text]) => text).join("");
    put(title, outside(told.title));
    put(line, outside(told.line));
    bar.setAttribute("aria-label", label);
    if (told.share === null) bar.removeAttribute("value");
    else bar.value = told.share;
    cancel.setAttribute("aria-label", `Cancel ${label}`);
    if (told.cancel === "asked") {
      cancel.disabled = true;
      asked.textContent = "cancelling: its server is told to stop";
    }
    if (told.cancel !== "") return;
    if (document.activeElement === cancel) root.focus(); // the keys of the notebook go on from here
    cancel.hidden = true;
    asked.textContent = "";
  };
  model.on("change:progress", draw);
  draw();
  el.append(root);
  return () => model.off("change:progress", draw);
}

export default { render };
