// The widgets that only show: each draws what it is told, keeps up with changes, and leaves text as text.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import block from "../block.js";
import card from "../card.js";
import progress from "../progress.js";
import question from "../question.js";
import result from "../result.js";
import run from "../run.js";
import serving from "../serving.js";
import session from "../session.js";
import signin from "../signin.js";
import summary from "../summary.js";
import trace from "../trace.js";
import { draw, Kernel, NASTY, plain } from "./page.js";

const nasty = plain(NASTY);
const row = (/** @type {any} */ more = {}) => ({
  name: nasty,
  kind: "stage",
  depth: 1,
  time: "1.0 ms",
  decision: nasty,
  reach: [0, 1],
  bars: [[0.25, 0.5]],
  detail: "begins after 0.0 ms",
  ...more,
});
const one = (/** @type {any} */ more = {}) => ({
  id: "call-1",
  state: "ok",
  line: "ok · 12.4 ms",
  call: nasty,
  text: nasty,
  length: "5 characters",
  untrusted: true,
  pictures: [],
  files: [{ line: nasty, name: "a.csv", data: "YQ==" }],
  notes: [nasty],
  ...more,
});

const called = (/** @type {any} */ more = {}) => ({
  kind: "call",
  id: "call-1",
  call: nasty,
  state: "ok",
  line: "ok · 1 ms",
  reason: nasty,
  text: nasty,
  pictures: [],
  trace: { name: nasty, state: "ok", line: "ok", error: [], notes: [nasty], end: "1 s", rows: [row()] },
  ...more,
});
const story = (/** @type {any} */ more = {}) => ({
  model: nasty,
  state: "running",
  line: "running · 1 of 24 rounds",
  reason: nasty,
  open: true,
  leftOut: 0,
  entries: [{ kind: "person", text: nasty }, { kind: "model", text: nasty }, { kind: "note", text: nasty }, called()],
  timeline: null,
  ...more,
});

/** @type {Record<string, [any, any, string, any]>} the widget, its state, the key that changes, a change */
const all = {
  block: [
    block,
    { block: { name: "the call", lengths: true, forms: [{ label: NASTY, text: "f()", shown: nasty }] } },
    "block",
    { name: "the call", lengths: false, forms: [{ label: "JSON", text: "{}", shown: plain("changed") }] },
  ],
  card: [
    card,
    { tool: { name: nasty, description: nasty, remote: true, marks: ["danger ×2"], badges: [nasty], notes: [nasty], trusted: false, state: "idle" } },
    "tool",
    { name: plain("changed"), description: [], remote: false, marks: [], badges: [], notes: [], trusted: true, state: "running" },
  ],
  progress: [
    progress,
    { progress: { title: nasty, share: 0.3, line: nasty, cancel: "offered" } },
    "progress",
    { title: plain("changed"), share: null, line: [], cancel: "" },
  ],
  question: [
    question,
    {
      phase: "waiting",
      summary: plain("changed"),
      question: { asker: nasty, kind: "server", tool: nasty, message: nasty, link: "", address: nasty, host: nasty, warnings: [nasty] },
    },
    "phase",
    "answered",
  ],
  result: [result, { results: [one()], single: true, empty: "none" }, "results", [one({ text: plain("changed"), call: [], files: [], notes: [] })]],
  run: [
    run,
    { run: story(), live: [] },
    "run",
    story({ model: plain("changed"), reason: [], entries: [{ kind: "model", text: plain("said") }] }),
  ],
  serving: [
    serving,
    {
      serving: {
        running: true,
        name: nasty,
        url: "http://127.0.0.1:1/mcp",
        facts: "1 tool shown, 2 not",
        token: true,
        dots: "••••",
        forms: [["mcp.json", "Bearer ••••"], ["Claude Code", "claude ••••"]],
        tools: [{ name: nasty, powers: "reads", asks: "asks", marks: ["warning ×1"], about: nasty }],
        clients: [[nasty, "2 calls"]],
      },
    },
    "serving",
    { running: false, name: plain("changed"), url: "", facts: "", token: true, dots: "••••", forms: [], tools: [], clients: [] },
  ],
  session: [
    session,
    {
      session: {
        label: nasty,
        state: "dead",
        server: nasty,
        facts: "8 tools",
        target: nasty,
        reason: nasty,
        log: nasty,
        tools: [{ name: nasty, powers: "reads", asks: "asks", marks: ["warning ×1"], about: nasty }],
        notes: [nasty],
        busy: "",
      },
    },
    "session",
    { label: plain("changed"), state: "ready", server: [], facts: "", target: [], reason: [], log: [], tools: [], notes: [], busy: "" },
  ],
  signin: [
    signin,
    {
      phase: "waiting",
      trouble: nasty,
      summary: plain("changed"),
      request: { server: nasty, link: "https://id.example/a", address: nasty, host: nasty, ends: "http://127.0.0.1:1/c", listening: true, warnings: [nasty] },
    },
    "phase",
    "done",
  ],
  summary: [summary, { summary: { line: "1 problem", problems: [nasty] } }, "summary", { line: "changed", problems: [] }],
  trace: [
    trace,
    { trace: { name: nasty, state: "failed", line: "failed", error: nasty, notes: [nasty], end: "1 s", rows: [row()] } },
    "trace",
    { name: plain("changed"), state: "ok", line: "ok", error: [], notes: [], end: "1 s", rows: [] },
  ],
};

/**
 * @param {string} name
 * @param {any} [more]
 */
async function drawn(name, more = {}) {
  const [widget, state] = all[name] ?? [];
  const kernel = new Kernel(structuredClone({ ...state, ...more }));
  return { kernel, ...(await draw(widget, kernel)) };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

test.each(Object.keys(all))("%s makes no element out of text, and shows it", async (name) => {
  const { el } = await drawn(name);
  expect(el.querySelector("script, img")).toBeNull();
  expect(el.textContent).toContain("window.pwned=1");
  expect(el.querySelector(`[data-tooldeck=${name}]`)).not.toBeNull();
});

test("a run is steered and stopped once a kernel answers, and never by itself", async () => {
  const { el, kernel } = await drawn("run");
  const words = /** @type {HTMLInputElement} */ (el.querySelector("input"));
  const [send, stop] = /** @type {HTMLButtonElement[]} */ ([...el.querySelectorAll("form button")]);
  expect([words.disabled, send?.disabled, stop?.disabled]).toEqual([false, false, false]);
  send?.click();
  expect(kernel.of("steer")).toEqual([]);
  words.value = "in French";
  send?.click();
  expect(kernel.of("steer")).toEqual([{ type: "steer", text: "in French" }]);
  expect(words.value).toBe("");
  stop?.click();
  expect(kernel.of("stop")).toEqual([{ type: "stop" }]);
  expect(stop?.disabled).toBe(true);
});

test("a run without a kernel, or one that is over, takes no words", async () => {
  const dead = new Kernel({ run: story(), live: [] }, false);
  const { el, close } = await draw(run, dead);
  expect(el.querySelector("input")?.disabled).toBe(true);
  close();
  const over = await drawn("run", { run: story({ open: false }) });
  expect(over.el.querySelector("form")?.hidden).toBe(true);
});

test("a run that is over is drawn on one axis, and stays folded when that was done", async () => {
  const { el, kernel } = await drawn("run");
  const timeline = /** @type {HTMLDetailsElement} */ (el.querySelector(".td-run-timeline"));
  expect(timeline.hidden).toBe(true);
  const rows = [row({ kind: "reply" }), row({ kind: "failed", name: nasty })];
  const over = story({ open: false, timeline: { open: true, end: "1.0 s", rows } });
  kernel.set("run", over);
  expect([timeline.hidden, timeline.open]).toEqual([false, true]);
  expect(timeline.querySelectorAll("li.td-trace-row").length).toBe(2);
  timeline.open = false;
  kernel.set("run", { ...over, line: "again" });
  expect(timeline.open).toBe(false);
});

test("a run shows what is being written, and keeps a call unfolded while others come", async () => {
  const { el, kernel } = await drawn("run");
  const details = /** @type {HTMLDetailsElement} */ (el.querySelector("details"));
  details.open = true;
  kernel.set("live", plain("new words"));
  const next = called({ id: "call-2", state: "waiting", line: "asks you", trace: null });
  kernel.set("run", story({ entries: [...story().entries, next] }));
  expect(el.querySelector(".td-run-live")?.textContent).toBe("new words");
  expect(el.querySelector("details")?.open).toBe(true);
  expect(el.textContent).toContain("asks you");
  kernel.set("live", []);
  expect(el.querySelector(".td-run-live")?.hasAttribute("hidden")).toBe(true);
});

test("a picture among the results is drawn from its data, with its type as its name", async () => {
  const pictures = [{ mime: "image/png", data: "iVBORw0KGgo=" }];
  const { el } = await drawn("result", { results: [one({ pictures })] });
  const drawnPicture = el.querySelector("img");
  expect(drawnPicture?.getAttribute("src")).toBe("data:image/png;base64,iVBORw0KGgo=");
  expect(drawnPicture?.getAttribute("alt")).toBe("image/png");
});

test.each(Object.keys(all))("%s follows a change", async (name) => {
  const { el, kernel } = await drawn(name);
  const [, , key, value] = all[name] ?? [null, null, "", null];
  kernel.set(key, value);
  expect(el.textContent).toContain("changed");
  expect(el.textContent).not.toContain("window.pwned=1");
});

test.each(Object.keys(all))("%s leaves nothing behind when it is closed", async (name) => {
  const { kernel, close } = await drawn(name);
  close();
  expect(kernel.listening()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test.each(Object.keys(all))("%s keeps the notebook's shortcuts away from its controls", async (name) => {
  const { el } = await drawn(name);
  for (const control of el.querySelectorAll("a, button, input, select, summary, textarea, [tabindex]")) {
    expect(control.getAttribute("data-lm-suppress-shortcuts")).toBe("true");
  }
});

test("controls that somebody else draws within a card are kept as well, once they have the focus", async () => {
  const { close } = await drawn("card");
  const place = document.createElement("div");
  const button = document.createElement("button");
  place.className = "td-toolcard";
  place.append(button);
  document.body.append(place);
  button.focus();
  expect(button.hasAttribute("data-lm-suppress-shortcuts")).toBe(true);
  close();
});

test("a copy is what the form says, whatever is shown", async () => {
  const written = vi.fn(async () => {});
  vi.stubGlobal("navigator", { clipboard: { writeText: written } });
  const { el } = await drawn("block");
  el.querySelector("button")?.click();
  await Promise.resolve();
  await Promise.resolve();
  expect(written).toHaveBeenCalledWith("f()");
  expect(el.querySelector("[role=status]")?.textContent).toBe("copied");
});

test("a copy that the browser forbids says how else", async () => {
  vi.stubGlobal("navigator", {});
  const { el } = await drawn("block");
  el.querySelector("button")?.click();
  await Promise.resolve();
  expect(el.querySelector("[role=status]")?.textContent).toContain("select the text");
});

test("the token comes when a person asks for it, is copied without being shown, and can be hidden", async () => {
  const written = vi.fn(async () => {});
  vi.stubGlobal("navigator", { clipboard: { writeText: written } });
  const { el, kernel } = await drawn("serving");
  const press = (/** @type {string} */ name) =>
    [...el.querySelectorAll("button")].find((button) => button.textContent === name)?.click();
  const asked = () => kernel.of("token").length;
  press("Copy with token");
  expect(asked()).toBe(1);
  kernel.say({ type: "token", token: "s3cret" });
  expect(written).toHaveBeenCalledWith("Bearer s3cret");
  expect(el.textContent).not.toContain("s3cret");
  press("Show token");
  kernel.say({ type: "token", token: "s3cret" });
  expect(el.querySelector("pre")?.textContent).toBe("Bearer s3cret");
  press("Hide token");
  expect(el.textContent).not.toContain("s3cret");
});

test("the form of a block that a person chose stays chosen when the text changes", async () => {
  const forms = (/** @type {string} */ text) => [
    { label: "Python", text, shown: plain(text) },
    { label: "JSON", text: `j${text}`, shown: plain(`j${text}`) },
  ];
  const { el, kernel } = await drawn("block", { block: { name: "c", lengths: false, forms: forms("a") } });
  const select = /** @type {HTMLSelectElement} */ (el.querySelector("select"));
  select.selectedIndex = 1;
  select.dispatchEvent(new Event("change"));
  kernel.set("block", { name: "c", lengths: false, forms: forms("b") });
  expect(el.querySelector("pre")?.textContent).toBe("jb");
});

test("earlier results are closed, and one that was opened stays open when a new one comes", async () => {
  const { el, kernel } = await drawn("result", { single: false, results: [one()] });
  const details = /** @type {HTMLDetailsElement} */ (el.querySelector("details"));
  expect(details.open).toBe(false);
  details.open = true;
  details.dispatchEvent(new Event("toggle"));
  kernel.set("results", [one({ id: "call-2" }), one()]);
  expect([...el.querySelectorAll("details")].map((each) => each.open)).toEqual([false, true]);
});

test("a row of the trace opens on a click and says when it began", async () => {
  const { el } = await drawn("trace");
  const button = /** @type {HTMLButtonElement} */ (el.querySelector("li button"));
  const detail = el.querySelector(".td-trace-detail");
  expect(detail?.hasAttribute("hidden")).toBe(true);
  button.click();
  expect(detail?.hasAttribute("hidden")).toBe(false);
  expect(button.getAttribute("aria-expanded")).toBe("true");
  expect(/** @type {HTMLElement} */ (el.querySelector(".td-trace-bar")).style.left).toBe("25%");
});

test("a call is cancelled by one press, however often the button is pressed and the bar moves", async () => {
  const at = (/** @type {any} */ more) => ({ title: plain("demo: count"), share: 0.5, line: plain("2 of 4"), cancel: "offered", ...more });
  const kernel = new Kernel({ progress: at({}) });
  const { el } = await draw(progress, kernel);
  const button = /** @type {HTMLButtonElement} */ (el.querySelector("button"));
  expect(button.getAttribute("aria-label")).toBe("Cancel demo: count");
  kernel.set("progress", at({ share: null }));
  expect(el.querySelector("button")).toBe(button); // a press that begins before a report ends after it
  expect(el.querySelector("progress")?.hasAttribute("value")).toBe(false);
  button.click();
  button.click();
  expect(kernel.of("cancel")).toHaveLength(1);
  expect(button.disabled).toBe(true);
  kernel.set("progress", at({ cancel: "asked" }));
  expect(el.querySelector("[role=status]")?.textContent).toContain("told to stop");
  kernel.set("progress", at({ cancel: "", line: plain("2 of 4 · cancelled") }));
  expect(button.hidden).toBe(true);
  expect(el.textContent).toContain("2 of 4 · cancelled");
});

test("a call that nobody can cancel has no button to press", async () => {
  const { el } = await draw(progress, new Kernel({ progress: { title: [], share: 1, line: [], cancel: "" } }));
  expect(el.querySelector("button")?.hidden).toBe(true);
});

test("a dead session says why, shows its log and offers the way back", async () => {
  const { el, kernel } = await drawn("session");
  expect(el.querySelector("[role=alert]")?.textContent).toContain("window.pwned=1");
  const button = [...el.querySelectorAll("button")].find((each) => each.textContent === "Reconnect");
  button?.click();
  expect(kernel.of("reconnect")).toHaveLength(1);
  kernel.set("session", { ...kernel.state.session, busy: "reconnect" });
  expect([...el.querySelectorAll("button")].find((each) => each.textContent === "Reconnecting…")?.disabled).toBe(true);
});

test.each([
  ["server", "A server asks youshop", "Question of the MCP server shop"],
  ["model", "A model asks youshop", "Question of the model shop"],
  ["program", "You are asked byshop", "Question of shop"],
])("a question of a %s says who asks", async (kind, head, label) => {
  const question = { asker: plain("shop"), kind, tool: [], message: [], link: "", address: [], host: [], warnings: [] };
  const { el } = await drawn("question", { question });
  expect(el.querySelector(".td-question-head")?.textContent).toContain(head);
  expect(el.querySelector("section")?.getAttribute("aria-label")).toBe(label);
});

test("a page to visit is a link only when it is http", async () => {
  const at = (/** @type {string} */ link) => ({
    question: { asker: [], kind: "server", tool: [], message: [], link, address: plain(link), host: [], warnings: [] },
  });
  const good = await drawn("question", at("https://example.org/"));
  expect(good.el.querySelector("a")?.rel).toBe("noopener noreferrer");
  const bad = await drawn("question", at("javascript:alert(1)"));
  expect(bad.el.querySelector("a")).toBeNull();
  expect(bad.el.textContent).toContain("javascript:alert(1)");
});

test("a kept file is saved by a link, and only named where its bytes are not here", async () => {
  const files = [
    { line: plain("kept: a.html"), name: "a.html", data: "YQ==" },
    { line: plain("kept: huge"), name: "huge", data: "" },
  ];
  const kernel = new Kernel({ results: [one({ files })], single: true, empty: "" });
  const { el } = await draw(result, kernel);
  const links = [...el.querySelectorAll("a")];
  expect(links.map((link) => [link.download, link.getAttribute("href")])).toEqual([
    ["a.html", "data:application/octet-stream;base64,YQ=="],
  ]);
  expect(el.textContent).toContain("kept: huge");
});

test("an address that was pasted is sent once and stays nowhere on the page", async () => {
  const { el, kernel } = await drawn("signin");
  const field = /** @type {HTMLInputElement} */ (el.querySelector("input"));
  const enter = () => field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
  enter();
  field.value = "http://127.0.0.1:1/c?code=c0de";
  enter();
  expect(kernel.of("paste")).toEqual([{ type: "paste", address: "http://127.0.0.1:1/c?code=c0de" }]);
  expect(field.value).toBe("");
  kernel.set("trouble", plain("That is another address."));
  expect(el.querySelector("[role=alert]")?.textContent).toBe("That is another address.");
  [...el.querySelectorAll("button")].at(-1)?.click();
  expect(kernel.of("give up")).toHaveLength(1);
});

test("a page to sign in at is a link only when it is http", async () => {
  const { el } = await drawn("signin", {
    request: { server: [], link: "javascript:alert(1)", address: plain("javascript:alert(1)"), host: [], ends: "", listening: false, warnings: [] },
  });
  expect(el.querySelector("a")).toBeNull();
  expect(el.textContent).toContain("javascript:alert(1)");
});
