/// <reference types="vite/client" />
// Rules that hold for every module and style sheet.
import { expect, test } from "vitest";

/** @type {Record<string, string>} */
const found = import.meta.glob(["../*.js", "../*.css", "!../*.config.js"], {
  query: "?raw",
  import: "default",
  eager: true,
});
/** @type {Map<string, string>} */
const files = new Map(Object.entries(found).map(([path, text]) => [path.replace("../", ""), text]));
const read = (/** @type {string} */ name) => files.get(name) ?? "";
const modules = [...files.keys()].filter((name) => name.endsWith(".js"));
const sheets = [...files.keys()].filter((name) => name.endsWith(".css"));

test("there is something to look at", () => {
  expect(modules).toContain("approval.js");
  expect(read("kit.css")).toContain("--td-ink");
});

test.each(modules)("%s never parses text as HTML and never runs text", (name) => {
  expect(read(name)).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/);
});

test.each(modules)("%s imports only its neighbours, in the one form that can be joined", (name) => {
  for (const [line] of read(name).matchAll(/^import .*$/gm)) {
    expect(line).toMatch(/^import \{ [\w, ]+ \} from "\.\/[a-z-]+\.js";$/);
  }
});

test.each(sheets)("%s loads nothing", (name) => {
  expect(read(name)).not.toMatch(/@import|url\(/);
});

test.each(sheets.filter((name) => name !== "kit.css"))("%s outranks the shared sheet wherever it is loaded", (name) => {
  const text = read(name).replace(/\/\*[^]*?\*\//g, "").replace(/@keyframes[^]*?\n}\n/g, "");
  for (const [, selectors] of text.matchAll(/(?:^|[{}])\s*([^@{}]+?)\s*\{/g)) {
    for (const selector of (selectors ?? "").split(/,\s*(?![^(]*\))/)) expect(selector).toMatch(/^\.td(-form|-toolcard|-questioncard)?[ .]/);
  }
});
