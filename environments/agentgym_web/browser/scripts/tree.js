// The tree: one walk through the page, a line an element. The format is explained in `sight.py`.

const INDENTS = Array.from({ length: 13 }, (_, depth) => " ".repeat(depth));
const SEEN = { visibilityProperty: true };

class Walk extends Printer {
  // `tag` is that of a form only: its fields may hide its own properties.
  children(node, depth, tag = "") {
    let isFirst = true;
    for (let child = tag === "FORM" ? firstOf(node) : node.firstChild; child; ) {
      const kind = child.nodeType;
      let own = "";
      if (kind === 3) {
        if (isFirst && !isBlank(child.data)) {
          isFirst = false;
          if (this.fontsVanish && getComputedStyle(hostOf(node) ?? node).fontSize === "0px") this.silent = true;
        }
        if (!this.silent) this.say(child);
      } else if (kind === 1 || typeof kind !== "number") {
        own = tagOf(child);
        this.element(child, own, depth);
      }
      if (this.count > this.options.maxElements) return;
      child = own === "FORM" ? nextOf(child) : child.nextSibling;
    }
  }

  // A form whose fields hide its own properties: its name and what is in it.
  form(element, depth) {
    if (!checkVisibility.call(element)) return;
    this.flush(depth);
    const name = squeeze(getAttribute.call(element, "aria-label") || "");
    const id = this.options.ids === "all" ? idOf(element) : 0;
    if (name || id) this.add(depth, 2, `${id ? `[${id}] ` : ""}form${name && ` ${this.quoted(name)}`}`, id, "form", name);
    this.children(element, name || id ? depth + 1 : depth, "FORM");
    this.flush(depth);
  }

  inside(element, tag, depth) {
    if (this.depth > DEEPEST) {
      this.count = Infinity; // what lies deeper is cut, as what is too much
      return;
    }
    this.depth += 1;
    this.within(element, tag, depth);
    this.depth -= 1;
  }

  within(element, tag, depth) {
    if (tag !== "FORM" && element.shadowRoot) {
      this.children(element.shadowRoot, depth);
      return;
    }
    if (tag === "SLOT") {
      const given = element.assignedNodes();
      if (given.length) {
        for (const node of given)
          if (node.nodeType === 3) this.say(node);
          else if (node.nodeType === 1) this.element(node, tagOf(node), depth);
        return;
      }
    }
    if (tag === "DETAILS" && !element.open) {
      const summary = element.querySelector(":scope > summary");
      if (summary) this.element(summary, "SUMMARY", depth);
      return;
    }
    this.children(element, depth, tag);
  }

  element(element, tag, depth) {
    if (SKIP.has(tag)) return;
    this.count += 1;
    if (this.skipped && this.skipped.has(element)) return;
    const silent = this.silent;
    this.silent = false;
    if (tag === "FORM" && isClobbered(element)) this.form(element, depth);
    else if (element.namespaceURI === "http://www.w3.org/2000/svg") this.drawn(element, tag, depth);
    else if (tag === "BR") this.run += " ";
    else if (element.checkVisibility(SEEN)) this.seen(element, tag, depth);
    else this.unseen(element, tag, depth);
    this.silent = silent;
  }

  // What has no box, such as options, or is hidden though something in it may be shown.
  unseen(element, tag, depth) {
    this.silent = element.checkVisibility();
    const isOpen = this.silent || tag === "OPTION" || tag === "OPTGROUP" || tag === "SLOT" || getComputedStyle(element).display === "contents";
    if (isOpen && element.getAttribute("aria-hidden") !== "true") this.inside(element, tag, depth);
  }

  seen(element, tag, depth) {
    if (element.getAttribute("aria-hidden") === "true" && !this.options.shapes) return;
    if (tag === "SELECT") {
      this.flush(depth);
      this.select(element, depth);
      return;
    }
    if (tag === "LABEL") {
      this.label(element, depth);
      return;
    }
    let role = roleOf(element, tag);
    if (!role && isClickable(element, tag)) role = "clickable";
    if (!role) {
      if (tag === "INPUT") return;
      this.plain(element, tag, depth);
      return;
    }
    this.flush(depth);
    if (role === "iframe") this.frame(element, depth);
    else this.printed(element, tag, role, depth);
  }

  plain(element, tag, depth) {
    const block = !INLINE.has(tag);
    if (block) this.flush(depth);
    else this.edges.push(element);
    const before = this.lines.length;
    const held = this.run;
    this.inside(element, tag, depth);
    if (!block) this.edges.push(element);
    const silent = this.run === held && this.lines.length === before;
    if (silent && this.options.shapes && !element.firstElementChild) this.box(element, tag, depth);
    else if (block) this.flush(depth);
    if (this.options.ids === "all" && !element.firstElementChild && !silent) this.textId(element, block, held, depth, before);
  }

  // With ids for all, a text in an element of its own has a line and an id of its own.
  textId(element, block, held, depth, before) {
    if (block && this.lines.length === before + 1 && this.lines[before].kind === "text") {
      this.identify(this.lines[before], element);
    } else if (!block) {
      const own = squeeze(this.run.slice(held.length));
      if (!own) return;
      this.run = held;
      this.flush(depth);
      this.identify(this.add(depth, 2, "", 0, "text", own, element), element);
    }
  }

  identify(line, element) {
    const id = idOf(element);
    line.id = id;
    line.text = `[${id}] ${this.quoted(line.name)}${this.place(element)}`;
  }

  label(element, depth) {
    const control = element.control;
    if (!control || !control.checkVisibility()) {
      if (control) {
        this.flush(depth);
        this.printed(control, tagOf(control), roleOf(control, tagOf(control)), depth, element);
        return;
      }
      this.plain(element, "LABEL", depth);
      return;
    }
    const held = this.run;
    const before = this.lines.length;
    this.inside(element, "LABEL", depth);
    this.run = held;
    // Its text is the control's name.
    for (let index = this.lines.length - 1; index >= before; index -= 1) if (this.lines[index].kind === "text") this.lines.splice(index, 1);
    this.flush(depth);
  }

  select(element, depth) {
    const role = roleOf(element, "SELECT");
    const id = idOf(element);
    const chosen = [...element.selectedOptions].map((option) => squeeze(option.label || option.text));
    const name = ownName(element, "SELECT", role) || squeeze(element.title);
    const parts = [`[${id}] ${role}`, name && this.quoted(name), role === "combobox" && `value=${quote(clip(chosen.join(", "), 80))}`];
    this.add(depth, this.relevance(element, role), this.finish(element, role, parts), id, role, name, element);
    const options = element.options;
    for (let index = 0; index < options.length; index += 1) {
      if (index === this.options.maxOptions) {
        this.add(depth + 1, 4, "", 0, "text", `… ${options.length - index} more options`, element);
        break;
      }
      const option = options[index];
      const marks = `${option.selected ? " selected" : ""}${isDisabled(option) ? " disabled" : ""}`;
      const own = role === "listbox" || this.options.ids === "all" ? idOf(option) : 0;
      const text = clip(squeeze(option.label || option.text), 80);
      this.add(depth + 1, 3, `${own ? `[${own}] ` : ""}option ${quote(text)}${marks}`, own, "option", text, element);
    }
  }

  printed(element, tag, role, depth, shownBy = null) {
    const interactive = INTERACTIVE.has(role) || role === "clickable" || isClickable(element, tag);
    let name = ownName(element, tag, role);
    if (!interactive && !name && QUIET_UNLESS_NAMED.has(role) && !NAMED_BY_CONTENT.has(role)) {
      this.inside(element, tag, depth);
      this.flush(depth);
      return;
    }
    if (role === "img" && !name && !interactive && !this.options.shapes) return;
    const at = this.lines.length;
    const line = this.add(depth, 2, "", 0, role, name, element);
    const leaf = tag === "INPUT" || tag === "TEXTAREA" || tag === "CANVAS" || tag === "IMG" || tag === "VIDEO" || tag === "AUDIO" || tag === "PROGRESS" || tag === "METER";
    if (!leaf) {
      this.inside(element, tag, depth + 1);
      this.flush(depth + 1);
      if (tag === "FIELDSET" || tag === "DETAILS" || tag === "TABLE") this.dropName(at + 1, name);
    }
    const isEditor = element.isContentEditable && role !== "link";
    let value = "";
    if (isEditor && role === "clickable") {
      role = line.kind = "textbox";
      value = textOf(element);
      this.lines.length = at + 1;
    } else if (NAMED_BY_CONTENT.has(role) && !leaf) name = this.collapse(at, role, name, interactive) || name;
    if (!name && interactive) name = squeeze(element.title || "");
    if (!name && !interactive && this.lines.length === at + 1 && !leaf) {
      // Nothing inside and nothing to say.
      this.lines.length = at;
      if (this.options.shapes && !element.firstElementChild && role !== "list" && role !== "table") this.box(element, tag, depth);
      return;
    }
    const id = interactive || this.options.ids === "all" ? idOf(element) : 0;
    line.relevance = this.relevance(element, role);
    line.id = id;
    line.name = name;
    const parts = [`${id ? `[${id}] ` : ""}${role}`, name && this.quoted(name)];
    if (role === "heading") parts.push(`level=${word(element.getAttribute("aria-level") || tag.slice(1))}`);
    if (value) parts.push(`value=${this.quoted(value)}`);
    if (role === "img" && !name && this.options.shapes) parts.push(`src=${quote(clip((element.getAttribute("src") || "").split("/").pop(), 60))}`);
    if (!name && this.options.shapes && (role === "clickable" || role === "link" || role === "button")) {
      const classes = typeof element.className === "string" ? squeeze(element.className) : "";
      const color = element.firstElementChild ? "" : colorName(getComputedStyle(element).backgroundColor);
      if (color) parts.push(`color=${color}`);
      if (classes) parts.push(`class=${quote(clip(classes, 60))}`);
      if (!this.options.places) parts.push(this.at(element.getBoundingClientRect()));
    }
    line.text = this.finish(element, role, parts, shownBy);
  }

  dropName(from, name) {
    const line = this.lines[from];
    if (name && line && (line.kind === "text" || line.kind === "caption") && line.name === name) this.lines.splice(from, 1);
  }

  // A line whose inner lines are text alone takes them as its name, one that can be used takes pictures, too; a row
  // takes its cells.
  collapse(at, role, name, interactive) {
    const { lines } = this;
    const { shapes, ids: identified } = this.options;
    if (lines.length === at + 1) return name;
    const isRow = role === "row";
    const depth = lines[at].depth + 1;
    for (let index = at + 1; index < lines.length; index += 1) {
      const { kind, id, depth: own } = lines[index];
      const isText = kind === "text" && own === depth;
      const isPicture = kind === "img" && interactive && !id && !shapes;
      if (!isText && !isPicture && !(isRow && (kind === "cell" || kind === "columnheader") && !id)) return name;
    }
    if (identified === "all" && (isRow || (!interactive && lines.length > at + 2))) return name;
    const texts = [];
    for (let index = at + 1; index < lines.length; index += 1) texts.push(clip(lines[index].name, this.options.clip));
    lines.length = at + 1;
    return name || texts.join(isRow ? " | " : " ");
  }

  frame(element, depth) {
    const id = idOf(element);
    const name = ownName(element, "IFRAME", "iframe");
    const doc = insideOf(element);
    this.add(depth, 2, `[${id}] iframe${name ? ` ${this.quoted(name)}` : ""}`, id, "iframe", name, element);
    if (!doc) {
      this.unread.add(id);
      return;
    }
    if (!doc.body) return;
    const rect = element.getBoundingClientRect();
    const outer = this.offset;
    const { active, fontsVanish } = this;
    this.fontsVanish = textMayVanish(doc);
    this.offset = { x: outer.x + rect.left + element.clientLeft, y: outer.y + rect.top + element.clientTop };
    if (this.active === element) this.active = doc.activeElement;
    ask(doc, { marks: true });
    this.children(doc.body, depth + 1);
    this.flush(depth + 1);
    this.offset = outer;
    this.active = active;
    this.fontsVanish = fontsVanish;
  }
}

const lookAtTree = (options) => {
  ask(document, { marks: true });
  labelled = new WeakMap();
  const walk = new Walk(options);
  walk.active = holdsFocus() ? deepActive() : null;
  const root = document.body ?? document.documentElement; // a picture of SVG has no body
  if (root) {
    walk.children(root, 0);
    walk.flush(0);
  }
  labelled = null;
  const lines = options.visible ? walk.lines.filter((line) => line.side === 0) : walk.lines;
  const count = (side) => walk.lines.filter((line) => line.side === side).length;
  return {
    lines: lines.map((line) => INDENTS[Math.min(line.depth, 12)] + (line.text || walk.quoted(line.name))).join("\n"),
    relevance: lines.map((line) => line.relevance).join(""),
    cut: walk.count > options.maxElements,
    above: options.visible ? count(-1) : 0,
    below: options.visible ? count(1) : 0,
    frames: walk.unread.size ? lines.flatMap((line, index) => (walk.unread.has(line.id) ? [[line.id, index + 1]] : [])) : [],
  };
};
