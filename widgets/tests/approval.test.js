import { afterEach, beforeEach, expect, test, vi } from "vitest";

import widget, { ARMING, PATIENCE } from "../approval.js";
import { draw, Kernel, NASTY, plain } from "./page.js";

/** @param {any} [more] */
function question(more = {}) {
  return {
    request: "ask-1",
    tool: plain("file.write"),
    asked: plain("asked by a model"),
    powers: "writes",
    trust: "trusted output",
    trusted: true,
    risk: "medium",
    origin: plain("notebook"),
    rule: plain("asks before it writes"),
    description: [],
    notes: [],
    arguments: [{ name: plain("path"), value: plain("a.txt"), length: "text, 5 characters", block: false }],
    editable: '{"path": "a.txt"}',
    preview: null,
    harmless: false,
    stoppable: false,
    scopes: [
      { value: "once", label: "this time" },
      { value: "session", label: "this tool, this session" },
    ],
    ...more,
  };
}

/**
 * @param {any} [more]
 * @param {boolean} [alive]
 */
async function card(more = {}, alive = true) {
  const kernel = new Kernel({ question: question(more), phase: "waiting", summary: [], place: "" }, alive);
  const { el, close } = await draw(widget, kernel);
  /** @param {string} name */
  const button = (name) => {
    const found = [...el.querySelectorAll("button")].find((one) => one.textContent === name);
    if (!found) throw new Error(`no button ${name}`);
    return found;
  };
  /** @param {string} key @param {Element} [target] */
  const press = (key, target = button("Deny")) =>
    target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const say = () => el.querySelector(".td-approval-say")?.textContent;
  return { kernel, el, close, button, press, say };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

test("says that it is on screen as soon as it is drawn", async () => {
  const { kernel } = await card();
  expect(kernel.sent[0]).toEqual({ type: "ready" });
});

test("approve works only when the kernel is there and the card has stood for a moment", async () => {
  const { kernel, button } = await card();
  expect(button("Approve").disabled).toBe(true);
  button("Approve").click();
  expect(kernel.of("answer")).toEqual([]);
  vi.advanceTimersByTime(ARMING);
  expect(button("Approve").disabled).toBe(false);
  button("Approve").click();
  expect(kernel.of("answer")).toEqual([
    { type: "answer", request: "ask-1", approve: true, stop: false, scope: "once", note: "", edited: null, serial: 0 },
  ]);
});

test("a diff is drawn line by line, as text, with signs and numbers", async () => {
  const rows = [
    ["file", null, plain("--- a.py")],
    ["gone", 11, plain(NASTY)],
    ["new", 11, [["run()", false], ["\\u202e", true]]],
  ];
  const { el } = await card({ preview: { rows, text: [], size: "+1 −1" } });
  expect(el.querySelector("figcaption")?.textContent).toBe("change · +1 −1");
  const lines = [...el.querySelectorAll(".td-diff-row")];
  expect(lines.map((line) => line.className.split(" ")[1])).toEqual(["td-diff-file", "td-diff-gone", "td-diff-new"]);
  expect(lines[1]?.textContent).toBe(`11-${NASTY}\n`);
  expect(lines[2]?.textContent).toBe("11+run()\\u202e\n");
  expect(el.querySelectorAll("img, script").length).toBe(0);
  expect(lines[2]?.querySelector(".td-escape")).not.toBeNull();
});

test("a preview that is no diff is shown as it is", async () => {
  const { el } = await card({ preview: { rows: null, text: plain("no preview: it raised"), size: "21 characters" } });
  expect(el.querySelector("figure pre")?.textContent).toBe("no preview: it raised");
  expect(el.querySelector(".td-diff-row")).toBeNull();
});

test("stopping the run is a denial that says so, offered only where there is a run", async () => {
  const alone = await card();
  expect([...alone.el.querySelectorAll("button")].map((one) => one.textContent)).not.toContain("Stop the run");
  const { kernel, button } = await card({ stoppable: true });
  button("Stop the run").click();
  expect(kernel.of("answer")).toEqual([
    { type: "answer", request: "ask-1", approve: false, stop: true, scope: "once", note: "", edited: null, serial: 0 },
  ]);
});

test("a double click answers once", async () => {
  const { kernel, button } = await card();
  vi.advanceTimersByTime(ARMING);
  button("Approve").click();
  button("Approve").click();
  button("Deny").click();
  expect(kernel.of("answer")).toHaveLength(1);
});

test("nothing takes the focus by itself", async () => {
  await card();
  vi.advanceTimersByTime(ARMING);
  expect(document.activeElement).toBe(document.body);
});

test("the tab order ends at approve and begins with deny", async () => {
  const { el } = await card();
  vi.advanceTimersByTime(ARMING);
  const order = [...el.querySelectorAll("button, select")].filter((one) => !one.closest("[hidden]"));
  expect(order.map((one) => one.getAttribute("aria-label") ?? one.textContent)).toEqual([
    "Deny",
    "Deny with a note…",
    "Edit arguments",
    "How far the approval reaches",
    "Approve",
  ]);
});

test("enter anywhere but on approve approves nothing", async () => {
  const { kernel, el, press, button } = await card();
  vi.advanceTimersByTime(ARMING);
  for (const target of [el.firstElementChild, el.querySelector("select"), button("Edit arguments")]) {
    if (target) press("Enter", target);
  }
  expect(kernel.of("answer")).toEqual([]);
});

test("escape asks once more before it denies what would change something", async () => {
  const { kernel, press, say } = await card();
  press("Escape");
  expect(kernel.of("answer")).toEqual([]);
  expect(say()).toContain("Escape once more");
  press("Tab");
  press("Escape");
  expect(kernel.of("answer")).toEqual([]);
  press("Escape");
  expect(kernel.of("answer")[0]).toMatchObject({ approve: false });
});

test("escape denies at once what would change nothing", async () => {
  const { kernel, press } = await card({ harmless: true });
  press("Escape");
  expect(kernel.of("answer")[0]).toMatchObject({ approve: false });
});

test("escape in the editor only closes the editor", async () => {
  const { kernel, el, press, button } = await card();
  button("Edit arguments").click();
  const editor = el.querySelector("textarea");
  if (editor) press("Escape", editor);
  expect(editor?.closest("[hidden]")).not.toBeNull();
  expect(kernel.of("answer")).toEqual([]);
});

test("a refusal carries its note", async () => {
  const { kernel, el, press, button } = await card();
  button("Deny with a note…").click();
  const field = /** @type {HTMLInputElement} */ (el.querySelector(".td-approval-note input"));
  expect(document.activeElement).toBe(field);
  field.value = "not there";
  press("Enter", field);
  expect(kernel.of("answer")[0]).toMatchObject({ approve: false, note: "not there" });
});

test("the chosen scope is sent", async () => {
  const { kernel, el, button } = await card();
  vi.advanceTimersByTime(ARMING);
  /** @type {HTMLSelectElement} */ (el.querySelector("select")).value = "session";
  button("Approve").click();
  expect(kernel.of("answer")[0]).toMatchObject({ scope: "session" });
});

test("an edit is checked while it is typed, and approved only when it fits", async () => {
  const { kernel, el, button } = await card();
  vi.advanceTimersByTime(ARMING);
  button("Edit arguments").click();
  const editor = /** @type {HTMLTextAreaElement} */ (el.querySelector("textarea"));
  expect(editor.value).toBe('{"path": "a.txt"}');
  editor.value = '{"path": 3}';
  editor.dispatchEvent(new Event("input"));
  expect(button("Approve edited").disabled).toBe(true);
  vi.advanceTimersByTime(250);
  const [check] = kernel.of("check");
  expect(check).toMatchObject({ request: "ask-1", text: '{"path": 3}' });
  kernel.say({ type: "checked", serial: check.serial, problems: [plain("path: text (got 3)")] });
  expect(el.textContent).toContain("path: text (got 3)");
  expect(button("Approve edited").disabled).toBe(true);
  kernel.say({ type: "checked", serial: check.serial - 1, problems: [] });
  expect(button("Approve edited").disabled).toBe(true);
  kernel.say({ type: "checked", serial: check.serial, problems: [] });
  button("Approve edited").click();
  expect(kernel.of("answer")[0]).toMatchObject({ approve: true, edited: '{"path": 3}' });
});

test("an edit that the kernel finds unfit at the last moment can be mended", async () => {
  const { kernel, button, say } = await card();
  vi.advanceTimersByTime(ARMING);
  button("Edit arguments").click();
  button("Approve edited").click();
  const [sent] = kernel.of("answer");
  kernel.say({ type: "checked", serial: sent.serial, problems: [plain("no")] });
  expect(say()).toContain("Not sent");
  expect(button("Deny").disabled).toBe(false);
});

test("an edited call shows what it would change, and an approval that came too soon is not sent", async () => {
  const { kernel, el, button } = await card();
  vi.advanceTimersByTime(ARMING);
  button("Edit arguments").click();
  button("Approve edited").click();
  const [sent] = kernel.of("answer");
  const preview = { rows: null, text: plain("b.txt is written anew"), size: "21 characters" };
  kernel.say({ type: "checked", serial: sent.serial, problems: [], preview });
  expect(el.textContent).toContain("b.txt is written anew");
  expect(el.textContent).toContain("look at what it would change now");
  expect(button("Approve edited").disabled).toBe(false);
  const editor = /** @type {HTMLTextAreaElement} */ (el.querySelector("textarea"));
  editor.dispatchEvent(new Event("input"));
  expect(el.textContent).not.toContain("b.txt is written anew");
});

test("what the tool may do stays in sight while its arguments are edited", async () => {
  const { el, button } = await card();
  button("Edit arguments").click();
  for (const words of ["writes", "risk medium", "asks before it writes"]) {
    const shown = [...el.querySelectorAll("span, code")].filter((one) => one.textContent === words);
    expect(shown.some((one) => one.closest("[hidden]") === null)).toBe(true);
  }
  expect(el.querySelector("dl")?.closest("[hidden]")).not.toBeNull();
});

test("the call behind the line of an approved edit is the edited one, of a refused edit the one asked for", async () => {
  for (const { name, phase } of [
    { name: "Approve edited", phase: "approved" },
    { name: "Deny", phase: "denied" },
  ]) {
    const { kernel, el, button } = await card();
    vi.advanceTimersByTime(ARMING);
    button("Edit arguments").click();
    button(name).click();
    kernel.set("phase", phase);
    const editor = /** @type {HTMLTextAreaElement} */ (el.querySelector("textarea"));
    expect(editor.closest("[hidden]") === null).toBe(phase === "approved");
    expect(editor.readOnly).toBe(true);
    expect(el.querySelector("dl")?.closest("[hidden]") === null).toBe(phase === "denied");
  }
});

test("arguments that JSON cannot hold have no editor", async () => {
  const { el } = await card({ editable: null });
  expect(el.textContent).not.toContain("Edit arguments");
});

test("after the decision one line stays, with the whole call behind it and nothing to press", async () => {
  const { kernel, el } = await card();
  kernel.state.summary = plain("approved by you after 3.2 s");
  kernel.set("phase", "approved");
  expect(el.querySelector("summary")?.textContent).toBe("approved by you after 3.2 s");
  expect(el.querySelector("details")?.open).toBe(false);
  expect(el.querySelector("dd")?.textContent).toContain("a.txt");
  expect(el.querySelectorAll("button")).toHaveLength(2 - 1);
  expect(el.querySelector("button")?.closest("[hidden]")).not.toBeNull();
});

test("the focus stays in the card when its buttons go", async () => {
  const { kernel, el, button } = await card();
  button("Deny").focus();
  kernel.set("phase", "denied");
  expect(document.activeElement).toBe(el.querySelector("summary"));
});

test("a card that goes leaves the focus to its cell, also when its button was switched off with it", async () => {
  const { el, close, button } = await card();
  const cell = document.createElement("div");
  cell.className = "jp-Cell";
  cell.tabIndex = 0;
  document.body.append(cell);
  cell.append(el);
  button("Deny").focus();
  button("Deny").click();
  cell.focus(); // browsers take the focus from a button that is disabled, jsdom does not
  cell.blur();
  expect(document.activeElement).toBe(document.body);
  close();
  expect(document.activeElement).toBe(cell);
});

test("a click that came too late is told so", async () => {
  const { kernel, say } = await card();
  kernel.set("phase", "timed out");
  kernel.say({ type: "late", request: "ask-1", text: "too late: no answer within 5.0 s" });
  expect(say()).toBe("too late: no answer within 5.0 s");
  kernel.say({ type: "late", request: "ask-2", text: "not for this card" });
  expect(say()).toBe("too late: no answer within 5.0 s");
});

test("without a kernel the card is inert and says why, until one answers", async () => {
  const { kernel, button, say } = await card({}, false);
  vi.advanceTimersByTime(PATIENCE);
  expect(say()).toContain("no kernel");
  for (const name of ["Deny", "Approve", "Edit arguments"]) expect(button(name).disabled).toBe(true);
  button("Deny").click();
  expect(kernel.of("answer")).toEqual([]);
  kernel.say({ type: "hello", left: null });
  expect(button("Approve").disabled).toBe(false);
  expect(say()).toBe("");
});

test("an answer that nobody takes is not silently lost", async () => {
  const { button, say } = await card();
  button("Deny").click();
  vi.advanceTimersByTime(PATIENCE);
  expect(say()).toContain("restarted");
});

test("the time left runs down", async () => {
  const kernel = new Kernel({ question: question(), phase: "waiting", summary: [], place: "1 of 3" });
  kernel.hello = { left: 292 };
  const { el } = await draw(widget, kernel);
  const time = () => el.querySelector(".td-approval-time")?.textContent;
  expect(time()).toBe("04:52");
  vi.advanceTimersByTime(2000);
  expect(time()).toBe("04:50");
  expect(el.textContent).toContain("1 of 3");
});

test("text from outside makes no element, and escapes are marked", async () => {
  const { el } = await card({
    tool: plain(NASTY),
    asked: plain(NASTY),
    rule: plain(NASTY),
    origin: plain(NASTY),
    description: plain(NASTY),
    notes: [plain(NASTY)],
    arguments: [
      { name: plain(NASTY), value: [["a", false], ["\\u202e", true], [NASTY, false]], length: "text", block: true },
      { name: plain("b"), value: plain(NASTY), length: "text", block: false },
    ],
  });
  expect(el.querySelector("script, img")).toBeNull();
  expect(el.querySelector("pre .td-escape")?.textContent).toBe("\\u202e");
  expect(el.querySelector("pre[aria-label^='<script>']")?.textContent).toBe(`a\\u202e${NASTY}`);
});

test("a closed view leaves nothing behind", async () => {
  const { kernel, close } = await card();
  close();
  expect(kernel.listening()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});
