// A stand-in for the notebook: a model that keeps what a widget sends and plays the kernel's part.

/** @typedef {Record<string, any>} State */

export class Kernel {
  /**
   * @param {State} state
   * @param {boolean} [alive] whether a kernel answers the greeting
   */
  constructor(state, alive = true) {
    this.state = state;
    this.alive = alive;
    /** @type {any} */
    this.hello = { left: null };
    /** @type {any[]} */
    this.sent = [];
    /** @type {Map<string, Set<Function>>} */
    this.listeners = new Map();
    /** @type {any} */
    this.model = {
      get: (/** @type {string} */ key) => this.state[key],
      set: () => {
        throw new Error("a page must not set state");
      },
      save_changes: () => {},
      send: (/** @type {any} */ content) => this.take(content),
      on: (/** @type {string} */ name, /** @type {Function} */ listener) => this.heard(name).add(listener),
      off: (/** @type {string} */ name, /** @type {Function} */ listener) => this.heard(name).delete(listener),
    };
  }

  /** @param {string} name */
  heard(name) {
    const listeners = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, listeners);
    return listeners;
  }

  /** @param {any} content */
  take(content) {
    this.sent.push(content);
    if (content.type === "ready" && this.alive) queueMicrotask(() => this.say({ type: "hello", ...this.hello }));
  }

  /** @param {any} content */
  say(content) {
    for (const listener of [...this.heard("msg:custom")]) listener(content, []);
  }

  /**
   * @param {string} key
   * @param {any} value
   */
  set(key, value) {
    this.state[key] = value;
    for (const listener of [...this.heard(`change:${key}`)]) listener();
  }

  /** @param {string} type */
  of(type) {
    return this.sent.filter((content) => content.type === type);
  }

  listening() {
    return [...this.listeners.values()].reduce((sum, listeners) => sum + listeners.size, 0);
  }
}

/**
 * Put a widget on the page.
 * @param {any} widget
 * @param {Kernel} kernel
 */
export async function draw(widget, kernel) {
  const el = document.createElement("div");
  document.body.append(el);
  const close = await widget.render({ model: kernel.model, el });
  await Promise.resolve();
  await Promise.resolve();
  return { el, close };
}

export const NASTY = "<script>window.pwned=1</script><img src=x onerror='window.pwned=1'>";

/**
 * @param {string} text
 * @returns {[string, boolean][]}
 */
export const plain = (text) => [[text, false]];
