import { afterEach, beforeEach, expect, test, vi } from "vitest";

import widget from "../gauge.js";
import { draw, Kernel, NASTY, plain } from "./page.js";

/** @param {any} [more] */
const reading = (more = {}) => ({
  name: plain("fetch_page"),
  phase: "closed",
  failures: 0,
  threshold: 5,
  left: 0,
  recent: [],
  counted: "no calls yet",
  last: [],
  text: plain("fetch_page: closed, 0 of 5 failures"),
  ...more,
});

/**
 * @param {any} more
 * @param {boolean} [alive]
 */
async function gauge(more, alive = true) {
  const kernel = new Kernel({ reading: reading(more) }, alive);
  kernel.hello = { left: more.left ?? 0 };
  const { el, close } = await draw(widget, kernel);
  return { kernel, el, close };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

test("the arc is the share of failures", async () => {
  const { el } = await gauge({ failures: 2 });
  const [part, whole] = (el.querySelector(".td-gauge-failures")?.getAttribute("stroke-dasharray") ?? "").split(" ");
  expect(Number(part) / Number(whole)).toBeCloseTo(0.4);
  expect(el.textContent).toContain("closed, 2 of 5 failures");
});

test("an open breaker is a broken ring whose seconds run down", async () => {
  const { el } = await gauge({ phase: "open", failures: 5, left: 23, last: plain("timeout") });
  expect(el.querySelector(".td-gauge-open")).not.toBeNull();
  expect(el.textContent).toContain("open, probe in 23 s");
  expect(el.textContent).toContain("timeout");
  vi.advanceTimersByTime(3000);
  expect(el.querySelector(".td-gauge-left")?.textContent).toBe("20");
  vi.advanceTimersByTime(60000);
  expect(el.textContent).toContain("probe due");
});

test("a saved gauge without a kernel shows no seconds, since they are long over", async () => {
  const { el } = await gauge({ phase: "open", failures: 5, left: 23 }, false);
  expect(el.querySelector(".td-gauge-left")?.textContent).toBe("–");
  expect(el.textContent).not.toContain("23");
});

test("half-open shows one dot", async () => {
  const { el } = await gauge({ phase: "half-open", failures: 5 });
  expect(el.querySelectorAll(".td-gauge-probe")).toHaveLength(1);
  expect(el.textContent).toContain("half-open");
});

test("outcomes differ in height as well as in colour", async () => {
  const { el } = await gauge({ recent: ["ok", "failed", "refused", "ignored"] });
  const heights = [...el.querySelectorAll(".td-tick")].map((tick) => tick.getAttribute("height"));
  expect(new Set(heights).size).toBe(4);
});

test("a new reading is drawn at once", async () => {
  const { kernel, el } = await gauge({});
  kernel.set("reading", reading({ phase: "open", failures: 5, left: 9.5 }));
  expect(el.textContent).toContain("probe in 10 s");
});

test("the label tells everything, and names from outside stay text", async () => {
  const { el } = await gauge({ phase: "open", last: plain(NASTY), text: plain(NASTY) });
  expect(el.querySelector("[role=img]")?.getAttribute("aria-label")).toBe(NASTY);
  expect(el.querySelector("script, img")).toBeNull();
});

test("a closed view leaves nothing behind", async () => {
  const { kernel, close } = await gauge({ phase: "open" });
  close();
  expect(kernel.listening()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test("targets that have failed stand below, as text", async () => {
  const { el } = await gauge({ targets: [plain("bad.example: open, 5 of 5"), plain(`${NASTY}: closed, 1 of 5`)] });
  const lines = [...el.querySelectorAll(".td-gauge-targets li")].map((line) => line.textContent);
  expect(lines[0]).toBe("bad.example: open, 5 of 5");
  expect(lines[1]).toContain(": closed, 1 of 5");
  expect(el.querySelector(".td-gauge-targets script, .td-gauge-targets img")).toBeNull();
});

test("without failing targets there is no list", async () => {
  const { el } = await gauge({ targets: [] });
  expect(el.querySelector(".td-gauge-targets")).toBeNull();
});
