// Front-end tests run in jsdom; a test that hangs is a failed test.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { environment: "jsdom", include: ["tests/*.test.js"], css: true, testTimeout: 5000, restoreMocks: true },
});
