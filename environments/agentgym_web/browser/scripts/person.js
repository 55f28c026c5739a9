// Runs behind the other scripts, in the same world, where a person uses the window. What the person does is kept from the page and
// told to the harness, which does the same by an action: so the record of the actions is all that ever happened.
(() => {
  const known = (element) => ids.get(element) ?? 0;
  const usable = (element) => INTERACTIVE.has(roleOf(element, element.tagName)) || isClickable(element, element.tagName);
  const TYPED_LATE_MS = 1200; // a field is filled when nobody has typed in it for so long
  const SECOND_CLICK_MS = 250;
  const WHEEL_REST_MS = 120;
  const LONG_PRESS_MS = 600;
  const FAR_PX = 12;
  let passing = null; // the types of events by which the harness acts now
  let field = null; // the field that is typed in: the element, and what it held before
  let held = null; // the list that is chosen from: the element, and what was chosen before
  let pressed = null; // where the mouse went down
  let dragged = false;
  let clicking = null; // a click that may become a double click
  let wheel = null;

  const tell = (deed) => { globalThis.agentgymTell(JSON.stringify(deed)); };
  const inside = (path) => path.filter((node) => node instanceof Element || node.nodeType === 1);
  const tagOf = (node) => node?.tagName ?? "";
  const isRange = (node) => tagOf(node) === "INPUT" && node.type === "range";
  const listOf = (path) => path.find((node) => tagOf(node) === "SELECT");
  const NOT_TYPED = new Set(["checkbox", "radio", "button", "submit", "reset", "file", "image", "hidden", "range"]);
  const fieldOf = (node) => {
    if (!node) return null;
    if (tagOf(node) === "TEXTAREA" || (tagOf(node) === "INPUT" && !NOT_TYPED.has(node.type))) return node;
    for (let each = node; each; each = each.parentElement) if (each.isContentEditable && !each.parentElement?.isContentEditable) return each;
    return null;
  };
  const contentOf = (node) => (node.isContentEditable && node.value === undefined ? node.innerText : node.value);

  // The element that an action can name: the innermost one that has an id, or whose label was meant.
  const named = (path) => {
    for (const node of path) {
      const id = known(node) || (tagOf(node) === "LABEL" && node.control ? known(node.control) : 0);
      if (id) return { id, node };
    }
    return { id: 0, node: null };
  };
  // Whether the place matters more than the element: drawings, and what only lies in a part that can be read.
  const isPlace = (path, found) =>
    !found.id || ["CANVAS", "IMG", "svg", "AREA", "IFRAME"].includes(tagOf(found.node)) || (found.node !== path[0] && !usable(found.node));
  const where = (event) => {
    let { clientX: x, clientY: y } = event;
    for (let view = event.view; view && view !== window && view.frameElement; view = view.parent) {
      const rect = view.frameElement.getBoundingClientRect();
      x += rect.left + view.frameElement.clientLeft;
      y += rect.top + view.frameElement.clientTop;
    }
    return { x: Math.round(x), y: Math.round(y) };
  };
  const held_keys = (event) => ["Alt", "Control", "Meta", "Shift"].filter((name) => event.getModifierState(name));

  const flush = () => {
    if (!field) return;
    const { element, before, html } = field;
    clearTimeout(field.timer);
    field = null;
    const after = contentOf(element);
    if (after === before) return;
    if (html === undefined) element.value = before;
    else element.innerHTML = html;
    tell({ do: "fill", id: named([element]).id, value: after });
  };
  const edit = (element) => {
    if (field && field.element !== element) flush();
    if (!field) field = { element, before: contentOf(element), html: element.value === undefined ? element.innerHTML : undefined, timer: 0 };
    clearTimeout(field.timer);
    field.timer = setTimeout(flush, TYPED_LATE_MS);
  };

  const on = {
    mousedown(event, path) {
      flush();
      const list = listOf(path);
      if (list) held = { element: list, chosen: [...list.options].map((option) => option.selected) };
      if (isRange(path[0])) edit(path[0]);
      pressed = { ...named(path), ...where(event), at: Date.now(), button: event.button };
      dragged = false;
      return Boolean(list) || isRange(path[0]);
    },
    mouseup(event, path) {
      const from = pressed;
      pressed = null;
      if (!from || from.button !== 0 || listOf(path) || isRange(path[0])) return Boolean(listOf(path)) || isRange(path[0]);
      const to = { ...named(path), ...where(event) };
      const far = Math.hypot(to.x - from.x, to.y - from.y) > FAR_PX;
      const long = event.timeStamp && Date.now() - from.at > LONG_PRESS_MS;
      if (!far && !long) return false;
      dragged = true; // the click that follows is no click
      const ends = { from: from.id, to: to.id, x: from.x, y: from.y, toX: to.x, toY: to.y };
      tell(far ? { do: "drag", ...ends } : { do: "hold", id: from.id, x: from.x, y: from.y });
      return false;
    },
    click(event, path) {
      if (listOf(path) || isRange(path[0])) return true;
      if (dragged || event.detail === 0) {
        dragged = false;
        return false;
      }
      const found = named(path);
      const deed = { do: "click", id: found.id, place: isPlace(path, found), ...where(event), keys: held_keys(event) };
      const first = clicking;
      clearTimeout(first?.timer);
      clicking = null;
      if (event.detail === 2 && first) tell({ ...deed, do: "dblclick" });
      else {
        if (first) tell(first.deed);
        if (fieldOf(path[0])) tell(deed); // who clicks a field goes on to type
        else clicking = { deed, timer: setTimeout(() => { clicking = null; tell(deed); }, SECOND_CLICK_MS) };
      }
      return false;
    },
    contextmenu(event, path) {
      const found = named(path);
      tell({ do: "click", id: found.id, place: isPlace(path, found), ...where(event), keys: held_keys(event), button: "right" });
      return false;
    },
    wheel(event, path) {
      const body = event.view.document.scrollingElement;
      const scrolls = (node) => node !== body && node !== event.view.document.body && node.scrollHeight > node.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(node).overflowY);
      if (!wheel) wheel = { dx: 0, dy: 0, ...where(event), inner: inside(path).some(scrolls) };
      const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? innerHeight : 1;
      wheel.dx += event.deltaX * unit;
      wheel.dy += event.deltaY * unit;
      clearTimeout(wheel.timer);
      wheel.timer = setTimeout(() => {
        const { dx, dy, x, y, inner } = wheel;
        wheel = null;
        if (Math.round(dx) || Math.round(dy)) tell({ do: "scroll", dx: Math.round(dx), dy: Math.round(dy), x, y, inner });
      }, WHEEL_REST_MS);
      return false;
    },
    keydown(event, path) {
      const { key } = event;
      const isCommand = event.ctrlKey || event.metaKey;
      if (["Alt", "Control", "Meta", "Shift", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified"].includes(key)) return true;
      if (/^F\d+$/.test(key) || (isCommand && /^[rltnw0+-]$/i.test(key))) return true; // the browser's own keys
      if (event.altKey && /^Arrow(Left|Right)$/.test(key)) {
        flush();
        tell({ do: "history", back: key === "ArrowLeft" });
        return false;
      }
      const element = fieldOf(path[0]);
      const ends = ["Enter", "Tab", "Escape", "PageUp", "PageDown"].includes(key) || (["ArrowUp", "ArrowDown"].includes(key) && tagOf(element) === "INPUT");
      const isLine = key === "Enter" && tagOf(element) !== "INPUT" && !isCommand;
      if (element && (isLine || !ends) && !event.altKey && (!isCommand || /^[acvxzy]$/i.test(key) || key.length > 1)) {
        edit(element);
        return true;
      }
      if (isRange(path[0]) && !ends) {
        edit(path[0]);
        return true;
      }
      const list = listOf(path);
      if (list && !["Enter", "Tab", "Escape"].includes(key) && !isCommand) {
        held = { element: list, chosen: [...list.options].map((option) => option.selected) };
        return true;
      }
      flush();
      const names = held_keys(event).filter((name) => name !== "Shift" || key.length > 1 || isCommand);
      tell({ do: "press", id: path[0] === event.view.document.body ? 0 : named([path[0]]).id, key: [...names, key === " " ? "Space" : key].join("+") });
      return false;
    },
    beforeinput(event, path) {
      const element = fieldOf(path[0]);
      if (element) edit(element);
      return true;
    },
    change(event, path) {
      const list = listOf(path);
      if (!list || held?.element !== list) return true;
      const options = [...list.options].filter((option) => option.selected).map((option) => (option.label || option.text).trim());
      [...list.options].forEach((option, number) => { option.selected = held.chosen[number]; });
      held = null;
      tell({ do: "select", id: named([list]).id, options, many: list.multiple });
      return true;
    },
  };
  // What the page would learn of the person's hands without an action.
  const SILENT = [
    "pointerdown", "pointerup", "pointermove", "pointerover", "pointerout", "pointerenter", "pointerleave", "mousemove", "mouseover",
    "mouseout", "mouseenter", "mouseleave", "auxclick", "dblclick", "keyup", "keypress", "input", "dragstart", "touchstart", "touchmove",
    "touchend", "paste", "cut", "compositionstart", "compositionupdate", "compositionend",
  ];
  const PREVENTED = new Set(["dragstart", "auxclick", "dblclick"]);

  const hear = (view) => {
    const take = (event) => {
      if (!event.isTrusted || passing?.has(event.type)) return;
      event.stopImmediatePropagation();
      const allowed = on[event.type] ? on[event.type](event, event.composedPath()) : !PREVENTED.has(event.type);
      if (!allowed) event.preventDefault();
    };
    for (const type of [...Object.keys(on), ...SILENT]) view.addEventListener(type, take, { capture: true, passive: false });
    view.document.addEventListener("load", (event) => { if (/^I?FRAME$/.test(tagOf(event.target))) reach(event.target); }, true);
    for (const frame of view.document.querySelectorAll("iframe, frame")) reach(frame);
  };
  const reached = new WeakSet();
  const reach = (frame) => {
    const view = insideOf(frame)?.defaultView;
    if (!view || reached.has(view.document)) return;
    reached.add(view.document);
    hear(view);
  };
  let isInner = false; // a frame of the same origin is heard by its outer page, which knows its ids
  try {
    isInner = window !== window.top && Boolean(window.frameElement);
  } catch {
    isInner = false;
  }
  if (!isInner) hear(window);

  const WRITTEN = ["beforeinput", "input", "change", "click"];
  const KINDS = {
    wheel: ["wheel"],
    keys: ["keydown", "keyup", "keypress", ...WRITTEN],
    mouse: [...Object.keys(on).filter((type) => !/wheel|key/.test(type)), ...SILENT.filter((type) => /^(pointer|mouse|touch|drag|aux|dbl|input)/.test(type))],
  };
  globalThis.agentgymPerson = { pass: (kind) => {
    passing = KINDS[kind] ? new Set(KINDS[kind]) : null;
    for (const frame of document.querySelectorAll("iframe, frame")) reach(frame);
  } };
})();
