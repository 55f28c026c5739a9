// Where to act on an element, what is in the way, and fields that nobody types into.

const under = (x, y) => {
  let hit = document.elementFromPoint(x, y);
  let left = x;
  let top = y;
  for (;;) {
    if (hit && hit.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(left, top);
      if (!inner || inner === hit) return hit;
      hit = inner;
    } else if (hit && (hit.tagName === "IFRAME" || hit.tagName === "FRAME") && insideOf(hit)) {
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

// Finds an element that an action may use; `focusing` also puts the focus on it, "all" with its text selected.
const locate = (id, { needsPoint = true, editable = false, coveredIsFine = false, focusing = "" } = {}) => {
  if (id < 1 || id > lastId) return { error: "unknown" };
  let element = elementOf(id);
  if (!element) return { error: "vanished" };
  if (editable) {
    if (element.tagName === "LABEL" && element.control) element = element.control;
    const kind = element.tagName;
    const fits = kind === "TEXTAREA" || element.isContentEditable || (kind === "INPUT" && !["checkbox", "radio", "button", "submit", "reset", "file", "image", "hidden"].includes(element.type));
    if (!fits) return { error: "notEditable", what: describe(element) };
    if (element.readOnly) return { error: "readonly", what: describe(element) };
  }
  if (isDisabled(element)) return { error: "disabled", what: describe(element) };
  awaitInput(element.ownerDocument !== document ? "" : focusing ? "input" : "pointerup");
  if (focusing) return focus(id, focusing === "all");
  if (!needsPoint) return { element: true };
  let shown = element;
  if (!element.checkVisibility({ visibilityProperty: true })) {
    const label = element.labels?.[0];
    if (!label || !label.checkVisibility()) return { error: "hidden", what: describe(element) };
    shown = label;
  }
  shown.scrollIntoViewIfNeeded ? shown.scrollIntoViewIfNeeded(true) : shown.scrollIntoView({ block: "center", behavior: "instant" });
  const offset = offsetOf(shown);
  const rects = [...shown.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
  if (!rects.length) {
    const inner = [...shown.querySelectorAll("*")].flatMap((each) => [...each.getClientRects()]).find((rect) => rect.width > 0 && rect.height > 0);
    if (!inner) return { error: "hidden", what: describe(element) };
    rects.push(inner);
  }
  let cover = null;
  for (const rect of rects)
    for (const [across, down] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9], [0.1, 0.9], [0.9, 0.1]]) {
      const x = Math.min(Math.max(rect.left + rect.width * across + offset.x, 0), innerWidth - 1);
      const y = Math.min(Math.max(rect.top + rect.height * down + offset.y, 0), innerHeight - 1);
      const hit = under(x, y);
      if (!hit) continue;
      const fits = composedContains(shown, hit) || (hit.tagName === "LABEL" && hit.control === element) || (closest.call(hit, "label")?.control === element)
        || (element.tagName === "OPTION" && hit === element.closest("select")) || (shown instanceof SVGElement && composedContains(hit, shown) && hit.tagName === "svg");
      if (fits) return { x, y, tag: element.tagName, type: element.type || "" };
      cover = cover || hit;
    }
  if (coveredIsFine) return centreOf(shown);
  return { error: "covered", what: describe(element), by: cover ? describe(cover) : "something outside the window" };
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

const focus = (id, select) => {
  let element = elementOf(id);
  if (element?.tagName === "LABEL" && element.control) element = element.control;
  if (!element) return { error: "vanished" };
  element.scrollIntoViewIfNeeded?.(true);
  element.focus({ preventScroll: true });
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
  return { type: element.type || "", tag: element.tagName, value: element.value ?? element.textContent };
};

// Fields that nobody types into letter by letter: dates, times, colours, sliders.
const setValue = (id, value) => {
  const element = elementOf(id);
  if (!element) return { error: "vanished" };
  element.focus({ preventScroll: true });
  element.value = value;
  if (element.type !== "text" && value !== "" && element.value !== value && !(element.type === "range")) return { error: "value", what: describe(element), type: element.type };
  element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  element.dispatchEvent(new Event("change", { bubbles: true }));
  return {};
};

const selectOptions = (id, wanted) => {
  let element = elementOf(id);
  if (element?.tagName === "OPTION") element = element.closest("select");
  if (element?.tagName === "LABEL" && element.control) element = element.control;
  if (!element) return { error: "vanished" };
  if (element.tagName !== "SELECT") return { error: "notSelect", what: describe(element) };
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
  if (element?.tagName === "LABEL" && element.control) element = element.control;
  if (!element) return { error: "vanished" };
  if (element.type === "checkbox" || element.type === "radio") return { checked: element.checked };
  const stated = element.getAttribute("aria-checked");
  return stated === null ? { error: "notCheckable", what: describe(element) } : { checked: stated === "true" };
};
