// How far a call is, as its body or its server tells it.

import { h, outside, put } from "./kit.js";

/** @typedef {import("./kit.js").Piece} Piece */

/** @typedef {{title: Piece[], share: number | null, line: Piece[]}} Progress */

/** @type {import("@anywidget/types").Render<{progress: Progress}>} */
function render({ model, el }) {
  const root = h("div", { class: "td td-progress", "data-tooldeck": "progress" });
  const draw = () => {
    const { title, share, line } = model.get("progress");
    const label = title.map(([text]) => text).join("");
    put(
      root,
      h("code", {}, outside(title)),
      h("progress", { max: 1, value: share, "aria-label": label }),
      h("span", { class: "td-quiet" }, h("code", {}, outside(line))),
    );
  };
  model.on("change:progress", draw);
  draw();
  el.append(root);
  return () => model.off("change:progress", draw);
}

export default { render };
