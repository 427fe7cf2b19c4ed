// The approval card: one question to a person, everything the call would do in full, and the answer.

import { change, controls, headline, plain } from "./approval-parts.js";
import { clock, greet, h, outside, put, shape } from "./kit.js";

/** @typedef {import("./kit.js").Piece} Piece */

/** @typedef {import("./approval-parts.js").Facts} Facts */

/** @typedef {"waiting" | "approved" | "denied" | "interrupted" | "timed out"} Phase */

/** @typedef {{question: Facts, phase: Phase, summary: Piece[], place: string}} Model */

/** @type {Record<Phase, import("./kit.js").State>} */
const SHAPE = {
  waiting: "waiting",
  approved: "ok",
  denied: "refused",
  interrupted: "off",
  "timed out": "refused",
};

/** Milliseconds for which a new card takes no approval, so that a click meant for something else is lost. */
export const ARMING = 400;

/** Milliseconds after which an unanswered click means that no kernel is there. */
export const PATIENCE = 4000;

/** @type {import("@anywidget/types").Render<Model>} */
function render({ model, el }) {
  const view = new ApprovalView(model);
  el.append(view.root);
  return () => view.close();
}

class ApprovalView {
  /** @param {import("@anywidget/types").AnyModel<Model>} model */
  constructor(model) {
    this.model = model;
    this.facts = model.get("question");
    this.heard = false;
    this.armed = false;
    this.sent = false;
    this.pressed = false;
    /** @type {HTMLElement | null} */
    this.cell = null;
    this.escaping = false;
    /** @type {boolean | null} null while a check is under way */
    this.fits = true;
    this.serial = 0;
    /** @type {number | null} */
    this.deadline = null;
    /** @type {Set<ReturnType<typeof setTimeout>>} */
    this.timers = new Set();
    this.root = h("section", {
      class: "td td-panel td-approval",
      "data-tooldeck": "approval",
      role: "group",
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
    });
    this.ui = controls(this.facts, {
      deny: () => this.answer(false),
      stop: () => this.answer(false, true),
      approve: () => this.answer(true),
      note: () => this.openNote(),
      edit: () => this.toggleEditor(),
      edited: () => this.edited(),
    });
    this.changed = () => this.draw();
    this.message = (/** @type {any} */ message) => this.hear(message);
    model.on("change:phase", this.changed);
    model.on("change:place", this.changed);
    model.on("msg:custom", this.message);
    this.later(ARMING, () => this.arm());
    this.ticking = setInterval(() => this.tick(), 500);
    this.draw();
    this.stop = greet(
      model,
      (hello) => this.hello(hello),
      () => this.stale("Nobody answers: no kernel waits for this card now, so its buttons do nothing."),
      PATIENCE,
    );
  }

  close() {
    // A notebook puts the stored story in the place of the card: its keys shall work on.
    if (this.root.contains(document.activeElement) || this.leftAlone()) this.cell?.focus();
    this.stop();
    clearInterval(this.ticking);
    for (const timer of this.timers) clearTimeout(timer);
    this.model.off("change:phase", this.changed);
    this.model.off("change:place", this.changed);
    this.model.off("msg:custom", this.message);
  }

  /**
   * @param {number} milliseconds
   * @param {() => void} action
   */
  later(milliseconds, action) {
    this.timers.add(setTimeout(action, milliseconds));
  }

  /** Bring everything that changes up to date. */
  draw() {
    const phase = this.model.get("phase");
    if (phase !== "waiting") {
      this.collapse(phase);
      return;
    }
    put(this.ui.head, ...headline(this.facts, this.model.get("place")), this.ui.time);
    this.root.setAttribute("aria-label", `Approval needed for ${plain(this.facts.tool)}`);
    this.root.dataset["phase"] = phase;
    this.enable();
    if (!this.ui.body.parentNode) put(this.root, this.ui.head, this.ui.body, this.ui.bar);
  }

  enable() {
    const live = this.heard && !this.sent;
    const open = !this.ui.editor.hidden;
    const { deny, noting, stop, editing, scope } = this.ui;
    for (const control of [deny, noting, stop, editing, scope]) control.disabled = !live;
    for (const control of this.ui.note.querySelectorAll("button")) control.disabled = !live;
    this.ui.approve.disabled = !live || !this.armed || (open && this.fits !== true);
    this.ui.approve.textContent = open ? "Approve edited" : "Approve";
    this.ui.editing.textContent = open ? "Drop the edit" : "Edit arguments";
    this.ui.editing.setAttribute("aria-expanded", String(open));
    this.ui.noting.setAttribute("aria-expanded", String(!this.ui.note.hidden));
  }

  /** @param {Phase} phase */
  collapse(phase) {
    const focused = this.root.contains(document.activeElement) || this.leftAlone();
    const line = h(
      "summary",
      {},
      shape(SHAPE[phase]),
      h("span", {}, outside(this.model.get("summary"))),
    );
    this.root.dataset["phase"] = phase;
    this.root.setAttribute("aria-label", `Approval of ${plain(this.facts.tool)}: ${phase}`);
    clearInterval(this.ticking);
    const edited = phase === "approved" && this.sent && !this.ui.editor.hidden;
    this.ui.editor.hidden = !edited;
    this.ui.asked.hidden = edited;
    this.ui.json.readOnly = true;
    this.ui.note.hidden = true;
    this.ui.say.textContent = "";
    put(this.root, h("details", {}, line, this.ui.body), this.ui.say);
    if (focused) line.focus();
  }

  /** Whether the focus was here until the answer was sent: a browser takes it from a button that is disabled. */
  leftAlone() {
    return this.pressed && document.activeElement === document.body;
  }

  arm() {
    this.armed = true;
    this.enable();
  }

  /** @param {{left?: number | null}} message */
  hello({ left }) {
    this.heard = true;
    this.deadline = typeof left === "number" ? performance.now() + left * 1000 : null;
    if (this.model.get("phase") === "waiting") {
      this.root.classList.remove("td-approval-stale");
      if (!this.sent) this.ui.say.textContent = "";
      this.tick();
      this.enable();
    }
  }

  /** @param {string} reason */
  stale(reason) {
    if (this.model.get("phase") !== "waiting") return;
    this.heard = false;
    this.root.classList.add("td-approval-stale");
    this.ui.say.textContent = reason;
    this.enable();
  }

  tick() {
    if (this.deadline === null) return;
    const left = (this.deadline - performance.now()) / 1000;
    this.ui.time.textContent = clock(left);
  }

  /** @param {any} message */
  hear(message) {
    if (message?.request !== undefined && message.request !== this.facts.request) return;
    if (message?.type === "late") {
      this.ui.say.textContent = message.text;
    } else if (message?.type === "checked" && message.serial === this.serial) {
      this.checked(message.problems, message.preview ?? null);
    }
  }

  /**
   * @param {boolean} approve
   * @param {boolean} [stop] whether the run ends here
   */
  answer(approve, stop = false) {
    if (!this.heard || this.sent || this.model.get("phase") !== "waiting") return;
    if (approve && this.ui.approve.disabled) return;
    this.sent = true;
    this.pressed = this.root.contains(document.activeElement);
    this.cell = this.root.closest(".jp-Cell");
    this.escaping = false;
    const edited = approve && !this.ui.editor.hidden ? this.ui.json.value : null;
    if (edited !== null) this.serial += 1;
    this.model.send({
      type: "answer",
      request: this.facts.request,
      approve,
      stop,
      scope: this.ui.scope.value,
      note: approve ? "" : this.ui.words.value,
      edited,
      serial: this.serial,
    });
    this.ui.say.textContent = "sent …";
    this.enable();
    this.later(PATIENCE, () => {
      if (this.sent) this.stale("The kernel took no answer: it is busy, or it was restarted and the question is gone.");
    });
  }

  openNote() {
    this.ui.note.hidden = !this.ui.note.hidden;
    this.enable();
    if (!this.ui.note.hidden) this.ui.words.focus();
  }

  toggleEditor() {
    this.ui.editor.hidden = !this.ui.editor.hidden;
    this.ui.asked.hidden = !this.ui.editor.hidden;
    this.fits = true;
    if (!this.ui.editor.hidden) this.ui.json.focus();
    else this.ui.editing.focus();
    this.ui.json.value = this.facts.editable ?? "";
    put(this.ui.problems);
    put(this.ui.foreseen);
    this.enable();
  }

  edited() {
    this.fits = null;
    put(this.ui.foreseen);
    this.serial += 1;
    const serial = this.serial;
    this.enable();
    this.later(200, () => {
      if (serial !== this.serial) return;
      put(this.ui.foreseen, h("p", { class: "td-quiet" }, "checking …"));
      this.model.send({ type: "check", request: this.facts.request, text: this.ui.json.value, serial });
    });
  }

  /**
   * @param {Piece[][]} problems
   * @param {import("./approval-parts.js").Preview | null} preview what the edited call would change
   */
  checked(problems, preview) {
    this.fits = problems.length === 0;
    if (this.sent) {
      this.ui.say.textContent = this.fits
        ? "Not sent yet: look at what it would change now, then approve."
        : "Not sent: the edited arguments do not fit.";
    }
    this.sent = false;
    put(this.ui.foreseen, preview !== null && change(preview));
    put(
      this.ui.problems,
      ...problems.map((problem) => h("li", {}, shape("failed"), " ", h("code", {}, outside(problem)))),
    );
    this.enable();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (this.model.get("phase") !== "waiting" || !this.heard) return;
    if (event.key !== "Escape") {
      if (this.escaping) this.ui.say.textContent = "";
      this.escaping = false;
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (!this.ui.note.hidden) {
      this.openNote();
      this.ui.noting.focus();
    } else if (!this.ui.editor.hidden) {
      this.toggleEditor();
    } else if (this.escaping || this.facts.harmless) {
      this.answer(false);
    } else {
      this.escaping = true;
      this.ui.say.textContent = "Press Escape once more to deny.";
    }
  }
}

export default { render };
