// The pruned DOM, and the boxes of elements for set-of-marks.

const KEPT = ["id", "name", "type", "value", "href", "alt", "title", "placeholder", "role", "for", "checked", "selected", "disabled", "aria-label", "class"];
const STATED = ["checked", "selected", "disabled"]; // said as they are now, as a value is
const escaped = (text) => text.replace(/[&<>]/g, (mark) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[mark]);

// Leaves out what the tree leaves out. A line is an element's tag, the end of one, an element with its text, or a text.
class Pruner {
  constructor(options) {
    this.options = options;
    this.lines = [];
    this.relevance = "";
    this.frames = [];
    this.size = 0;
    this.depth = 0;
    this.offset = { x: 0, y: 0 };
    this.active = holdsFocus() ? deepActive() : null;
    this.skipped = options.skip ? new Set(document.querySelectorAll(options.skip)) : null;
    this.fontsVanish = textMayVanish(document);
  }

  add(depth, text, relevance) {
    this.lines.push(INDENTS[Math.min(depth, 12)] + text);
    this.relevance += relevance;
    this.size += text.length;
  }

  // Whether it is in the window, for whoever sees no more than that.
  isShown(shown) {
    if (!this.options.visible) return true;
    const rect = shown.getBoundingClientRect();
    const isAbove = rect.bottom + this.offset.y <= 0 && (rect.height || rect.top);
    return !isAbove && rect.top + this.offset.y < innerHeight;
  }

  nodes(nodes, depth, isSilent) {
    for (const node of nodes) {
      if (this.size > this.options.maxDom || this.depth > DEEPEST) return;
      if (node.nodeType === 3) {
        if (!isSilent) this.text(node, depth);
      } else if (node.nodeType === 1 || typeof node.nodeType !== "number") this.element(node, tagOf(node), depth);
    }
  }

  text(node, depth) {
    const text = squeeze(node.data);
    if (!text) return;
    const range = node.ownerDocument.createRange();
    range.selectNodeContents(node);
    if (this.isShown(range)) this.add(depth, escaped(clip(text, this.options.clip)), 2);
  }

  element(element, tag, depth) {
    if (SKIP.has(tag) || this.skipped?.has(element)) return;
    if (!this.options.shapes && getAttribute.call(element, "aria-hidden") === "true") return;
    this.depth += 1;
    const hasBox = checkVisibility.call(element);
    const isOpen = tag === "OPTION" || tag === "OPTGROUP" || tag === "SLOT" || hasBox || getComputedStyle(element).display === "contents";
    if (isOpen && hasBox && !checkVisibility.call(element, SEEN)) this.nodes(this.inner(element, tag), depth, true);
    else if (isOpen) this.seen(element, tag, depth);
    this.depth -= 1;
  }

  // What is in an element, as a list, since a page may have many lines below each other.
  inner(element, tag) {
    if (tag === "FORM") return nodesOf(element);
    if (element.shadowRoot) return element.shadowRoot.childNodes;
    if (tag === "SLOT" && element.assignedNodes().length) return element.assignedNodes();
    if (tag === "DETAILS" && !element.open) return element.querySelectorAll(":scope > summary");
    return nodesOf(element);
  }

  seen(element, tag, depth) {
    const name = tag.toLowerCase();
    const said = this.attributes(element, tag);
    const frame = tag !== "FORM" && isFrame(element, tag);
    const known = ids.get(element) ?? (frame ? idOf(element) : undefined);
    const isPlain = tag === "DIV" || tag === "SPAN" || tag === "SLOT";
    const hasId = known !== undefined || this.wantsId(element, tag, isPlain && !said.length);
    const doc = frame ? insideOf(element) : null;
    const nodes = frame ? doc?.body?.childNodes ?? [] : this.inner(element, tag);
    const isSilent = this.fontsVanish && getComputedStyle(element).fontSize === "0px";
    if ((!hasId && !said.length && isPlain) || (tag !== "FORM" && !this.isShown(element))) {
      this.within(element, frame ? doc : null, () => this.nodes(nodes, depth, isSilent));
      return;
    }
    const id = hasId ? ` bid="${known ?? idOf(element)}"` : "";
    const head = `${name}${id}${said.length ? ` ${said.join(" ")}` : ""}`;
    const rank = this.rank(element, tag);
    const only = !isSilent && nodes.length === 1 && nodes[0].nodeType === 3 ? squeeze(nodes[0].data) : null;
    if (frame && !doc) {
      this.add(depth, `<${head}>`, rank);
      this.frames.push([known, this.lines.length]);
      this.add(depth, `</${name}>`, rank);
    } else if (!nodes.length) this.add(depth, `<${head}/>`, rank);
    else if (only !== null) this.add(depth, `<${head}>${escaped(clip(only, this.options.clip))}</${name}>`, rank === 4 ? 2 : rank);
    else {
      this.add(depth, `<${head}>`, rank);
      this.within(element, doc, () => this.nodes(nodes, depth + 1, isSilent));
      this.add(depth, `</${name}>`, rank);
    }
  }

  // Looks into an element, where places count from the window around a frame.
  within(element, doc, look) {
    if (!doc) {
      look();
      return;
    }
    const { offset, fontsVanish } = this;
    const rect = element.getBoundingClientRect();
    this.offset = { x: offset.x + rect.left + element.clientLeft, y: offset.y + rect.top + element.clientTop };
    this.fontsVanish = textMayVanish(doc);
    ask(doc, { marks: true });
    look();
    this.offset = offset;
    this.fontsVanish = fontsVanish;
  }

  // The tree gives ids; where there is none, the DOM gives them to the same kinds of elements.
  wantsId(element, tag, isBare) {
    if (this.options.tree || tag === "FORM") return false;
    if (this.options.ids === "all") return !isBare;
    return INTERACTIVE.has(roleOf(element, tag)) && tag !== "OPTION" || isClickable(element, tag);
  }

  attributes(element, tag) {
    const said = [];
    const isField = tag === "INPUT" || tag === "TEXTAREA";
    for (const name of KEPT) {
      if (STATED.includes(name)) {
        if (tag !== "FORM" && element[name] === true) said.push(name);
        continue;
      }
      const isNow = name === "value" && isField;
      let value = isNow ? element.value : getAttribute.call(element, name);
      if (isNow && element.type === "password") value = "•".repeat(value.length);
      if (value !== null && value !== "") said.push(`${name}="${escaped(clip(squeeze(value), 100)).replace(/"/g, "&quot;")}"`);
    }
    return said;
  }

  // As of a line of the tree; what only holds other elements goes first.
  rank(element, tag) {
    if (!this.options.looks || tag === "FORM") return 4;
    if (element === this.active) return 0;
    if (!INTERACTIVE.has(roleOf(element, tag)) && !isClickable(element, tag)) return 4;
    const rect = element.getBoundingClientRect();
    return rect.bottom > 0 && rect.right > 0 && rect.top < innerHeight && rect.left < innerWidth ? 1 : 3;
  }
}

const lookAtDom = (options) => {
  ask(document, { marks: true });
  const pruner = new Pruner(options);
  const root = document.body ?? document.documentElement;
  if (root) pruner.nodes(root.childNodes, 0, false);
  return { lines: pruner.lines.join("\n"), relevance: pruner.relevance, frames: pruner.frames };
};

const lookAtMarks = () => {
  const marks = [];
  for (const [id, reference] of elements) {
    const element = reference.deref();
    if (!element || !element.isConnected) {
      if (!element) elements.delete(id);
      continue;
    }
    if (tagOf(element) === "FORM" || !element.checkVisibility?.()) continue;
    const role = roleOf(element, tagOf(element));
    if (!INTERACTIVE.has(role) && !isClickable(element, tagOf(element))) continue;
    const rect = element.getBoundingClientRect();
    const offset = offsetOf(element);
    const box = [rect.left + offset.x, rect.top + offset.y, rect.width, rect.height];
    if (box[2] < 1 || box[3] < 1 || box[0] >= innerWidth || box[1] >= innerHeight || box[0] + box[2] <= 0 || box[1] + box[3] <= 0) continue;
    marks.push([id, ...box.map(Math.round)]);
  }
  return marks;
};
