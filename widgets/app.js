// The page of an MCP server in a sandboxed frame: this is its host, as the MCP Apps extension calls that.
//
// The frame is two frames, see tooldeck/mcp/app_pages.py. The page in it is a stranger's: nothing that it says
// is taken from any other window, drawn as anything but text, or passed on faster than somebody can follow.

import { greet, h, outside, put, shape } from "./kit.js";

/** @typedef {import("./kit.js").Piece} Piece */

/**
 * @typedef {object} About
 * @property {Piece[]} server
 * @property {Piece[]} uri
 * @property {Piece[]} text the result, for those who do not see the page
 * @property {Piece[][]} loads the origins that the page may reach
 * @property {Piece[][]} refused those that it wants to reach and may not
 * @property {Piece[][]} said what it said to the person
 * @property {Piece[][]} logged the last lines of its log
 */

/** @typedef {{version: string, domains: object, page: string, input: object, result: object}} Told */

/** @typedef {{jsonrpc: "2.0", id?: string | number, method: string, params: Record<string, any>}} Message */

const VERSIONS = ["2026-01-26", "2025-11-21"];
const LEAST = 40;
const MOST = 640; // pixels; a higher page scrolls within
const BURST = 200;
const RATE = 50; // messages a second, on the whole
const PATIENCE = 1000; // messages too many, after which the page is stopped
const LONGEST = 1_000_000; // characters of one call
const MOST_SAID = 4_000; // characters of a message, and of a line of the log
const LEVELS = new Set(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]);
const READY = 600; // milliseconds until a question can be answered, so that no click is caught that was meant for the page

/** @type {import("@anywidget/types").Render<{app: About}>} */
function render({ model, el }) {
  const root = h("section", { class: "td td-panel td-app", "data-tooldeck": "app", role: "group", "aria-label": "App of an MCP server" });
  const head = h("div", { class: "td-app-head" });
  const place = h("div", { class: "td-app-place" });
  const asked = h("div", { class: "td-app-asked", role: "group", "aria-label": "a wish of the app" });
  const said = h("div", { class: "td-app-said" });
  const plain = h("details", { open: true });
  const log = h("details", { hidden: true });
  const view = Math.random().toString(36).slice(2);
  /** @type {Host | null} */
  let host = null;
  /** @type {Told | null} */
  let told = null;
  let wanted = false;
  let trouble = /** @type {Piece[]} */ ([]);
  let state = /** @type {import("./kit.js").State} */ ("off");
  let line = "waiting for the kernel";

  const draw = () => {
    const about = model.get("app");
    put(
      head,
      shape(state),
      h("span", {}, "untrusted page of server ", h("code", {}, outside(about.server))),
      h("code", { class: "td-quiet td-app-uri" }, outside(about.uri)),
      h("span", { class: "td-quiet", role: "status" }, line),
      h("span", { class: "td-spring" }),
      (told !== null || trouble.length > 0) &&
        h("button", { type: "button", class: "td-plain", onclick: host ? stop : start }, host ? "Stop" : "Start"),
    );
    put(
      said,
      trouble.length > 0 && h("p", { class: "td-app-trouble", role: "alert" }, h("code", {}, outside(trouble))),
      origins("It may reach ", about.loads),
      origins("It may not reach ", about.refused),
      ...about.said.map((one) => h("p", { class: "td-outside" }, h("span", { class: "td-quiet" }, "It says: "), h("code", {}, outside(one)))),
    );
    put(plain, h("summary", {}, "As text"), h("pre", { class: "td-box", tabindex: "0", "aria-label": "result as text" }, outside(about.text)));
    log.hidden = about.logged.length === 0;
    put(log, h("summary", {}, "Its log"), h("pre", { class: "td-box", tabindex: "0", "aria-label": "log of the page" }, ...about.logged.map((one) => h("div", {}, outside(one)))));
  };
  /**
   * @param {import("./kit.js").State} now
   * @param {string} words
   */
  const show = (now, words) => {
    state = now;
    line = words;
    draw();
  };
  /** @param {string} words */
  const end = (words) => {
    host?.close();
    host = null;
    put(place);
    put(asked);
    plain.open = true;
    show("off", words);
  };
  const stop = () => end("stopped");
  const open = () => {
    trouble = [];
    show("waiting", "being read");
    model.send({ type: "open", view });
  };
  const start = () => {
    if (told === null) return open();
    plain.open = false;
    host = new Host(told, { root, place, asked, view, send: (message) => model.send(message), end });
    show("running", "");
  };
  /**
   * @param {any} message
   * @param {DataView[]} buffers
   */
  const hear = async (message, buffers) => {
    if (message?.view !== view) return;
    if (message.type === "answer") host?.answered(message);
    else if (message.type === "trouble") {
      trouble = message.why;
      show("failed", "cannot be shown");
    } else if (message.type === "page" && told === null && buffers[0]) {
      told = JSON.parse(await unpacked(buffers[0]));
      if (root.isConnected) start();
    }
  };
  model.on("change:app", draw);
  model.on("msg:custom", hear);
  root.append(head, place, asked, said, log, plain);
  draw();
  el.append(root);
  const bye = greet(
    model,
    () => {
      if (!wanted) open();
      wanted = true;
    },
    () => wanted || show("off", "its kernel is gone: it does not run"),
  );
  return () => {
    bye();
    host?.close();
    model.off("change:app", draw);
    model.off("msg:custom", hear);
  };
}

/**
 * @param {string} words
 * @param {Piece[][]} names
 */
const origins = (words, names) =>
  names.length > 0 &&
  h("p", { class: "td-quiet" }, words, ...names.flatMap((one, index) => [index > 0 && ", ", h("code", {}, outside(one))]));

/**
 * A text that was packed by gzip.
 * @param {DataView} packed
 */
async function unpacked(packed) {
  const pipe = new DecompressionStream("gzip");
  const writer = pipe.writable.getWriter();
  const bytes = new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength);
  void writer.write(/** @type {Uint8Array<ArrayBuffer>} */ (bytes)).catch(() => {});
  void writer.close().catch(() => {});
  return await new Response(pipe.readable).text();
}

/**
 * @typedef {object} Around
 * @property {HTMLElement} root
 * @property {HTMLElement} place
 * @property {HTMLElement} asked
 * @property {string} view
 * @property {(message: object) => void} send
 * @property {(words: string) => void} end
 */

let wishes = 0; // so that the answer to a page that was stopped never reaches the one that is started next

class Host {
  /**
   * @param {Told} told
   * @param {Around} around
   */
  constructor(told, around) {
    this.told = told;
    this.around = around;
    this.begun = false;
    this.left = BURST;
    this.seen = performance.now();
    this.over = 0;
    this.height = 0; // pixels that the page wants; 0 while it says nothing
    /** @type {Map<number, string | number>} calls under way, with the page's own ids of them */
    this.calls = new Map();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.frame = h("iframe", {
      class: "td-app-frame",
      sandbox: "allow-scripts",
      allow: "",
      referrerpolicy: "no-referrer",
      title: "app of an MCP server",
      srcdoc: told.page,
    });
    this.hear = (/** @type {MessageEvent} */ event) => {
      if (event.source !== null && event.source === this.frame.contentWindow) this.took(event.data);
    };
    window.addEventListener("message", this.hear);
    this.themes = new MutationObserver(() => this.begun && this.tell("ui/notifications/host-context-changed", look(around.root)));
    this.themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
    put(around.place, this.frame);
  }

  /** Give the page its height, unless something below it waits for a click: that must not move under the pointer. */
  fit() {
    if (this.height === 0 || this.calls.size > 0 || this.around.asked.firstChild !== null) return;
    this.frame.style.height = `${Math.min(MOST, Math.max(LEAST, Math.ceil(this.height)))}px`;
  }

  close() {
    if (this.begun) this.post({ id: "teardown", method: "ui/resource-teardown", params: { reason: "it is closed" } });
    clearTimeout(this.timer);
    this.themes.disconnect();
    window.removeEventListener("message", this.hear);
    this.frame.remove();
  }

  /** @param {object} message */
  post(message) {
    // Its origin is opaque: there is none to name, and nobody but the page is in the frame.
    this.frame.contentWindow?.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  /**
   * @param {string} method
   * @param {object} params
   */
  tell(method, params) {
    this.post({ method, params });
  }

  /**
   * @param {string | number} id
   * @param {string} message
   * @param {number} [code]
   */
  refuse(id, message, code = -32000) {
    this.post({ id, error: { code, message } });
  }

  /** Whether one more message can be taken; ends a page that floods. */
  hasRoom() {
    const now = performance.now();
    this.left = Math.min(BURST, this.left + ((now - this.seen) * RATE) / 1000);
    this.seen = now;
    if (this.left >= 1) {
      this.left -= 1;
      return true;
    }
    this.over += 1;
    if (this.over > PATIENCE) this.around.end("stopped: it sent more messages than anybody can follow");
    return false;
  }

  /** @param {unknown} data */
  took(data) {
    if (!this.hasRoom()) return;
    const { jsonrpc, id, method, params } = /** @type {Record<string, unknown>} */ (Object(data));
    if (jsonrpc !== "2.0" || typeof method !== "string") return;
    const given = /** @type {Record<string, any>} */ (Object(params));
    if (id === undefined) this.noted(method, given);
    else if (typeof id === "string" || typeof id === "number") this.requested(id, method, given);
  }

  /**
   * @param {string} method
   * @param {Record<string, any>} params
   */
  noted(method, params) {
    if (method === "ui/notifications/initialized" && !this.begun) {
      this.begun = true;
      this.tell("ui/notifications/tool-input", { arguments: this.told.input });
      this.tell("ui/notifications/tool-result", this.told.result);
    } else if (method === "ui/notifications/size-changed" && Number.isFinite(params["height"])) {
      this.height = params["height"];
      this.fit();
    } else if (method === "notifications/message") {
      const level = LEVELS.has(params["level"]) ? params["level"] : "info";
      const text = typeof params["data"] === "string" ? params["data"] : json(params["data"]);
      this.around.send({ type: "log", view: this.around.view, text: `${level}: ${text.slice(0, MOST_SAID)}` });
    } else if (method === "ui/notifications/request-teardown") {
      this.around.end("it has closed itself");
    }
  }

  /**
   * @param {string | number} id
   * @param {string} method
   * @param {Record<string, any>} params
   */
  requested(id, method, params) {
    if (method === "ui/initialize") {
      this.begun = false; // it may begin anew: a frame that a notebook takes off the screen is loaded again
      this.post({ id, result: this.introduced(params["protocolVersion"]) });
    }
    else if (method === "ping") this.post({ id, result: {} });
    else if (method === "ui/request-display-mode") this.post({ id, result: { mode: "inline" } });
    else if (method === "ui/message") this.say(id, params["content"]);
    else if (method === "ui/open-link") this.ask(id, params["url"]);
    else if (method === "tools/call") this.wish(id, "call", { name: params["name"], arguments: params["arguments"] });
    else if (method === "resources/read") this.wish(id, "read", { uri: params["uri"] });
    else this.refuse(id, "This host has no such method.", -32601);
  }

  /** @param {unknown} version */
  introduced(version) {
    return {
      protocolVersion: VERSIONS.find((one) => one === version) ?? VERSIONS[0],
      hostInfo: { name: "tooldeck", version: this.told.version },
      hostCapabilities: { openLinks: {}, serverTools: {}, serverResources: {}, logging: {}, message: { text: {} }, sandbox: { csp: this.told.domains } },
      hostContext: {
        ...look(this.around.root),
        displayMode: "inline",
        availableDisplayModes: ["inline"],
        containerDimensions: { width: this.around.place.clientWidth, maxHeight: MOST },
        platform: "web",
        userAgent: "tooldeck",
        locale: navigator.language,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      },
    };
  }

  /**
   * A message for the conversation, of which a notebook has none: the person reads it.
   * @param {string | number} id
   * @param {unknown} content
   */
  say(id, content) {
    const blocks = Array.isArray(content) ? content : [content];
    const text = blocks.map((block) => (typeof block?.text === "string" ? block.text : "")).join("\n").trim();
    if (text === "") return this.refuse(id, "A message needs text.");
    this.around.send({ type: "say", view: this.around.view, text: text.slice(0, MOST_SAID) });
    this.post({ id, result: {} });
  }

  /**
   * Something that the kernel does, by the deck's rules.
   * @param {string | number} id
   * @param {"call" | "read"} type
   * @param {object} params
   */
  wish(id, type, params) {
    const text = json(params);
    if (text === "" || text.length > LONGEST) return this.refuse(id, "That is no JSON, or too long.");
    wishes += 1;
    this.calls.set(wishes, id);
    this.around.send({ ...JSON.parse(text), type, view: this.around.view, id: wishes });
  }

  /** @param {{id: number, reply: string}} message */
  answered({ id, reply }) {
    const asked = this.calls.get(id);
    if (asked === undefined) return;
    this.calls.delete(id);
    this.post({ id: asked, ...JSON.parse(reply) });
    this.fit();
  }

  /**
   * Ask the person before anything is opened: below the frame, so that nothing moves under the pointer.
   * @param {string | number} id
   * @param {unknown} address
   */
  ask(id, address) {
    const { asked } = this.around;
    const url = typeof address === "string" && URL.canParse(address) ? new URL(address) : null;
    if (url === null || !/^https?:$/.test(url.protocol)) return this.refuse(id, "That is no address of a web page.");
    if (asked.firstChild !== null) return this.refuse(id, "The person has not answered the last wish yet.");
    const done = (/** @type {object} */ reply) => () => {
      put(asked);
      this.post({ id, ...reply });
      this.fit();
    };
    const no = h("button", { type: "button", onclick: done({ error: { code: -32000, message: "The person said no." } }) }, "No");
    const open = done({ result: {} });
    const yes = h("button", { type: "button", disabled: true, onclick: () => (window.open(url.href, "_blank", "noopener,noreferrer"), open()) }, "Open");
    put(asked, h("p", {}, "The app wants to open a page. Whatever it knows may be in the address."), h("pre", { class: "td-box", tabindex: "0", "aria-label": "the page" }, url.href), no, " ", yes);
    this.timer = setTimeout(() => (yes.disabled = false), READY);
  }
}

/**
 * JSON of what a page gave; empty where it is none, as loops and BigInts are not.
 * @param {unknown} given
 */
function json(given) {
  try {
    return JSON.stringify(given) ?? "";
  } catch {
    return "";
  }
}

/**
 * How things look around the page.
 * @param {HTMLElement} root
 */
function look(root) {
  const light = document.body.dataset["jpThemeLight"];
  const dark = light === undefined ? globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches : light !== "true";
  const style = getComputedStyle(root);
  /** @type {Record<string, string>} */
  const variables = {};
  for (const [name, ours] of Object.entries(COLOURS)) {
    const value = style.getPropertyValue(ours).trim();
    if (value) variables[name] = value;
  }
  return { theme: dark ? "dark" : "light", styles: { variables } };
}

/** The extension's names of what our style sheet calls otherwise. */
const COLOURS = {
  "--color-background-primary": "--td-bg",
  "--color-background-secondary": "--td-bg-2",
  "--color-text-primary": "--td-ink",
  "--color-text-secondary": "--td-ink-2",
  "--color-text-danger": "--td-error",
  "--color-text-success": "--td-ok",
  "--color-text-warning": "--td-warn",
  "--color-border-primary": "--td-line",
  "--color-border-secondary": "--td-line-2",
  "--color-ring-primary": "--td-brand",
  "--font-sans": "font-family",
  "--font-mono": "--td-code",
};

export default { render };
