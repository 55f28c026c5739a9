// The line of one element: its states, its place, and shapes that are drawn. Which elements have one is in `tree.js`.

const isMovable = (element) => element.getAttribute("draggable") === "true" || element.classList.contains("ui-draggable") || element.parentElement?.classList.contains("ui-sortable");

const colorName = (value) => {
  const found = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(value);
  if (!found) return word(value);
  if (found[4] !== undefined && Number(found[4]) === 0) return "";
  const known = { "0,0,0": "black", "255,255,255": "white", "255,0,0": "red", "0,128,0": "green", "0,255,0": "lime", "0,0,255": "blue",
    "255,255,0": "yellow", "255,165,0": "orange", "128,0,128": "purple", "255,192,203": "pink", "128,128,128": "grey", "0,255,255": "cyan",
    "255,0,255": "magenta", "165,42,42": "brown", "211,211,211": "lightgrey" };
  const key = found.slice(1, 4).join(",");
  return known[key] || `#${found.slice(1, 4).map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`;
};


// Whether some text may have no size. Asking each text for its style would take longer than all else together.
const NO_SIZE = /font(-size)?: [^;}]*\b0(px|em|rem|%|pt|vw|vh)/;
const sheets = new WeakMap(); // for each style sheet its number of rules, and whether one makes text vanish
const textMayVanish = (root) => {
  if (root.querySelector('[style*="font"]')) return true;
  for (const sheet of [...root.styleSheets, ...root.adoptedStyleSheets]) {
    let known = sheets.get(sheet);
    try {
      const rules = sheet.cssRules;
      if (!known || known.count !== rules.length) {
        known = { count: rules.length, vanishes: [...rules].some((rule) => NO_SIZE.test(rule.cssText)) };
        sheets.set(sheet, known);
      }
    } catch {
      return true; // of another origin
    }
    if (known.vanishes) return true;
  }
  return false;
};

const isWord = (letter) => letter !== undefined && letter.trim() !== "";

// Whether a person sees space around an element though none is written, as around labels and in flex boxes.
const APART = 4; // pixels on both sides together
const isApart = (element) => {
  const style = getComputedStyle(element);
  if (!style.display.startsWith("inline")) return !["contents", "none", "ruby", "ruby-text"].includes(style.display);
  const sides = [style.marginLeft, style.marginRight, style.paddingLeft, style.paddingRight, style.borderLeftWidth, style.borderRightWidth];
  return sides.reduce((sum, side) => sum + (parseFloat(side) || 0), 0) >= APART;
};

class Printer {
  constructor(options) {
    this.options = options;
    this.lines = [];
    this.run = ""; // text that is not on a line yet
    this.runFrom = null; // where it begins, if it matters whether that is in the window
    this.edges = []; // inline elements that began or ended since the last text
    this.silent = false; // whether text is hidden here
    this.fontsVanish = textMayVanish(document);
    this.count = 0;
    this.depth = 0;
    this.offset = { x: 0, y: 0 };
    this.active = document.activeElement;
    this.unread = new Set(); // ids of frames that only the harness can look into
    this.skipped = options.skip ? new Set(document.querySelectorAll(options.skip)) : null;
    this.width = innerWidth;
    this.height = innerHeight;
  }

  // A line; one of text alone is its name in quotes.
  add(depth, relevance, text, id, kind, name, element = null) {
    const side = this.options.visible && element ? this.sideOf(element) : 0;
    const line = { depth, relevance, text, id, kind, name, side };
    this.lines.push(line);
    return line;
  }

  say(node) {
    if (this.options.visible && !this.runFrom && !isBlank(node.data)) this.runFrom = node;
    if (this.edges.length && node.data) {
      if (isWord(this.run.at(-1)) && isWord(node.data[0]) && this.edges.some(isApart)) this.run += " ";
      this.edges.length = 0;
    }
    this.run += node.data;
  }

  flush(depth) {
    if (!this.run) return;
    const text = squeeze(this.run);
    const from = this.runFrom;
    this.run = "";
    this.runFrom = null;
    if (!text) return;
    const range = from && from.ownerDocument.createRange();
    range?.selectNodeContents(from);
    this.add(depth, 2, "", 0, "text", text, range);
  }

  quoted(text) { return quote(clip(text, this.options.clip)); }

  // Above the window, below it, or neither; of an element or a range.
  sideOf(shown) {
    const rect = shown.getBoundingClientRect();
    if (rect.bottom + this.offset.y <= 0 && (rect.height || rect.top)) return -1;
    return rect.top + this.offset.y >= this.height ? 1 : 0;
  }

  relevance(element, role) {
    if (element === this.active || element.contains?.(this.active) && element !== document.body && role === "dialog") return 0;
    if (INTERACTIVE.has(role) || role === "clickable") return this.isInView(element) ? 1 : 3;
    return 2;
  }

  isInView(element) {
    if (!this.options.looks) return true;
    const rect = element.getBoundingClientRect();
    return rect.bottom > 0 && rect.right > 0 && rect.top < this.height && rect.left < this.width;
  }

  // The parts of a line with the element's states and its place.
  finish(element, role, parts, shownBy = null) {
    const tag = tagOf(element);
    if (tag === "INPUT" || tag === "TEXTAREA") {
      if (element.type === "checkbox" || element.type === "radio") {
        if (element.checked) parts.push("checked");
      } else if (element.type === "password") {
        if (element.value) parts.push(`value=${quote("•".repeat(element.value.length))}`);
      } else if (element.type === "file") {
        parts.push(`value=${quote([...element.files].map((file) => file.name).join(", "))}`);
      } else if (INPUT_ROLES[element.type] !== "button") {
        if (element.value) parts.push(`value=${quote(clip(element.value.replace(/\n/g, "⏎"), this.options.clip))}`);
        const hint = element.getAttribute("placeholder");
        if (hint && !element.value && squeeze(hint) !== (parts[1] || "").slice(1, -1)) parts.push(`placeholder=${quote(clip(squeeze(hint), 80))}`);
        if (["date", "time", "month", "week", "datetime-local", "email", "url", "tel"].includes(element.type)) parts.push(`type=${element.type}`);
        if (element.type === "range" || element.type === "number") for (const limit of ["min", "max"]) if (element[limit] !== "") parts.push(`${limit}=${word(element[limit])}`);
      }
    } else if (tag === "PROGRESS" || tag === "METER") parts.push(`value=${element.value}`, `max=${element.max}`);
    const checked = element.getAttribute("aria-checked");
    if (checked === "true" || checked === "mixed") parts.push(checked === "true" ? "checked" : "checked=mixed");
    for (const name of ["expanded", "pressed", "selected", "current", "sort", "haspopup"]) {
      const stated = element.getAttribute(`aria-${name}`);
      if (stated && (stated !== "false" || name === "expanded")) parts.push(stated === "true" ? name : `${name}=${stated.replace(/[^\w-]/g, "")}`);
    }
    for (const name of ["valuenow", "valuetext"]) {
      const stated = element.getAttribute(`aria-${name}`);
      if (stated && !(name === "valuenow" && tag === "INPUT")) parts.push(`${name.slice(5) === "now" ? "value" : "text"}=${quote(clip(stated, 40))}`);
    }
    if (tag === "DETAILS" || tag === "SUMMARY") {
      const details = tag === "SUMMARY" ? element.parentElement : element;
      parts.push(details?.open ? "open" : "closed");
    }
    if (isDisabled(element) || element.getAttribute("aria-disabled") === "true") parts.push("disabled");
    if (element.readOnly) parts.push("readonly");
    if (element.required || element.getAttribute("aria-required") === "true") parts.push("required");
    if (element.getAttribute("aria-invalid") === "true") parts.push("invalid");
    if (element === this.active) parts.push("focused");
    if (this.options.shapes && tag === "TEXTAREA") parts.push("multiline");
    if (this.options.shapes && element.scrollHeight > element.clientHeight + 1 && ["auto", "scroll"].includes(getComputedStyle(element).overflowY))
      parts.push(`scrolled=${Math.round(element.scrollTop)}/${element.scrollHeight - element.clientHeight}`, this.options.places ? "" : this.at(element.getBoundingClientRect()));
    if (this.options.places || role === "canvas" || (this.options.shapes && (role === "img" || isMovable(element))))
      parts.push(this.at((shownBy || element).getBoundingClientRect()));
    return parts.filter(Boolean).join(" ");
  }

  // An element without text that is seen by its colour, its border or its class.
  box(element, tag, depth) {
    const rect = element.getBoundingClientRect();
    if (rect.width < 3 || rect.height < 3) return;
    const style = getComputedStyle(element);
    const color = colorName(style.backgroundColor);
    const classes = typeof element.className === "string" ? squeeze(element.className) : "";
    if (!color && style.backgroundImage === "none" && style.borderTopWidth === "0px" && !classes) return;
    this.flush(depth);
    const id = idOf(element);
    const parts = [color && `color=${color}`, classes && `class=${quote(clip(classes, 60))}`, this.at(rect)].filter(Boolean);
    this.add(depth, 3, `[${id}] box ${parts.join(" ")}`, id, "box", "", element);
  }

  at(rect) {
    const x = Math.round(rect.left + this.offset.x + rect.width / 2);
    const y = Math.round(rect.top + this.offset.y + rect.height / 2);
    return `at=${x},${y} size=${Math.round(rect.width)}x${Math.round(rect.height)}`;
  }

  place(element) {
    if (this.options.places) return ` ${this.at(element.getBoundingClientRect())}`;
    const style = this.options.shapes ? getComputedStyle(element) : null;
    if (!style || !["absolute", "fixed"].includes(style.position)) return "";
    // A text that is put somewhere, such as an entry of a calendar, is a drawn thing.
    const color = colorName(style.backgroundColor);
    return `${color && ` color=${color}`} ${this.at(element.getBoundingClientRect())}`;
  }

  // The role of a drawn thing that can be used, such as a button; "" for what is a picture, a shape or nothing to use.
  useOf(element, tag, clickableHere) {
    if (!DRAWN.has(tag) || !element.checkVisibility(SEEN) || element.getAttribute("aria-hidden") === "true") return "";
    const role = roleOf(element, tag);
    if (INTERACTIVE.has(role)) return role;
    const isPicture = role === "img" || (tag === "svg" && element.hasAttribute("aria-label"));
    if (!clickableHere || SHAPES.has(tag) || isPicture) return "";
    return role || "clickable";
  }

  drawn(element, tag, depth) {
    const clickableHere = isClickable(element, tag);
    const used = this.options.shapes ? "" : this.useOf(element, tag, clickableHere);
    if (used) {
      this.flush(depth);
      this.printed(element, tag, used, depth);
      return;
    }
    if (tag === "svg" || tag === "g" || tag === "a" || tag === "foreignObject") {
      if (!element.checkVisibility() || element.getAttribute("aria-hidden") === "true" && !this.options.shapes) return;
      const label = element.getAttribute("aria-label");
      const role = element.getAttribute("role");
      if (tag === "svg" && (role === "img" || (label && !this.options.shapes))) {
        this.flush(depth);
        const name = label || squeeze(element.querySelector("title")?.textContent || "");
        const id = clickableHere ? idOf(element) : 0;
        if (name || id) this.add(depth, 3, `${id ? `[${id}] ` : ""}img ${this.quoted(name)}`, id, "img", squeeze(name), element);
        if (!this.options.shapes) return;
      }
      this.flush(depth);
      let inner = depth;
      if (tag === "svg" && this.options.shapes) {
        const id = idOf(element);
        this.add(depth, 4, `[${id}] svg ${this.at(element.getBoundingClientRect())}`, id, "svg", "", element);
        inner = depth + 1;
      }
      for (const child of element.children) this.element(child, tagOf(child), inner);
      this.flush(depth);
      return;
    }
    if (!SHAPES.has(tag)) return;
    if (!this.options.shapes && tag !== "text" && !clickableHere) return;
    if (!element.checkVisibility()) return;
    const style = getComputedStyle(element);
    if (style.visibility === "hidden" || Number(style.opacity) === 0) return;
    const rect = element.getBoundingClientRect();
    const text = tag === "text" ? squeeze(element.textContent) : "";
    if (tag === "text" && !this.options.shapes && !clickableHere) {
      this.run += ` ${text} `;
      return;
    }
    if (tag !== "text" && rect.width < 1 && rect.height < 1) return;
    this.flush(depth);
    const id = idOf(element);
    const fill = colorName(style.fill);
    const points = tag === "polygon" ? ` corners=${element.points.length}` : "";
    const classes = element.getAttribute("class");
    const parts = [
      `[${id}] ${tag}`, text && quote(text), fill && fill !== "none" && `color=${fill}`, classes && `class=${quote(clip(classes, 60))}`,
      this.options.shapes && this.at(rect),
    ].filter(Boolean);
    this.add(depth, 3, `${parts.join(" ")}${points}`, id, "shape", text, element);
  }
}
