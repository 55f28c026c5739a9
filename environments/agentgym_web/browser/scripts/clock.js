// Runs in the page's own world before the page's scripts, in every frame: the page's clock, its unfinished requests,
// and which elements listen for clicks. Our other scripts, in a world of their own, ask it by events of a secret name.
((SECRET, VIRTUAL, START_MS, SEED) => {
  const define = (owner, name, value) =>
    Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: owner === window });
  const real = {
    setTimeout: window.setTimeout.bind(window),
    clearTimeout: window.clearTimeout.bind(window),
    now: performance.now.bind(performance),
  };
  // Kept from before the page's scripts, which may put their own in place and read the secret name there.
  const { CustomEvent, Event } = window;
  const apply = Reflect.apply;
  const dispatch = EventTarget.prototype.dispatchEvent;
  const getter = (owner, name) => Object.getOwnPropertyDescriptor(owner, name).get;
  const detail = getter(CustomEvent.prototype, "detail");
  const type = getter(Event.prototype, "type");
  const startsWith = String.prototype.startsWith;
  const evaluate = window.eval;
  // A timer's function runs within an event of ours, which is nobody else's business.
  const present = Object.getOwnPropertyDescriptor(window, "event");
  Object.defineProperty(window, "event", {
    ...present,
    get() {
      const event = apply(present.get, window, []);
      return event && apply(startsWith, apply(type, event, []), [SECRET]) ? undefined : event;
    },
  });
  const pending = new Set(); // requests, and readings of their bodies, that a page's quiet waits for
  let now = 0; // virtual milliseconds since the document began
  let ran = 0;
  let reads = 0; // of the clock since it last went on
  const MOST_READS = 100_000;
  let inTimer = false; // whether a timer's function runs now

  // Clicks: elements that listen without looking as if they did.
  const clicking = new Set(["click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "dblclick"]);
  let listening = [];
  let seesFrames = false; // whether the page hears of scrolls, sizes or what comes into sight, which frames tell
  const listen = EventTarget.prototype.addEventListener;
  define(EventTarget.prototype, "addEventListener", function addEventListener(type, ...rest) {
    if (type === "scroll" || type === "scrollend") seesFrames = true;
    if (clicking.has(type) && this instanceof Element && this !== document.body && this !== document.documentElement)
      listening.push(new WeakRef(this));
    return listen.call(this, type, ...rest);
  });
  for (const name of ["onclick", "onmousedown", "onmouseup", "onpointerdown", "ontouchstart", "ondblclick"]) {
    const found = Object.getOwnPropertyDescriptor(HTMLElement.prototype, name);
    const drawn = Object.getOwnPropertyDescriptor(SVGElement.prototype, name);
    for (const [owner, handler] of [[HTMLElement.prototype, found], [SVGElement.prototype, drawn]])
      if (handler)
        Object.defineProperty(owner, name, {
          ...handler,
          set(value) {
            if (value && this !== document.body) listening.push(new WeakRef(this));
            handler.set.call(this, value);
          },
        });
  }

  for (const watcher of [window.IntersectionObserver, window.ResizeObserver]) {
    const watch = watcher.prototype.observe;
    define(watcher.prototype, "observe", function observe(...args) {
      seesFrames = true;
      return watch.apply(this, args);
    });
  }
  let transitions = 0; // views that change with the next frames
  const startTransition = Document.prototype.startViewTransition;
  if (startTransition) define(Document.prototype, "startViewTransition", function startViewTransition(...args) {
    const transition = startTransition.apply(this, args);
    transitions += 1;
    const over = () => { transitions -= 1; };
    apply(Promise.prototype.then, transition.updateCallbackDone, [over, over]);
    return transition;
  });
  for (const owner of [window, Document.prototype, HTMLElement.prototype, HTMLBodyElement.prototype]) {
    const found = Object.getOwnPropertyDescriptor(owner, "onscroll");
    Object.defineProperty(owner, "onscroll", {
      ...found,
      set(value) {
        seesFrames = true;
        found.set.call(this, value);
      },
    });
  }

  // Shadow trees are opened, so that they can be observed.
  const attachShadow = Element.prototype.attachShadow;
  define(Element.prototype, "attachShadow", function (options) {
    return attachShadow.call(this, { ...options, mode: "open" });
  });

  // Requests.
  // What a page does with an answer comes in the same turn of the event loop as the answer; it may read the body, or ask again.
  const then = Promise.prototype.then;
  const awaited = (reply) => {
    const request = {};
    pending.add(request);
    const over = () => { real.setTimeout(() => { pending.delete(request); }, 0); };
    apply(then, reply, [over, over]);
    return reply;
  };
  const fetchReal = window.fetch;
  if (fetchReal) define(window, "fetch", function fetch(...args) { return awaited(apply(fetchReal, this, args)); });
  for (const name of ["arrayBuffer", "blob", "bytes", "formData", "json", "text"]) {
    const read = Response.prototype[name];
    if (read) define(Response.prototype, name, function () { return awaited(apply(read, this, [])); });
  }
  const send = XMLHttpRequest.prototype.send;
  define(XMLHttpRequest.prototype, "send", function (...args) {
    const request = {};
    pending.add(request);
    listen.call(this, "loadend", () => { pending.delete(request); }, { once: true });
    try {
      return send.apply(this, args);
    } catch (error) {
      pending.delete(request);
      throw error;
    }
  });
  define(window, "print", () => {});

  const timers = new Map();
  let count = 0;
  const call = (timer) => {
    if (typeof timer.f === "function") timer.f.apply(window, timer.args);
    else (0, eval)(String(timer.f));
  };

  if (VIRTUAL) {
    const add = (f, ms, args, every, kind) => {
      count += 1;
      // Twenty frames a second are enough for an animation that nobody watches.
      const least = every || inTimer ? FRAME_MS : 1;
      const wait = Math.max(least, Math.min(Number(ms) || 0, 2 ** 31));
      const at = kind === "frame" ? (Math.floor(now / FRAME_MS) + 1) * FRAME_MS : now + wait;
      timers.set(count, { f, args, at, order: count, every: every ? wait : 0, kind });
      return count;
    };
    const FRAME_MS = 50;
    const remove = (id) => { timers.delete(Number(id)); };
    define(window, "setTimeout", function setTimeout(f, ms, ...args) { return add(f, ms, args, false, "timeout"); });
    define(window, "setInterval", function setInterval(f, ms, ...args) { return add(f, ms, args, true, "timeout"); });
    define(window, "clearTimeout", remove);
    define(window, "clearInterval", remove);
    define(window, "requestAnimationFrame", function requestAnimationFrame(f) { return add(f, 0, [], false, "frame"); });
    define(window, "cancelAnimationFrame", remove);
    define(window, "requestIdleCallback", function requestIdleCallback(f) {
      return add(f, 1, [{ didTimeout: false, timeRemaining: () => 10 }], false, "timeout");
    });
    define(window, "cancelIdleCallback", remove);
    // A script that waits by reading the clock until some time has passed would never end if the clock stood still.
    const read = () => {
      reads += 1;
      if (reads > MOST_READS) now += 1;
      return now;
    };
    define(performance, "now", read);

    const RealDate = Date;
    const current = () => START_MS + Math.floor(read());
    const VirtualDate = function Date(...args) {
      if (!new.target) return new RealDate(current()).toString();
      const kind = new.target === VirtualDate ? RealDate : new.target;
      return Reflect.construct(RealDate, args.length ? args : [current()], kind);
    };
    VirtualDate.prototype = RealDate.prototype;
    define(RealDate.prototype, "constructor", VirtualDate);
    define(VirtualDate, "now", current);
    define(VirtualDate, "parse", RealDate.parse);
    define(VirtualDate, "UTC", RealDate.UTC);
    define(window, "Date", VirtualDate);

    let state = SEED >>> 0;
    define(Math, "random", () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    });
  } else {
    const wrap = (name) => {
      const original = window[name].bind(window);
      define(window, name, function (f, ms, ...args) {
        const due = real.now() + (Number(ms) || 0);
        const id = original((...more) => {
          timers.delete(id);
          call({ f, args: more });
        }, ms, ...args);
        timers.set(id, { at: due });
        return id;
      });
    };
    wrap("setTimeout");
    const clear = window.clearTimeout.bind(window);
    define(window, "clearTimeout", (id) => { timers.delete(id); clear(id); });
  }

  const next = () => {
    let first = null;
    for (const timer of timers)
      if (!first || timer[1].at < first[1].at || (timer[1].at === first[1].at && timer[1].order < first[1].order))
        first = timer;
    return first;
  };

  // Runs the next timer that is due before a moment; without one, the clock goes to that moment.
  const advance = (until) => {
    reads = 0;
    const first = next();
    if (!first || first[1].at > until) {
      now = Math.max(now, until);
      return false;
    }
    const [id, timer] = first;
    now = Math.max(now, timer.at);
    if (timer.every) timer.at = now + timer.every;
    else timers.delete(id);
    if (timer.kind === "frame") timer.args = [now];
    ran += 1;
    inTimer = true;
    try {
      call(timer);
    } catch (error) {
      real.setTimeout(() => { throw error; }); // the page hears of it as it would have
    } finally {
      inTimer = false;
    }
    return true;
  };

  apply(listen, document, [`${SECRET}ask`, (event) => {
    const { until, span, marks, forget, probe } = apply(detail, event, []) || {};
    if (forget) pending.clear();
    let more = false;
    let end = until;
    if (VIRTUAL && span !== undefined) end = now + span;
    if (VIRTUAL && end !== undefined) more = advance(end);
    if (marks) {
      const kept = [];
      for (const each of listening) {
        const element = each.deref();
        if (!element) continue;
        if (element.isConnected) apply(dispatch, element, [new Event(`${SECRET}mark`, { bubbles: true, composed: true })]);
        else kept.push(each);
      }
      listening = kept;
    }
    let due = null;
    if (!VIRTUAL) for (const timer of timers.values()) due = due === null ? timer.at - real.now() : Math.min(due, timer.at - real.now());
    // A policy of the page's may forbid this; the harness then asks without it.
    let value;
    let wasProbed = false;
    if (probe) try {
      value = evaluate(probe);
      wasProbed = true;
    } catch { /* as above */ }
    const told = { more, end, pending: pending.size, due, ran, value, wasProbed, seesFrames, transitions };
    apply(dispatch, document, [new CustomEvent(`${SECRET}answer`, { detail: told })]);
  }]);
})("__SECRET__", __VIRTUAL__, __START_MS__, __SEED__);
