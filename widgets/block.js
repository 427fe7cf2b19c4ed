// A block of code with its length and a button that copies it; several forms of one thing may share a block.

import { copyText, count, h, outside, put } from "./kit.js";

/** @typedef {import("./kit.js").Piece} Piece */

/** @typedef {{label: string, text: string, shown: Piece[]}} Form */

/** @typedef {{forms: Form[], name: string, lengths: boolean}} Block */

/** @type {import("@anywidget/types").Render<{block: Block}>} */
function render({ model, el }) {
  const root = h("div", { class: "td td-block", "data-tooldeck": "block" });
  const copied = h("span", { class: "td-quiet", role: "status", "aria-live": "polite" });
  const code = h("pre", { class: "td-box", tabindex: "0" });
  const length = h("span", { class: "td-quiet" });
  const chosen = h("select", { onchange: () => draw() });
  const copy = h("button", { type: "button", onclick: () => copyText(current()?.text ?? "", copied) }, "Copy");

  const current = () => model.get("block").forms[chosen.selectedIndex] ?? model.get("block").forms[0];
  const draw = () => {
    const { forms, name, lengths } = model.get("block");
    const labels = forms.map((form) => form.label);
    if ([...chosen.options].map((option) => option.value).join("\n") !== labels.join("\n")) {
      put(chosen, ...labels.map((label) => h("option", { value: label }, label)));
    }
    chosen.hidden = forms.length < 2;
    chosen.setAttribute("aria-label", `form of ${name}`);
    const form = current();
    put(code, outside(form?.shown ?? []));
    code.setAttribute("aria-label", name);
    copy.setAttribute("aria-label", `Copy ${name}`);
    length.textContent = lengths ? `${count(form?.text.length ?? 0)} characters` : "";
    copied.textContent = "";
  };
  model.on("change:block", draw);
  draw();
  put(root, code, h("div", { class: "td-block-bar" }, copy, chosen, length, copied));
  el.append(root);
  return () => model.off("change:block", draw);
}

export default { render };
