// What ipywidgets leave out of a form: which words belong to which control, and where the focus goes when
// items of a list move.

const CONTROLS = "input, select, textarea, [role='slider']";
let last = 0;

/** @param {Element} element */
function identified(element) {
  if (element.id === "") element.id = `td-form-${(last += 1)}`;
  return element.id;
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 */
function say(element, name, value) {
  if (value === "") element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * The words beneath a row belong to its controls.
 * @param {Element} row
 */
function describe(row) {
  const words = [...row.children].filter((child) => child.matches(".td-form-help, .td-form-problem"));
  const wrong = words.some((child) => child.matches(".td-form-problem"));
  const inner = row.querySelectorAll(":scope > .td-form-line .td-form-row");
  for (const control of row.querySelectorAll(`:scope > .td-form-line :is(${CONTROLS})`)) {
    if ([...inner].some((other) => other.contains(control))) continue;
    say(control, "aria-describedby", words.map(identified).join(" "));
    say(control, "aria-invalid", wrong ? "true" : "");
    const line = control.closest(".jupyter-widgets");
    const label = line?.querySelector(".widget-label")?.textContent ?? "";
    say(control, "aria-required", label.endsWith(" *") ? "true" : "");
    if (control.getAttribute("role") === "slider") say(control, "aria-label", label);
  }
}

/**
 * A group is called by its heading, an item by its number.
 * @param {Element} box
 */
function name(box) {
  const heading = box.querySelector(
    ":scope > .td-form-heading, :scope > .td-form-line > .td-form-number, :scope > .td-form-line > .td-form-key input",
  );
  const words = heading instanceof HTMLInputElement ? heading.value : (heading?.textContent ?? "");
  say(box, "role", words === "" ? "" : "group");
  say(box, "aria-label", words);
}

/**
 * Keep the labels of a form right while it changes.
 * @param {Element} form
 * @returns {() => void} ends it
 */
export function labelled(form) {
  const draw = () => {
    form.querySelectorAll(".td-form-row").forEach(describe);
    form.querySelectorAll(".td-form-group, .td-form-list, .td-form-item").forEach(name);
    form.querySelectorAll(".td-form-button").forEach((button) => say(button, "aria-label", button.getAttribute("title") ?? ""));
  };
  /** @type {{list: Element, place: number, kind: string} | null} */
  let wanted = null;
  /** @param {Event} event */
  const pressed = (event) => {
    const button = event.target instanceof Element ? event.target.closest(".td-form-button") : null;
    const item = button?.closest(".td-form-item");
    const list = item?.parentElement;
    const kind = ["td-form-up", "td-form-down", "td-form-remove"].find((one) => button?.classList.contains(one));
    if (!item || !list || kind === undefined) return;
    const steps = { "td-form-up": -1, "td-form-down": 1 }[kind] ?? 0;
    wanted = { list, place: [...list.children].indexOf(item) + steps, kind };
  };
  const follow = () => {
    if (wanted === null || (document.activeElement !== null && document.activeElement !== document.body)) return;
    const { list, place, kind } = wanted;
    const item = list.children[Math.min(place, list.children.length - 1)];
    // At an end of the list the button that was pressed is hidden and takes no focus.
    const kinds = [kind, "td-form-up", "td-form-down", "td-form-remove"];
    const next = kinds.map((one) => item?.querySelector(`:scope > .td-form-line > .${one}`) ?? null);
    for (const button of [...next, list.parentElement?.querySelector(".td-form-add")]) {
      if (button instanceof HTMLElement) button.focus();
      if (button === document.activeElement) break;
    }
    wanted = null;
  };
  let due = 0;
  const watcher = new MutationObserver(() => {
    cancelAnimationFrame(due);
    due = requestAnimationFrame(() => {
      draw();
      follow();
    });
  });
  watcher.observe(form, { childList: true, subtree: true, characterData: true });
  form.addEventListener("click", pressed, true);
  draw();
  return () => {
    watcher.disconnect();
    cancelAnimationFrame(due);
    form.removeEventListener("click", pressed, true);
  };
}
