// The tree: one walk through the page, a line an element. The format is explained in `sight.py`.

class Walk extends Printer {
  children(node, depth) {
    for (let child = firstOf(node); child; child = nextOf(child)) {
      const kind = child.nodeType;
      if (kind === 3) this.run += child.data;
      else if (kind === 1 || typeof kind !== "number") this.element(child, depth);
      if (this.count > this.options.maxElements) return;
    }
  }

  // A form whose fields hide its own properties: its name and what is in it.
  form(element, depth) {
    if (!checkVisibility.call(element)) return;
    this.flush(depth);
    const name = squeeze(getAttribute.call(element, "aria-label") || "");
    const id = this.options.ids === "all" ? idOf(element) : 0;
    if (name || id) this.lines.push([depth, 2, `${id ? `[${id}] ` : ""}form${name && ` ${quote(clip(name, this.options.clip))}`}`, id, "form"]);
    this.children(element, name || id ? depth + 1 : depth);
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
    if (element.shadowRoot) {
      this.children(element.shadowRoot, depth);
      return;
    }
    if (tag === "SLOT") {
      const given = element.assignedNodes();
      if (given.length) {
        for (const node of given)
          if (node.nodeType === 3) this.run += node.data;
          else if (node.nodeType === 1) this.element(node, depth);
        return;
      }
    }
    this.children(element, depth);
  }

  element(element, depth) {
    const tag = tagOf(element);
    if (SKIP.has(tag)) return;
    this.count += 1;
    if (this.skipped && this.skipped.has(element)) return;
    if (tag === "FORM" && isClobbered(element)) {
      this.form(element, depth);
      return;
    }
    if (element.namespaceURI === "http://www.w3.org/2000/svg") {
      this.drawn(element, tag, depth);
      return;
    }
    if (tag === "BR") {
      this.run += " ";
      return;
    }
    if (!element.checkVisibility()) {
      if (tag === "OPTION" || tag === "OPTGROUP" || tag === "SLOT" || getComputedStyle(element).display === "contents") {
        if (element.getAttribute("aria-hidden") !== "true") this.inside(element, tag, depth);
      }
      return;
    }
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
    const before = this.lines.length;
    const held = this.run;
    this.inside(element, tag, depth);
    const silent = this.run === held && this.lines.length === before;
    if (silent && this.options.shapes && !element.firstElementChild) this.box(element, tag, depth);
    else if (block) this.flush(depth);
    if (this.options.ids === "all" && !element.firstElementChild && !silent) this.textId(element, block, held, depth, before);
  }

  // With ids for all, a text in an element of its own has a line and an id of its own.
  textId(element, block, held, depth, before) {
    if (block && this.lines.length === before + 1 && this.lines[before][4] === "text") {
      this.identify(this.lines[before], element);
    } else if (!block) {
      const own = squeeze(this.run.slice(held.length));
      if (!own) return;
      this.run = held;
      this.flush(depth);
      const line = [depth, 2, quote(clip(own, this.options.clip)), 0, "text"];
      this.lines.push(line);
      this.identify(line, element);
    }
  }

  identify(line, element) {
    const id = idOf(element);
    line[3] = id;
    line[2] = `[${id}] ${line[2]}${this.place(element)}`;
  }

  label(element, depth) {
    const control = element.control;
    if (!control || !control.checkVisibility()) {
      if (control) {
        this.flush(depth);
        this.printed(control, control.tagName, roleOf(control, control.tagName), depth, element);
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
    for (let index = this.lines.length - 1; index >= before; index -= 1) if (this.lines[index][4] === "text") this.lines.splice(index, 1);
    this.flush(depth);
  }

  select(element, depth) {
    const role = roleOf(element, "SELECT");
    const id = idOf(element);
    const chosen = [...element.selectedOptions].map((option) => squeeze(option.label || option.text));
    const name = ownName(element, "SELECT", role) || squeeze(element.title);
    const parts = [`[${id}] ${role}`, name && quote(clip(name, this.options.clip)), role === "combobox" && `value=${quote(clip(chosen.join(", "), 80))}`];
    this.lines.push([depth, this.relevance(element, role), this.finish(element, role, parts), id, role]);
    const options = element.options;
    for (let index = 0; index < options.length; index += 1) {
      if (index === this.options.maxOptions) {
        this.lines.push([depth + 1, 4, `"… ${options.length - index} more options"`, 0, "text"]);
        break;
      }
      const option = options[index];
      const marks = `${option.selected ? " selected" : ""}${isDisabled(option) ? " disabled" : ""}`;
      const own = role === "listbox" || this.options.ids === "all" ? idOf(option) : 0;
      this.lines.push([depth + 1, 3, `${own ? `[${own}] ` : ""}option ${quote(clip(squeeze(option.label || option.text), 80))}${marks}`, own, "option"]);
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
    const line = [depth, 2, "", 0, role];
    this.lines.push(line);
    const leaf = tag === "INPUT" || tag === "TEXTAREA" || tag === "CANVAS" || tag === "IMG" || tag === "VIDEO" || tag === "AUDIO" || tag === "PROGRESS" || tag === "METER";
    if (!leaf) {
      this.inside(element, tag, depth + 1);
      this.flush(depth + 1);
      if (tag === "FIELDSET" || tag === "DETAILS" || tag === "TABLE") this.dropName(at + 1, name);
    }
    const isEditor = element.isContentEditable && role !== "link";
    let value = "";
    if (isEditor && role === "clickable") {
      role = line[4] = "textbox";
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
    line[1] = this.relevance(element, role);
    line[3] = id;
    const parts = [`${id ? `[${id}] ` : ""}${role}`, name && quote(clip(name, this.options.clip))];
    if (role === "heading") parts.push(`level=${word(element.getAttribute("aria-level") || tag.slice(1))}`);
    if (value) parts.push(`value=${quote(clip(value, this.options.clip))}`);
    if (role === "img" && !name && this.options.shapes) parts.push(`src=${quote(clip((element.getAttribute("src") || "").split("/").pop(), 60))}`);
    if (!name && this.options.shapes && (role === "clickable" || role === "link" || role === "button")) {
      const classes = typeof element.className === "string" ? squeeze(element.className) : "";
      const color = element.firstElementChild ? "" : colorName(getComputedStyle(element).backgroundColor);
      if (color) parts.push(`color=${color}`);
      if (classes) parts.push(`class=${quote(clip(classes, 60))}`);
      if (!this.options.places) parts.push(this.at(element.getBoundingClientRect()));
    }
    line[2] = this.finish(element, role, parts, shownBy);
  }

  dropName(from, name) {
    const line = this.lines[from];
    if (name && line && (line[4] === "text" || line[4] === "caption") && line[2].includes(quote(clip(name, this.options.clip)))) this.lines.splice(from, 1);
  }

  // A line whose inner lines are text alone takes them as its name; a row takes its cells.
  collapse(at, role, name, interactive) {
    const inner = this.lines.slice(at + 1);
    if (!inner.length) return name;
    const isRow = role === "row";
    const plain = inner.every((line) => line[4] === "text" && line[0] === this.lines[at][0] + 1 || isRow && (line[4] === "cell" || line[4] === "columnheader") && !line[3]);
    if (!plain) return name;
    if (!isRow && this.options.ids === "all" && !interactive && inner.length > 1) return name;
    if (isRow && this.options.ids === "all") return name;
    const texts = inner.map((line) => {
      const found = /"((?:[^"\\]|\\.)*)"/.exec(line[2]);
      return found ? found[1].replace(/\\(["\\])/g, "$1") : "";
    });
    this.lines.length = at + 1;
    return name || texts.join(isRow ? " | " : " ");
  }

  frame(element, depth) {
    const id = idOf(element);
    const name = ownName(element, "IFRAME", "iframe");
    const doc = insideOf(element);
    this.lines.push([depth, 2, `[${id}] iframe${name ? ` ${quote(clip(name, this.options.clip))}` : ""}`, id, "iframe"]);
    if (!doc) {
      this.unread.add(id);
      return;
    }
    if (!doc.body) return;
    const rect = element.getBoundingClientRect();
    const outer = this.offset;
    const active = this.active;
    this.offset = { x: outer.x + rect.left + element.clientLeft, y: outer.y + rect.top + element.clientTop };
    if (this.active === element) this.active = doc.activeElement;
    ask(doc, { marks: true });
    this.children(doc.body, depth + 1);
    this.flush(depth + 1);
    this.offset = outer;
    this.active = active;
  }
}

const lookAtTree = (options) => {
  ask(document, { marks: true });
  const walk = new Walk(options);
  walk.active = holdsFocus() ? deepActive() : null;
  if (document.body) {
    walk.children(document.body, 0);
    walk.flush(0);
  }
  let lines = walk.lines;
  let above = 0;
  let below = 0;
  if (options.visible) {
    const kept = [];
    for (const line of lines) {
      const element = line[3] ? elementOf(line[3]) : null;
      const rect = element?.getBoundingClientRect();
      if (rect && rect.bottom <= 0) above += 1;
      else if (rect && rect.top >= innerHeight) below += 1;
      else kept.push(line);
    }
    lines = kept;
  }
  return {
    lines: lines.map((line) => " ".repeat(Math.min(line[0], 12)) + line[2]),
    relevance: lines.map((line) => line[1]).join(""),
    depths: lines.map((line) => Math.min(line[0], 99)),
    cut: walk.count > options.maxElements,
    above, below,
    frames: lines.flatMap((line, index) => (walk.unread.has(line[3]) ? [[line[3], index + 1]] : [])),
  };
};
