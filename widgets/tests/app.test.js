// The page of an MCP server: framed, heard only through its own frame, answered by the rules, never trusted.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import app from "../app.js";
import { draw, Kernel, NASTY, plain } from "./page.js";

const about = (/** @type {any} */ more = {}) => ({
  server: plain(NASTY),
  uri: plain("ui://clock/app.html"),
  text: plain(NASTY),
  loads: [],
  refused: [],
  said: [],
  logged: [],
  ...more,
});

/** @param {object} told */
async function packed(told) {
  const pipe = new CompressionStream("gzip");
  const writer = pipe.writable.getWriter();
  void writer.write(new TextEncoder().encode(JSON.stringify(told)));
  void writer.close();
  return new DataView(await new Response(pipe.readable).arrayBuffer());
}

/** @type {(() => void)[]} */
const closing = [];

/**
 * A card whose page has been sent, and what its frame is told.
 * @param {any} [more]
 */
async function shown(more = {}) {
  const kernel = new Kernel({ app: about(more) });
  const { el, close } = await draw(app, kernel);
  closing.push(close);
  await vi.waitFor(() => expect(kernel.of("open")).toHaveLength(1));
  const { view } = kernel.of("open")[0];
  const told = { version: "1", domains: {}, page: "<p>hi", input: { zone: "utc" }, result: { content: [] } };
  const buffer = await packed(told);
  for (const listener of [...kernel.heard("msg:custom")]) listener({ type: "page", view }, [buffer]);
  await vi.waitFor(() => expect(el.querySelector("iframe")).not.toBeNull());
  const frame = /** @type {HTMLIFrameElement} */ (el.querySelector("iframe"));
  const inside = /** @type {Window} */ (frame.contentWindow);
  /** @type {any[]} */
  const heard = [];
  vi.spyOn(inside, "postMessage").mockImplementation((/** @type {any} */ message) => void heard.push(message));
  const say = (/** @type {any} */ data, source = inside) => window.dispatchEvent(new MessageEvent("message", { data, source }));
  const ask = (/** @type {number | string} */ id, /** @type {string} */ method, /** @type {any} */ params = {}) =>
    say({ jsonrpc: "2.0", id, method, params });
  const tell = (/** @type {string} */ method, /** @type {any} */ params = {}) => say({ jsonrpc: "2.0", method, params });
  const reply = (/** @type {number | string} */ id) => heard.find((message) => message.id === id);
  const button = (/** @type {string} */ name) =>
    /** @type {HTMLButtonElement} */ ([...el.querySelectorAll("button")].find((one) => one.textContent === name));
  return { kernel, el, close, view, frame, heard, say, ask, tell, reply, button };
}

beforeEach(() => {
  document.body.replaceChildren();
  document.body.dataset["jpThemeLight"] = "true";
});
afterEach(() => {
  for (const close of closing.splice(0)) close();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("the frame may run scripts and nothing else, and the card says whose it is", async () => {
  const { el, frame } = await shown({ loads: [plain("https://a.example.com")], refused: [plain("http://b.example.com")] });
  expect(frame.getAttribute("sandbox")).toBe("allow-scripts");
  expect(frame.getAttribute("allow")).toBe("");
  expect(frame.getAttribute("srcdoc")).toBe("<p>hi");
  expect(el.textContent).toContain(`untrusted page of server ${NASTY}`);
  expect(el.textContent).toContain("It may reach https://a.example.com");
  expect(el.textContent).toContain("It may not reach http://b.example.com");
  expect(el.querySelector("img")).toBeNull();
});

test("without a kernel the result stands there as text and nothing runs", async () => {
  vi.useFakeTimers();
  const { el } = await draw(app, new Kernel({ app: about() }, false));
  vi.advanceTimersByTime(10_000);
  expect(el.querySelector("iframe")).toBeNull();
  expect(/** @type {HTMLDetailsElement | null} */ (el.querySelector("details:not([hidden])"))?.open).toBe(true);
  expect(el.textContent).toContain("its kernel is gone");
});

test("a page that cannot be had says why and can be asked for again", async () => {
  const kernel = new Kernel({ app: about() });
  const { el } = await draw(app, kernel);
  await vi.waitFor(() => expect(kernel.of("open")).toHaveLength(1));
  kernel.say({ type: "trouble", view: kernel.of("open")[0].view, why: plain(NASTY) });
  expect(el.querySelector("[role=alert]")?.textContent).toBe(NASTY);
  kernel.set("app", about({ said: [plain("more")] }));
  expect(el.querySelector("[role=alert]")?.textContent).toBe(NASTY);
  el.querySelector("button")?.click();
  expect(kernel.of("open")).toHaveLength(2);
});

test("a page is introduced, then told the input and the result, and again when it is loaded again", async () => {
  const { ask, tell, heard, reply } = await shown();
  tell("ui/notifications/initialized");
  for (const id of [1, "two"]) {
    ask(id, "ui/initialize", { protocolVersion: "2026-01-26" });
    expect(reply(id).result).toMatchObject({ protocolVersion: "2026-01-26", hostContext: { theme: "light" } });
    tell("ui/notifications/initialized");
    tell("ui/notifications/initialized");
  }
  const told = heard.filter((message) => message.method).map((message) => [message.method, message.params]);
  const once = [
    ["ui/notifications/tool-input", { arguments: { zone: "utc" } }],
    ["ui/notifications/tool-result", { content: [] }],
  ];
  expect(told).toEqual([...once, ...once, ...once]);
});

test("a page hears when the theme changes", async () => {
  const { ask, tell, heard } = await shown();
  ask(1, "ui/initialize");
  tell("ui/notifications/initialized");
  document.body.dataset["jpThemeLight"] = "false";
  await vi.waitFor(() =>
    expect(heard.at(-1)).toMatchObject({ method: "ui/notifications/host-context-changed", params: { theme: "dark" } }),
  );
});

test("what comes from any other window is not heard", async () => {
  const { say, kernel, heard } = await shown();
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a" } };
  say(call, window);
  window.dispatchEvent(new MessageEvent("message", { data: call, source: null }));
  expect(kernel.of("call")).toEqual([]);
  expect(heard).toEqual([]);
});

test("calls and reads go to the kernel, and each answer to the page under the id that it gave", async () => {
  const { ask, kernel, reply, view } = await shown();
  ask("a", "tools/call", { name: "set", arguments: { x: 1 }, view: "forged", type: "say" });
  ask(7, "resources/read", { uri: "clock://zones" });
  const [call] = kernel.of("call");
  const [read] = kernel.of("read");
  expect(call).toEqual({ type: "call", view, id: call.id, name: "set", arguments: { x: 1 } });
  expect(read).toEqual({ type: "read", view, id: read.id, uri: "clock://zones" });
  kernel.say({ type: "answer", view, id: read.id, reply: '{"result":{"contents":[]}}' });
  kernel.say({ type: "answer", view, id: call.id, reply: '{"error":{"code":-32000,"message":"no"}}' });
  kernel.say({ type: "answer", view, id: 999, reply: '{"result":{}}' });
  expect(reply(7).result).toEqual({ contents: [] });
  expect(reply("a").error.message).toBe("no");
});

test("an answer for a page that was stopped does not reach the one that is started next", async () => {
  const { ask, kernel, view, button, el } = await shown();
  ask(1, "tools/call", { name: "slow" });
  const [slow] = kernel.of("call");
  button("Stop").click();
  expect(el.querySelector("iframe")).toBeNull();
  button("Start").click();
  const next = /** @type {Window} */ (el.querySelector("iframe")?.contentWindow);
  const told = vi.spyOn(next, "postMessage");
  window.dispatchEvent(
    new MessageEvent("message", { data: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "other" } }, source: next }),
  );
  kernel.say({ type: "answer", view, id: slow.id, reply: '{"result":{}}' });
  expect(told).not.toHaveBeenCalled();
});

test.each(["sampling/createMessage", "tools/list", "ui/download-file", "constructor", ""])("the unknown method %j gets an error", async (method) => {
  const { ask, reply } = await shown();
  ask(1, method);
  expect(reply(1).error.code).toBe(-32601);
});

test("junk changes nothing", async () => {
  const { say, tell, kernel, heard, frame } = await shown();
  const before = kernel.sent.length;
  const loop = /** @type {any} */ ({});
  loop.self = loop;
  for (const junk of [null, undefined, 1, "x", [], {}, { jsonrpc: "2.0" }, { jsonrpc: "1.0", id: 1, method: "ping" }, { jsonrpc: "2.0", id: {}, method: "ping" }]) say(junk);
  tell("ui/notifications/size-changed", { height: "wide" });
  tell("ui/notifications/size-changed", { height: Infinity });
  say({ jsonrpc: "2.0", method: "ui/notifications/size-changed" });
  expect(heard).toEqual([]);
  expect(frame.style.height).toBe("");
  say({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a", arguments: loop } });
  say({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "a", arguments: { x: "y".repeat(1_100_000) } } });
  expect(heard.map((message) => message.error.message)).toEqual(Array(2).fill("That is no JSON, or too long."));
  expect(kernel.sent).toHaveLength(before);
});

test("a page that floods is stopped", async () => {
  const { tell, el, kernel } = await shown();
  const before = kernel.sent.length;
  vi.spyOn(performance, "now").mockReturnValue(performance.now());
  const flood = (/** @type {number} */ count) => {
    for (let number = 0; number < count; number += 1) tell("notifications/message", { level: "info", data: "x" });
  };
  flood(1_200);
  expect(el.querySelector("iframe")).not.toBeNull();
  flood(10);
  expect(el.querySelector("iframe")).toBeNull();
  expect(el.textContent).toContain("more messages than anybody can follow");
  expect(kernel.sent.length - before).toBe(200);
});

test("a page gets the height that it wants within limits, but not while something below it waits for a click", async () => {
  const { tell, ask, kernel, view, frame, button } = await shown();
  const wants = (/** @type {number} */ height) => tell("ui/notifications/size-changed", { height });
  wants(300.2);
  expect(frame.style.height).toBe("301px");
  wants(99_999);
  expect(frame.style.height).toBe("640px");
  wants(-5);
  expect(frame.style.height).toBe("40px");
  ask(1, "tools/call", { name: "a" });
  wants(200);
  expect(frame.style.height).toBe("40px");
  kernel.say({ type: "answer", view, id: kernel.of("call")[0].id, reply: '{"result":{}}' });
  expect(frame.style.height).toBe("200px");
  ask(2, "ui/open-link", { url: "https://example.com" });
  wants(100);
  expect(frame.style.height).toBe("200px");
  button("No").click();
  expect(frame.style.height).toBe("100px");
});

test("a link is opened only after the person has seen the whole address and said so", async () => {
  const opened = vi.spyOn(window, "open").mockReturnValue(null);
  const { ask, reply, button, el } = await shown();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  ask(1, "ui/open-link", { url: "https://example.com/?q=\u202e" });
  expect(el.textContent).toContain("https://example.com/?q=%E2%80%AE");
  button("Open").click();
  expect(opened).not.toHaveBeenCalled();
  ask(2, "ui/open-link", { url: "https://example.org" });
  expect(reply(2).error.message).toContain("has not answered");
  vi.advanceTimersByTime(1_000);
  button("Open").click();
  expect(opened).toHaveBeenCalledExactlyOnceWith("https://example.com/?q=%E2%80%AE", "_blank", "noopener,noreferrer");
  expect(reply(1).result).toEqual({});
  ask(3, "ui/open-link", { url: "https://example.org" });
  button("No").click();
  expect(reply(3).error.message).toContain("said no");
  expect(opened).toHaveBeenCalledTimes(1);
});

test.each(["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "vscode:x", "//x", "", null, { href: "https://x" }])("%j is no address to open", async (url) => {
  const { ask, reply, el } = await shown();
  ask(1, "ui/open-link", { url });
  expect(reply(1).error.message).toContain("no address of a web page");
  expect(el.querySelector(".td-app-asked")?.textContent).toBe("");
});

test("what a page says and logs goes to the kernel, and is drawn as text when that has looked at it", async () => {
  const { ask, tell, kernel, reply, view, el } = await shown();
  ask(1, "ui/message", { role: "user", content: [{ type: "text", text: NASTY }, { type: "image" }] });
  ask(2, "ui/message", { role: "user", content: [{ type: "image" }] });
  tell("notifications/message", { level: "error", data: { a: 1 } });
  tell("notifications/message", { level: NASTY, data: "plain" });
  expect(reply(1).result).toEqual({});
  expect(reply(2).error.message).toContain("needs text");
  expect(kernel.of("say")).toEqual([{ type: "say", view, text: NASTY }]);
  expect(kernel.of("log").map(({ text }) => text)).toEqual(['error: {"a":1}', "info: plain"]);
  kernel.set("app", about({ said: [plain(NASTY)], logged: [plain(NASTY)] }));
  expect(el.textContent).toContain(`It says: ${NASTY}`);
  expect(el.querySelectorAll("img, script")).toHaveLength(0);
});

test("a page may close itself, and the card stays", async () => {
  const { tell, el, button } = await shown();
  tell("ui/notifications/request-teardown");
  expect(el.querySelector("iframe")).toBeNull();
  expect(el.textContent).toContain("it has closed itself");
  expect(button("Start")).toBeDefined();
});

test("a view that closes leaves no listener behind", async () => {
  const { kernel, close, ask, frame } = await shown();
  close();
  expect(kernel.listening()).toBe(0);
  expect(frame.isConnected).toBe(false);
  const before = kernel.sent.length;
  ask(1, "tools/call", { name: "a" });
  expect(kernel.sent).toHaveLength(before);
});
