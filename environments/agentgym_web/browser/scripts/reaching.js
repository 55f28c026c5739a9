// Where to act on an element, what is in the way, and fields that nobody types into.

const GROUPS = new Set(["g", "a"]); // of drawn shapes; a link of HTML is an A

const under = (x, y) => {
  let hit = document.elementFromPoint(x, y);
  let left = x;
  let top = y;
  for (;;) {
    if (hit && hit.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(left, top);
      if (!inner || inner === hit) return hit;
      hit = inner;
    } else if (hit && isFrame(hit, tagOf(hit)) && insideOf(hit)) {
      const rect = hit.getBoundingClientRect();
      left -= rect.left + hit.clientLeft;
      top -= rect.top + hit.clientTop;
      const inner = insideOf(hit).elementFromPoint(left, top);
      if (!inner) return hit;
      hit = inner;
    } else return hit;
  }
};
const composedContains = (outer, inner) => {
  for (let node = inner; node; node = parentOf(node) || hostOf(node)) if (node === outer) return true;
  return false;
};
const describe = (element) => {
  const tag = tagOf(element);
  const known = ids.get(element);
  const isForm = tag === "FORM"; // whose fields may hide its properties
  const role = isForm ? "" : roleOf(element, tag);
  const name = (!isForm && ownName(element, tag, role)) || squeeze(contentOf(element) || "");
  return `${known === undefined ? "" : `[${known}] `}${role || tag.toLowerCase()}${name ? ` ${quote(clip(name, 40))}` : ""}`;
};

// Which element an action on a field or a list means: a label stands for its field, an option for its list.
const meant = (element) => {
  if (tagOf(element) === "OPTION") return element.closest("select") ?? element;
  return tagOf(element) === "LABEL" && element.control ? element.control : element;
};

// Finds an element that an action may use; `focusing` also puts the focus on it, "all" with its text selected.
const locate = (id, { needsPoint = true, editable = false, listed = false, coveredIsFine = false, focusing = "" } = {}) => {
  if (id < 1 || id > lastId) return { error: "unknown" };
  let element = elementOf(id);
  if (!element) return { error: "vanished" };
  if (editable || listed || focusing) element = meant(element);
  if (editable) {
    const kind = tagOf(element);
    const fits = kind === "TEXTAREA" || element.isContentEditable || (kind === "INPUT" && !["checkbox", "radio", "button", "submit", "reset", "file", "image", "hidden"].includes(element.type));
    if (!fits) return { error: "notEditable", what: describe(element) };
    if (element.readOnly) return { error: "readonly", what: describe(element) };
  }
  if (listed && tagOf(element) !== "SELECT") return { error: "notSelect", what: describe(element) };
  if (isDisabled(element)) return { error: "disabled", what: describe(element) };
  awaitInput(element.ownerDocument !== document ? "" : focusing ? "input" : "pointerup");
  if (!needsPoint) return { element: true };
  const point = reach(element, { coveredIsFine, byKeys: focusing !== "" || editable || listed });
  return focusing && !point.error ? focus(element, focusing === "all") : point;
};

// Where an element has a box: its own, and where it has none, or is a group of drawn shapes, those of what is in it.
const boxesOf = (element) => {
  const solid = (each) => [...each.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
  const own = solid(element);
  const isGroup = GROUPS.has(tagOf(element));
  if (own.length && !isGroup) return own;
  const inner = [...element.querySelectorAll("*")].flatMap(solid);
  return isGroup ? [...inner, ...own] : inner.slice(0, 1);
};

// Where in a box a click is tried, the middle first.
const SPOTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9], [0.1, 0.9], [0.9, 0.1]];

// A point of an element that nothing lies over, or why there is none. Only the mouse needs an element that takes clicks;
// `byKeys` says that keys are what follows, which a label in the element's place would not take.
const reach = (element, { coveredIsFine, byKeys }) => {
  let shown = element;
  if (!element.checkVisibility({ visibilityProperty: true })) {
    const label = byKeys ? null : element.labels?.[0];
    if (!label || !label.checkVisibility()) return { error: "hidden", what: describe(element) };
    shown = label;
  }
  shown.scrollIntoViewIfNeeded ? shown.scrollIntoViewIfNeeded(true) : shown.scrollIntoView({ block: "center", behavior: "instant" });
  const offset = offsetOf(shown);
  const rects = boxesOf(shown);
  if (!rects.length) return { error: "hidden", what: describe(element) };
  let cover = null;
  let beside = null; // a point beside the shapes of a group
  for (const rect of rects)
    for (const [across, down] of SPOTS) {
      const x = Math.min(Math.max(rect.left + rect.width * across + offset.x, 0), innerWidth - 1);
      const y = Math.min(Math.max(rect.top + rect.height * down + offset.y, 0), innerHeight - 1);
      const hit = under(x, y);
      if (!hit) continue;
      const fits = composedContains(shown, hit) || (tagOf(hit) === "LABEL" && hit.control === element) || (closest.call(hit, "label")?.control === element)
        || (tagOf(element) === "OPTION" && hit === element.closest("select"));
      const around = shown instanceof SVGElement && composedContains(hit, shown) && tagOf(hit) === "svg";
      const point = { x, y, tag: tagOf(element), type: element.type || "" };
      if (fits || (around && !GROUPS.has(tagOf(shown)))) return point;
      if (around) beside ??= point;
      cover ??= hit;
    }
  if (beside) return beside;
  if (coveredIsFine) return centreOf(shown);
  const what = describe(element);
  const view = shown.ownerDocument.defaultView;
  if (rects.every((rect) => rect.right <= 0 || rect.bottom <= 0 || rect.left >= view.innerWidth || rect.top >= view.innerHeight)) return { error: "outside", what };
  if (getComputedStyle(shown).pointerEvents === "none") {
    if (!byKeys) return { error: "noClicks", what };
    if (!cover || composedContains(cover, shown)) return centreOf(shown);
  }
  return { error: "covered", what, by: cover ? describe(cover) : "something outside the window" };
};

// A point of a frame as a point of the window around it, and what lies over the frame there.
const around = (id, x, y, coveredIsFine) => {
  const element = elementOf(id);
  if (!element) return { error: "vanished" };
  const rect = element.getBoundingClientRect();
  const offset = offsetOf(element);
  const left = x + rect.left + element.clientLeft + offset.x;
  const top = y + rect.top + element.clientTop + offset.y;
  const hit = under(left, top);
  if (hit === element || coveredIsFine) return { x: left, y: top };
  return { error: "covered", what: describe(element), by: hit ? describe(hit) : "something outside the window" };
};

// Puts the focus on an element that can be reached, and sees that it has it: keys go to whatever has.
const focus = (element, select) => {
  element.focus?.({ preventScroll: true });
  if (select) {
    if (element.select) element.select();
    else {
      const range = element.ownerDocument.createRange();
      range.selectNodeContents(element);
      const selection = element.ownerDocument.defaultView.getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
    }
  }
  const active = deepActive();
  const hasFocus = element.getRootNode().activeElement === element || composedContains(element, active) || (element.isContentEditable && composedContains(active, element));
  if (!hasFocus) return { error: "notFocused", what: describe(element) };
  return { type: element.type || "", tag: tagOf(element), value: element.value ?? element.textContent };
};

// Fields that nobody types into letter by letter: dates, times, colours, sliders.
const setValue = (id, value) => {
  const element = elementOf(id) && meant(elementOf(id));
  if (!element) return { error: "vanished" };
  const before = element.value;
  element.focus({ preventScroll: true });
  element.value = value;
  if (element.type !== "text" && value !== "" && element.value !== value && !(element.type === "range")) {
    element.value = before;
    return { error: "value", what: describe(element), type: element.type };
  }
  element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  element.dispatchEvent(new Event("change", { bubbles: true }));
  return {};
};

// Whether a field of numbers keeps a text that is put into it: the browser drops what belongs to no number. Signs, spaces,
// commas between digits and wide digits are fine.
const requireNumber = (id, value) => {
  const element = elementOf(id) && meant(elementOf(id));
  if (!element) return { error: "vanished" };
  const trial = element.ownerDocument.createElement("input");
  trial.type = "number";
  trial.value = value.normalize("NFKC").trim().replace(/^\+/, "").replace(/(?<=\d)[,\s](?=\d)/g, "").replace(/\.$/, "");
  return trial.value === "" ? { error: "value", what: describe(element), type: element.type } : {};
};

const selectOptions = (id, wanted) => {
  const element = elementOf(id) && meant(elementOf(id));
  if (!element) return { error: "vanished" };
  if (tagOf(element) !== "SELECT") return { error: "notSelect", what: describe(element) };
  if (isDisabled(element)) return { error: "disabled", what: describe(element) };
  const options = [...element.options];
  const chosen = [];
  for (const each of wanted) {
    const found = options.find((option) => option.value === each || squeeze(option.label || option.text) === squeeze(each));
    if (!found) return { error: "noOption", what: describe(element), wanted: each, options: options.slice(0, 20).map((option) => squeeze(option.label || option.text)) };
    if (isDisabled(found)) return { error: "disabled", what: describe(found) };
    chosen.push(found);
  }
  if (!element.multiple && chosen.length > 1) return { error: "oneOption", what: describe(element) };
  element.focus({ preventScroll: true });
  for (const option of options) option.selected = chosen.includes(option);
  element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  element.dispatchEvent(new Event("change", { bubbles: true }));
  return {};
};

const centreOf = (element) => {
  const rect = element.getBoundingClientRect();
  const offset = offsetOf(element);
  return { x: rect.left + rect.width / 2 + offset.x, y: rect.top + rect.height / 2 + offset.y };
};
const checked = (id) => {
  let element = elementOf(id);
  if (element && tagOf(element) === "LABEL" && element.control) element = element.control;
  if (!element) return { error: "vanished" };
  if (element.type === "checkbox" || element.type === "radio") return { checked: element.checked };
  const stated = element.getAttribute("aria-checked");
  return stated === null ? { error: "notCheckable", what: describe(element) } : { checked: stated === "true" };
};
