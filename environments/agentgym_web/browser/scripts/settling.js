// When a page is quiet: loaded, no request under way, no timer due, no animation running.
//
// While a request runs, a virtual clock stands still: an answer takes none of the page's time, however long it takes in
// truth. So the same actions give the same pages. An answer that takes too long is not waited for again.

const channel = new MessageChannel();
const waiting = [];
channel.port1.onmessage = () => waiting.shift()?.();
const hop = () => new Promise((go) => { waiting.push(go); channel.port2.postMessage(0); });
// Where a document may run no scripts, as in a sandboxed frame, no timer runs here either.
const pause = (ms) => ("ran" in ask(document, {}) ? new Promise((go) => setTimeout(go, ms)) : hop());

const nextFrame = () => new Promise((go) => { requestAnimationFrame(go); setTimeout(go, 50); });

const STILL_MS = 1000;
const FRAME_MS = 50;
const MOST_TIMERS = 5000;
const DUE_MS = 120;
const endless = new WeakSet(); // documents that did not load in time, such as one that was opened and never closed
const focused = new WeakSet(); // documents whose field with autofocus had its turn
const settledSteps = new WeakMap(); // by document

// A look may be asked for while a click or a text is still on its way: it begins once the page has dealt with that. Where
// the page leaves by it, or it goes to a frame, the look is left to the harness, which then knows more.
const arrival = { awaited: "", came: false, leaves: false, wake: null };
const awaitInput = (kind) => Object.assign(arrival, { awaited: kind, came: false, leaves: false });
const released = () => { arrival.came = true; arrival.wake?.(); };
for (const kind of ["pointerup", "input"])
  addEventListener(kind, (event) => { if (event.isTrusted && kind === arrival.awaited) released(); }, true);
globalThis.navigation?.addEventListener("navigate", (event) => { if (!event.destination.sameDocument) arrival.leaves = true; });
const arrived = async (kind) => {
  if (arrival.awaited !== kind) return false;
  while (!arrival.came) await new Promise((go) => { arrival.wake = go; });
  arrival.awaited = "";
  await hop();
  return !arrival.leaves;
};

class Settling {
  constructor({ virtual, spanMs, limitMs, step, draws }) {
    this.draws = draws; // how many frames the harness will draw before it looks; undefined where they come by themselves
    this.wantsFrame = false;
    this.virtual = virtual;
    this.spanMs = spanMs;
    this.step = step;
    this.limitMs = limitMs;
    this.began = performance.now();
  }

  get passed() { return performance.now() - this.began; }
  get isOver() { return this.passed >= this.limitMs; }

  async nextFrame() {
    if (this.draws === undefined) await nextFrame();
    else this.wantsFrame = true;
  }

  async loaded() {
    await hop();
    this.documents = document.querySelector("iframe, frame") ? frames(document) : [document];
    const unloaded = () => this.documents.filter((doc) => doc.readyState !== "complete" && !endless.has(doc));
    while (unloaded().length && !this.isOver) {
      await pause(4);
      this.documents = frames(document);
    }
    for (const doc of unloaded()) endless.add(doc);
  }

  // A step moves a document's clock once, however often it is looked at.
  spanOf(doc) {
    if (this.step !== undefined && settledSteps.get(doc) === this.step) return 0;
    settledSteps.set(doc, this.step);
    return this.spanMs;
  }

  // A field with autofocus gets the focus only when a frame is drawn.
  async focusFirst() {
    for (const doc of this.documents) {
      if (focused.has(doc)) continue;
      focused.add(doc);
      if (doc.activeElement === doc.body && doc.querySelector("[autofocus]")) await this.nextFrame();
    }
  }

  async still(limitMs) {
    for (const doc of this.documents) while (ask(doc, {}).pending > 0 && this.passed < limitMs) await pause(1);
  }

  async runTimers(doc, spanMs, limitMs = this.limitMs) {
    let told = ask(doc, { span: spanMs });
    const until = told.end;
    for (let count = 0; told.more && count < MOST_TIMERS && this.passed < limitMs; count += 1) {
      await null;
      if (told.pending) await this.still(Math.min(STILL_MS, limitMs));
      told = ask(doc, { until });
      if (count % 50 === 49) await hop();
    }
    if (told.ran) await hop();
  }

  // The clock goes on by the step's span, and by a little after each answer.
  async runClock() {
    await this.still(Math.min(STILL_MS, this.limitMs));
    for (const doc of this.documents) await this.runTimers(doc, this.spanOf(doc));
    for (const doc of this.documents) {
      while (ask(doc, {}).pending > 0 && !this.isOver) {
        await this.still(Math.min(STILL_MS, this.limitMs));
        if (ask(doc, {}).pending > 0) await pause(2);
        await this.runTimers(doc, FRAME_MS);
      }
    }
  }

  // Real time is waited for while timers are due soon, requests run or elements change.
  async waitForQuiet() {
    let changes = 1;
    const watcher = new MutationObserver(() => { changes += 1; });
    for (const doc of this.documents) watcher.observe(doc, { subtree: true, childList: true, attributes: true, characterData: true });
    try {
      for (let quiet = 0; quiet < 2 && !this.isOver; ) {
        changes = 0;
        await pause(quiet ? 16 : 4);
        const told = this.documents.map((doc) => ask(doc, {}));
        const isWaiting = told.some((each) => each.pending > 0);
        const isDue = told.some((each) => each.due !== null && each.due < DUE_MS);
        quiet = isWaiting || isDue || changes ? 0 : quiet + 1;
        if (this.passed > this.limitMs / 2 && !isWaiting) break;
      }
    } finally {
      watcher.disconnect();
    }
  }

  async showImages() {
    for (const doc of this.documents) {
      const unfinished = () => [...doc.images].some((image) => !image.complete && image.loading !== "lazy");
      while (unfinished() && !this.isOver) await pause(4);
    }
  }

  async endAnimations() {
    let ended = false;
    for (const doc of this.documents)
      for (const animation of doc.getAnimations()) {
        const timing = animation.effect?.getComputedTiming();
        if (animation.playState === "running" && timing && timing.endTime !== Infinity) {
          animation.finish();
          ended = true;
        }
      }
    if (!ended) return;
    await this.nextFrame();
    if (this.virtual) for (const doc of this.documents) ask(doc, { span: 0 });
    await hop();
  }
}

// Whether a page hears of something, or shows something, only with the next frame.
const waitsForFrames = (doc) =>
  ask(doc, {}).seesFrames || doc.querySelector("[onscroll]") !== null ||
  doc.getAnimations().length > 0 || [...doc.images].some((image) => image.loading === "lazy" && !image.complete);

// Waits until the page is quiet, within a limit; whether a form was sent, whose page may be on its way, and whether a
// frame has to be drawn first.
const settle = async (options) => {
  const settling = new Settling(options);
  await settling.loaded();
  await settling.focusFirst();
  await (settling.virtual ? settling.runClock() : settling.waitForQuiet());
  await settling.showImages();
  if (settling.isOver) for (const doc of settling.documents) ask(doc, { forget: true });
  await settling.endAnimations();
  const isChanging = settling.documents.some((doc) => ask(doc, {}).transitions > 0);
  if (options.draws && (settling.wantsFrame || isChanging || (!options.drawn && settling.documents.some(waitsForFrames))))
    return { sent: false, draw: true };
  const sent = submitted !== null && !submitted.defaultPrevented;
  submitted = null;
  return { sent, draw: false };
};

// Until the frame after the next is drawn: a wheel scrolls only then.
const drawn = () => new Promise((go) => { requestAnimationFrame(() => requestAnimationFrame(go)); setTimeout(go, 200); });
