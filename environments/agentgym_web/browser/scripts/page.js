// Runs in a world of its own in every frame, which the page's scripts cannot reach: observes the page in one pass, and
// finds where elements are. The format of the tree is explained in observing.py.
((SECRET) => {
  let lastId = 0;
  let ids = new WeakMap();
  const elements = new Map();
  const clickable = new WeakSet();
  let answer = null;
  let submitted = null; // the last form that was sent, which its page may still have stopped

  const hear = (doc) => {
    doc.addEventListener(`${SECRET}mark`, (event) => clickable.add(event.composedPath()[0]), true);
    doc.addEventListener(`${SECRET}answer`, (event) => { answer = event.detail; }, true);
    doc.addEventListener("submit", (event) => { submitted = event; }, true);
  };
  hear(document);
  const heard = new WeakSet([document]);

  const ask = (doc, detail) => {
    if (!heard.has(doc)) {
      heard.add(doc);
      hear(doc);
    }
    answer = null;
    doc.dispatchEvent(new CustomEvent(`${SECRET}ask`, { detail }));
    return answer || { more: false, pending: 0, due: null };
  };

  // A form with a field called "parentNode" answers with that field when asked for its parent. What may be a form is
  // asked through the prototypes.
  const reader = (owner, name) => {
    const { get } = Object.getOwnPropertyDescriptor(owner.prototype, name);
    return (node) => get.call(node);
  };
  const tagOf = reader(Element, "tagName");
  const firstOf = reader(Node, "firstChild");
  const nextOf = reader(Node, "nextSibling");
  const parentOf = reader(Node, "parentNode");
  const contentOf = reader(Node, "textContent");
  const nodesOf = reader(Node, "childNodes");
  const { getAttribute, checkVisibility, closest } = Element.prototype;
  const ASKED = [
    "getAttribute", "hasAttribute", "checkVisibility", "isContentEditable", "getRootNode", "labels", "title", "querySelector",
    "getBoundingClientRect", "contains", "disabled", "readOnly", "required", "className", "type", "value", "textContent", "innerText",
    "namespaceURI", "isConnected",
  ];
  const isField = (value) => value instanceof Element || value instanceof RadioNodeList;
  const isClobbered = (form) => ASKED.some((name) => isField(form[name]));

  const idOf = (element) => {
    let id = ids.get(element);
    if (id === undefined) {
      id = ++lastId;
      ids.set(element, id);
      elements.set(id, new WeakRef(element));
    }
    return id;
  };
  const elementOf = (id) => {
    const element = elements.get(id)?.deref();
    return element && element.isConnected ? element : null;
  };

  // Settling.

  const channel = new MessageChannel();
  const waiting = [];
  channel.port1.onmessage = () => waiting.shift()?.();
  const hop = () => new Promise((go) => { waiting.push(go); channel.port2.postMessage(0); });
  const pause = (ms) => new Promise((go) => setTimeout(go, ms));
  const frames = (doc, found = []) => {
    found.push(doc);
    for (const frame of doc.querySelectorAll("iframe, frame")) {
      const inner = insideOf(frame);
      if (inner) frames(inner, found);
    }
    return found;
  };
  const insideOf = (frame) => {
    try {
      return frame.contentDocument;
    } catch {
      return null;
    }
  };

  // A page whose clock is virtual goes on by `spanMs`, or, with `quiet`, only until no timer is left; a page on real time is
  // waited for while timers are due soon, requests run or elements change.
  const settle = async ({ virtual, spanMs, limitMs, dueMs = 120 }) => {
    const began = performance.now();
    await hop();
    let documents = document.querySelector("iframe, frame") ? frames(document) : [document];
    while (documents.some((doc) => doc.readyState !== "complete") && performance.now() - began < limitMs) {
      await pause(4);
      documents = frames(document);
    }
    if (virtual) {
      for (const doc of documents) {
        let told = ask(doc, { span: spanMs });
        const until = told.end;
        for (let count = 0; told.more && count < 5000 && performance.now() - began < limitMs; count += 1) {
          await null;
          told = ask(doc, { until });
          if (count % 50 === 49) await hop();
        }
        if (told.ran) await hop();
      }
      for (const doc of documents) {
        while (ask(doc, {}).pending > 0 && performance.now() - began < limitMs) {
          await pause(2);
          let told = ask(doc, { span: 20 });
          const until = told.end;
          while (told.more && performance.now() - began < limitMs) { await null; told = ask(doc, { until }); }
        }
      }
    } else {
      let changes = 1;
      const watcher = new MutationObserver(() => { changes += 1; });
      for (const doc of documents) watcher.observe(doc, { subtree: true, childList: true, attributes: true, characterData: true });
      try {
        for (let quiet = 0; quiet < 2 && performance.now() - began < limitMs; ) {
          changes = 0;
          await pause(quiet ? 16 : 4);
          const told = documents.map((doc) => ask(doc, {}));
          const busy = told.some((each) => each.pending > 0 || (each.due !== null && each.due < dueMs));
          quiet = busy || changes ? 0 : quiet + 1;
          if (performance.now() - began > limitMs / 2 && !told.some((each) => each.pending > 0)) break;
        }
      } finally {
        watcher.disconnect();
      }
    }
    for (const doc of documents) {
      const unfinished = () => [...doc.images].some((image) => !image.complete && image.loading !== "lazy");
      while (unfinished() && performance.now() - began < limitMs) await pause(4);
    }
    let ended = false;
    for (const doc of documents)
      for (const animation of doc.getAnimations()) {
        const timing = animation.effect?.getComputedTiming();
        if (animation.playState === "running" && timing && timing.endTime !== Infinity) {
          animation.finish();
          ended = true;
        }
      }
    if (ended) {
      await new Promise((go) => { requestAnimationFrame(go); setTimeout(go, 50); });
      if (virtual) for (const doc of documents) ask(doc, { span: 0 });
      await hop();
    }
    const sent = submitted !== null && !submitted.defaultPrevented;
    submitted = null;
    return sent;
  };

  // Until the next frame is drawn: a wheel scrolls only then.
  const drawn = () => new Promise((go) => { requestAnimationFrame(() => requestAnimationFrame(go)); setTimeout(go, 200); });

  // Roles and names, after HTML-AAM and the computation of accessible names, for what agents meet.

  const INPUT_ROLES = {
    button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox", radio: "radio",
    range: "slider", number: "spinbutton", search: "searchbox", hidden: "", color: "colorpicker", file: "filepicker",
  };
  const TAG_ROLES = {
    BUTTON: "button", SUMMARY: "button", TEXTAREA: "textbox", OPTION: "option", OPTGROUP: "group", PROGRESS: "progressbar",
    METER: "meter", H1: "heading", H2: "heading", H3: "heading", H4: "heading", H5: "heading", H6: "heading", UL: "list",
    OL: "list", MENU: "list", LI: "listitem", DL: "list", DT: "term", DD: "definition", TABLE: "table", TR: "row",
    TD: "cell", TH: "columnheader", NAV: "navigation", MAIN: "main", ASIDE: "complementary", ARTICLE: "article",
    FIELDSET: "group", DETAILS: "group", DIALOG: "dialog", FIGURE: "figure", BLOCKQUOTE: "blockquote", IFRAME: "iframe",
    FRAME: "iframe", VIDEO: "video", AUDIO: "audio", CANVAS: "canvas", HR: "", CAPTION: "caption", SEARCH: "search",
  };
  const INTERACTIVE = new Set([
    "button", "link", "textbox", "searchbox", "checkbox", "radio", "slider", "spinbutton", "combobox", "listbox", "menuitem",
    "menuitemcheckbox", "menuitemradio", "tab", "switch", "treeitem", "option", "gridcell", "colorpicker", "filepicker",
    "video", "audio", "datepicker", "scrollbar",
  ]);
  const NAMED_BY_CONTENT = new Set([
    "button", "link", "heading", "cell", "columnheader", "rowheader", "gridcell", "listitem", "option", "menuitem", "tab", "row",
    "menuitemcheckbox", "menuitemradio", "switch", "treeitem", "term", "definition", "caption", "checkbox", "radio", "tooltip",
    "clickable", "status", "alert", "figure", "blockquote",
  ]);
  // Containers that are worth a line, though nobody acts on them.
  const STRUCTURE = new Set([
    "list", "table", "row", "grid", "tree", "menu", "menubar", "tablist", "tabpanel", "toolbar", "radiogroup", "navigation", "main",
    "complementary", "banner", "contentinfo", "article", "dialog", "alertdialog", "group", "form", "region", "search", "iframe",
    "listitem", "rowgroup", "feed", "log", "progressbar", "meter", "img", "canvas", "treegrid", "application",
  ]);
  const QUIET_UNLESS_NAMED = new Set(["group", "form", "region", "rowgroup", "progressbar", "figure", "blockquote"]);
  const INLINE = new Set([
    "SPAN", "B", "I", "EM", "STRONG", "SMALL", "CODE", "U", "S", "SUB", "SUP", "FONT", "MARK", "ABBR", "TIME", "LABEL", "TSPAN", "BDI",
    "KBD", "SAMP", "VAR", "Q", "CITE", "DFN", "INS", "DEL", "A", "TT", "BIG", "OUTPUT", "DATA", "WBR",
  ]);
  const SHAPES = new Set(["rect", "circle", "ellipse", "line", "polygon", "polyline", "path", "text", "image"]);
  const SKIP = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "META", "LINK", "TITLE", "BASE", "DATALIST", "COLGROUP", "MAP"]);

  // What a page says stays on its line: no breaks, no controls of terminals, nothing that turns the reading direction,
  // no half of a pair of surrogates; and nobody reads a text of a million characters.
  const UNPRINTED = /[\s\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff]+/g;
  const LONGEST = 100_000;
  const DEEPEST = 800; // elements within each other: more would be too many calls within each other
  const flat = (text) => String(text).slice(0, LONGEST).replace(UNPRINTED, " ");
  const squeeze = (text) => flat(text).trim();
  const clip = (text, limit) => (text.length > limit ? `${text.slice(0, limit)}…` : text).toWellFormed();
  const quote = (text) => `"${flat(text).toWellFormed().replace(/["\\]/g, "\\$&")}"`;
  const word = (text) => String(text).slice(0, 100).replace(/[^\w.:%#(),-]/g, "");

  const roleOf = (element, tag) => {
    const stated = element.getAttribute("role");
    if (stated) {
      const role = word(squeeze(stated).split(" ")[0]).toLowerCase();
      if (role && role !== "none" && role !== "presentation" && role !== "generic") return role === "rowheader" ? "columnheader" : role;
      if (role) return "";
    }
    if (tag === "INPUT") return INPUT_ROLES[element.type] ?? (element.list ? "combobox" : "textbox");
    if (tag === "A") return element.hasAttribute("href") ? "link" : "";
    if (tag === "AREA") return "link";
    if (tag === "SELECT") return element.multiple || element.size > 1 ? "listbox" : "combobox";
    if (tag === "IMG") return "img";
    if (tag === "HEADER") return element.closest("article, aside, main, nav, section") ? "" : "banner";
    if (tag === "FOOTER") return element.closest("article, aside, main, nav, section") ? "" : "contentinfo";
    if (tag === "SECTION") return element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby") ? "region" : "";
    if (tag === "FORM") return "form";
    return TAG_ROLES[tag] ?? "";
  };

  const textOf = (element) => squeeze(element.innerText ?? element.textContent ?? "");
  const ownName = (element, tag, role) => {
    const by = element.getAttribute("aria-labelledby");
    if (by) {
      const root = element.getRootNode();
      const text = by.split(/\s+/).map((id) => root.getElementById?.(id)).filter(Boolean).map(textOf).join(" ");
      if (text) return squeeze(text);
    }
    const label = element.getAttribute("aria-label");
    if (label && label.trim()) return squeeze(label);
    if (tag === "INPUT" && INPUT_ROLES[element.type] === "button") {
      const shown = { submit: "Submit", reset: "Reset", image: "Submit" }[element.type] || "";
      return squeeze(element.getAttribute("alt") || element.getAttribute("value") || element.title || shown);
    }
    if (element.labels && element.labels.length) {
      const text = [...element.labels].map(labelText).join(" ").trim();
      if (text) return text;
    }
    if (tag === "IMG" || tag === "AREA") return squeeze(element.getAttribute("alt") || element.title || "");
    if (tag === "FIELDSET") return squeeze(element.querySelector(":scope > legend")?.textContent || "");
    if (tag === "TABLE") return squeeze(element.caption?.textContent || "");
    if (tag === "DETAILS") return squeeze(element.querySelector(":scope > summary")?.textContent || "");
    if (tag === "IFRAME" || tag === "FRAME") return squeeze(element.title || element.name || "");
    if (tag === "INPUT" || tag === "TEXTAREA")
      return squeeze(element.getAttribute("placeholder") || element.title || "");
    return "";
  };
  const labelText = (label) => {
    let text = "";
    const walk = (node) => {
      for (const child of node.childNodes)
        if (child.nodeType === 3) text += child.data;
        else if (child.nodeType === 1 && !["SELECT", "TEXTAREA", "BUTTON", "INPUT", "OPTION"].includes(child.tagName)) walk(child);
    };
    walk(label);
    return squeeze(text);
  };

  const isClickable = (element, tag) => {
    if (clickable.has(element)) return true;
    if (element.hasAttribute("onclick") || element.isContentEditable && !element.parentElement?.isContentEditable) return true;
    const order = element.getAttribute("tabindex");
    return order !== null && Number(order) >= 0 && tag !== "IFRAME";
  };

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

  class Walk {
    constructor(options) {
      this.options = options;
      this.lines = []; // [depth, relevance, text, id or 0, kind]
      this.run = "";
      this.count = 0;
      this.hidden = 0;
      this.depth = 0;
      this.offset = { x: 0, y: 0 };
      this.active = document.activeElement;
      this.boxes = [];
      this.crossOrigin = [];
      this.skipped = options.skip ? new Set(document.querySelectorAll(options.skip)) : null;
      this.width = innerWidth;
      this.height = innerHeight;
    }

    flush(depth) {
      const text = squeeze(this.run);
      this.run = "";
      if (text) this.lines.push([depth, 2, quote(clip(text, this.options.clip)), 0, "text"]);
    }

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
      this.lines.push([depth, 3, `[${id}] box ${parts.join(" ")}`, id, "box"]);
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

    drawn(element, tag, depth) {
      const clickableHere = isClickable(element, tag);
      if (tag === "svg" || tag === "g" || tag === "a" || tag === "foreignObject") {
        if (!element.checkVisibility() || element.getAttribute("aria-hidden") === "true" && !this.options.shapes) return;
        const label = element.getAttribute("aria-label");
        const role = element.getAttribute("role");
        if (tag === "svg" && (role === "img" || (label && !this.options.shapes))) {
          this.flush(depth);
          const name = label || squeeze(element.querySelector("title")?.textContent || "");
          const id = clickableHere ? idOf(element) : 0;
          if (name || id) this.lines.push([depth, 3, `${id ? `[${id}] ` : ""}img ${quote(clip(name, this.options.clip))}`, id, "img"]);
          if (!this.options.shapes) return;
        }
        this.flush(depth);
        let inner = depth;
        if (tag === "svg" && this.options.shapes) {
          const id = idOf(element);
          this.lines.push([depth, 4, `[${id}] svg ${this.at(element.getBoundingClientRect())}`, id, "svg"]);
          inner = depth + 1;
        }
        for (const child of element.children) this.element(child, inner);
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
      this.lines.push([depth, 3, `${parts.join(" ")}${points}`, id, "shape"]);
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
        const marks = `${option.selected ? " selected" : ""}${option.disabled ? " disabled" : ""}`;
        const own = role === "listbox" || this.options.ids === "all" ? idOf(option) : 0;
        this.lines.push([depth + 1, 3, `${own ? `[${own}] ` : ""}option ${quote(clip(squeeze(option.label || option.text), 80))}${marks}`, own, "option"]);
      }
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

    finish(element, role, parts, shownBy = null) {
      const tag = element.tagName;
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
      if (element.disabled || element.getAttribute("aria-disabled") === "true") parts.push("disabled");
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

    frame(element, depth) {
      const id = idOf(element);
      const name = ownName(element, "IFRAME", "iframe");
      const doc = insideOf(element);
      this.lines.push([depth, 2, `[${id}] iframe${name ? ` ${quote(clip(name, this.options.clip))}` : ""}`, id, "iframe"]);
      if (!doc || !doc.body) {
        this.crossOrigin.push([id, this.lines.length]);
        return;
      }
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

  const deepActive = () => {
    let active = document.activeElement;
    for (;;) {
      const inner = active?.shadowRoot?.activeElement ?? (active && active.tagName === "IFRAME" ? insideOf(active)?.activeElement : null);
      if (!inner || inner === active) return active;
      active = inner;
    }
  };

  const lookAtTree = (options) => {
    ask(document, { marks: true });
    const walk = new Walk(options);
    walk.active = deepActive();
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
      crossOrigin: walk.crossOrigin,
      cut: walk.count > options.maxElements,
      above, below,
    };
  };

  // The pruned DOM: tags, texts and the attributes that say something, with the same ids.
  const KEPT = ["id", "name", "type", "value", "href", "alt", "title", "placeholder", "role", "for", "checked", "selected", "disabled", "aria-label", "class"];
  const lookAtDom = (options) => {
    const out = [];
    let size = 0;
    const escape = (text) => text.replace(/[&<>]/g, (mark) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[mark]);
    const add = (text) => { out.push(text); size += text.length; };
    const visit = (node, depth) => {
      for (let child = firstOf(node); child; child = nextOf(child)) {
        if (size > options.maxDom) return;
        if (child.nodeType === 3) {
          const text = squeeze(child.data);
          if (text) add(" ".repeat(depth) + escape(clip(text, options.clip)));
          continue;
        }
        if (typeof child.nodeType === "number" && child.nodeType !== 1 || SKIP.has(tagOf(child))) continue;
        const tag = tagOf(child).toLowerCase();
        const hiddenOption = tag === "option" || tag === "optgroup";
        if (!hiddenOption && !checkVisibility.call(child) && getComputedStyle(child).display !== "contents") continue;
        const attributes = [];
        for (const name of KEPT) {
          const value = getAttribute.call(child, name);
          if (value !== null && value !== "") attributes.push(`${name}="${escape(clip(squeeze(value), 100)).replace(/"/g, "&quot;")}"`);
        }
        const known = ids.get(child);
        const inner = (tag !== "form" && child.shadowRoot) || (tag === "iframe" ? insideOf(child)?.body : null) || child;
        const useless = known === undefined && !attributes.length && (tag === "div" || tag === "span");
        if (useless) {
          visit(inner, depth);
          continue;
        }
        const head = `${tag}${known === undefined ? "" : ` bid="${known}"`}${attributes.length ? ` ${attributes.join(" ")}` : ""}`;
        const first = firstOf(inner);
        const only = nodesOf(inner).length === 1 && first.nodeType === 3 ? squeeze(first.data) : null;
        if (!first) add(`${" ".repeat(depth)}<${head}/>`);
        else if (only !== null) add(`${" ".repeat(depth)}<${head}>${escape(clip(only, options.clip))}</${tag}>`);
        else {
          add(`${" ".repeat(depth)}<${head}>`);
          visit(inner, depth + 1);
          add(`${" ".repeat(depth)}</${tag}>`);
        }
      }
    };
    if (document.body) visit(document.body, 0);
    return out.join("\n");
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
      const role = roleOf(element, element.tagName);
      if (!INTERACTIVE.has(role) && !isClickable(element, element.tagName)) continue;
      const rect = element.getBoundingClientRect();
      const offset = offsetOf(element);
      const box = [rect.left + offset.x, rect.top + offset.y, rect.width, rect.height];
      if (box[2] < 1 || box[3] < 1 || box[0] >= innerWidth || box[1] >= innerHeight || box[0] + box[2] <= 0 || box[1] + box[3] <= 0) continue;
      marks.push([id, ...box.map(Math.round)]);
    }
    return marks;
  };

  const observe = async (options) => {
    const began = performance.now();
    if (options.restart) {
      ids = new WeakMap();
      elements.clear();
      lastId = 0;
    }
    const sent = options.settle ? await settle(options.settle) : false;
    const found = {
      sent,
      url: location.href, title: clip(squeeze(document.title), 200), settleMs: performance.now() - began, state: document.readyState,
      scroll: [Math.round(scrollX), Math.round(scrollY), document.scrollingElement?.scrollWidth ?? 0, document.scrollingElement?.scrollHeight ?? 0, innerWidth, innerHeight],
    };
    if (options.tree) found.tree = lookAtTree(options.tree);
    if (options.dom) found.dom = lookAtDom(options.dom);
    if (options.marks) found.marks = lookAtMarks();
    const active = deepActive();
    found.focused = active && active !== document.body && ids.has(active) ? ids.get(active) : 0;
    return found;
  };

  // Where to act.

  const offsetOf = (element) => {
    const offset = { x: 0, y: 0 };
    let view = element.ownerDocument.defaultView;
    while (view && view !== window && view.frameElement) {
      const frame = view.frameElement;
      const rect = frame.getBoundingClientRect();
      offset.x += rect.left + frame.clientLeft;
      offset.y += rect.top + frame.clientTop;
      view = frame.ownerDocument.defaultView;
    }
    return offset;
  };
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
    for (let node = inner; node; node = parentOf(node) || node.host) if (node === outer) return true;
    return false;
  };
  const describe = (element) => {
    const tag = tagOf(element);
    const known = ids.get(element);
    const text = clip(squeeze(contentOf(element) || ""), 40);
    return `${known === undefined ? "" : `[${known}] `}${tag !== "FORM" && roleOf(element, tag) || tag.toLowerCase()}${text ? ` ${quote(text)}` : ""}`;
  };

  const locate = (id, { needsPoint = true, editable = false, scroll = true } = {}) => {
    if (!elements.has(id)) return { error: "unknown" };
    let element = elementOf(id);
    if (!element) return { error: "vanished" };
    if (editable) {
      if (element.tagName === "LABEL" && element.control) element = element.control;
      const kind = element.tagName;
      const fits = kind === "TEXTAREA" || element.isContentEditable || (kind === "INPUT" && !["checkbox", "radio", "button", "submit", "reset", "file", "image", "hidden"].includes(element.type));
      if (!fits) return { error: "notEditable", what: describe(element) };
      if (element.readOnly) return { error: "readonly", what: describe(element) };
    }
    if (element.disabled) return { error: "disabled", what: describe(element) };
    if (!needsPoint) return { element: true };
    let shown = element;
    if (!element.checkVisibility({ visibilityProperty: true })) {
      const label = element.labels?.[0];
      if (!label || !label.checkVisibility()) return { error: "hidden", what: describe(element) };
      shown = label;
    }
    if (scroll) shown.scrollIntoViewIfNeeded ? shown.scrollIntoViewIfNeeded(true) : shown.scrollIntoView({ block: "center", behavior: "instant" });
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
    return { error: "covered", what: describe(element), by: cover ? describe(cover) : "something outside the window" };
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
    if (element.disabled) return { error: "disabled", what: describe(element) };
    const options = [...element.options];
    const chosen = [];
    for (const each of wanted) {
      const found = options.find((option) => option.value === each || squeeze(option.label || option.text) === squeeze(each));
      if (!found) return { error: "noOption", what: describe(element), wanted: each, options: options.slice(0, 20).map((option) => squeeze(option.label || option.text)) };
      if (found.disabled) return { error: "disabled", what: describe(found) };
      chosen.push(found);
    }
    if (!element.multiple && chosen.length > 1) return { error: "oneOption", what: describe(element) };
    element.focus({ preventScroll: true });
    for (const option of options) option.selected = chosen.includes(option);
    element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    element.dispatchEvent(new Event("change", { bubbles: true }));
    return {};
  };

  const centre = (id) => {
    const element = elementOf(id);
    if (!element) return { error: "vanished" };
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

  const known = (element) => ids.get(element) ?? 0;
  const usable = (element) => INTERACTIVE.has(roleOf(element, element.tagName)) || isClickable(element, element.tagName);

  globalThis.agentgym = { known, usable, insideOf, observe, locate, centre, checked, focus, setValue, selectOptions, elementOf, idOf, settle, drawn, last: () => lastId };
})("__SECRET__");
