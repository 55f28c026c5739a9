// Texts, roles and names, after HTML-AAM and the computation of accessible names, for what agents meet.

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
const QUIET_UNLESS_NAMED = new Set(["group", "form", "region", "rowgroup", "figure", "blockquote"]);
const INLINE = new Set([
  "SPAN", "B", "I", "EM", "STRONG", "SMALL", "CODE", "U", "S", "SUB", "SUP", "FONT", "MARK", "ABBR", "TIME", "LABEL", "TSPAN", "BDI",
  "KBD", "SAMP", "VAR", "Q", "CITE", "DFN", "INS", "DEL", "A", "TT", "BIG", "OUTPUT", "DATA", "WBR",
]);
const SHAPES = new Set(["rect", "circle", "ellipse", "line", "polygon", "polyline", "path", "text", "image"]);
const DRAWN = new Set([...SHAPES, "svg", "g", "a", "foreignObject"]);
const SKIP = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "META", "LINK", "TITLE", "BASE", "DATALIST", "COLGROUP", "MAP"]);

// What a page says stays on its line: no breaks, no controls of terminals, nothing that turns the reading direction,
// no half of a pair of surrogates; and nobody reads a text of a million characters.
const UNPRINTED = /[\s\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff]+/g;
const LONGEST = 100_000;
const DEEPEST = 800; // elements within each other: more would be too many calls within each other
const ODD = /[^\x20\x21\x23-\x5b\x5d-\x7e]| {2}|^ | $/; // what a text may hold that has to be changed in any way
const isOdd = (text) => text.length > LONGEST || ODD.test(text);
const isBlank = (text) => !/\S/.test(text);
const flat = (text) => String(text).slice(0, LONGEST).replace(UNPRINTED, " ");
const squeeze = (text) => (typeof text === "string" && !isOdd(text) ? text : flat(text).trim());
const clip = (text, limit) => (text.length > limit ? `${text.slice(0, limit)}…`.toWellFormed() : text);
const quote = (text) => (isOdd(text) ? `"${flat(text).toWellFormed().replace(/["\\]/g, "\\$&")}"` : `"${text}"`);
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
  if (tag === "a") return element.hasAttribute("href") || element.hasAttribute("xlink:href") ? "link" : "";
  if (tag === "AREA") return "link";
  if (tag === "SELECT") return element.multiple || element.size > 1 ? "listbox" : "combobox";
  if (tag === "IMG") return "img";
  if (tag === "HEADER") return element.closest("article, aside, main, nav, section") ? "" : "banner";
  if (tag === "FOOTER") return element.closest("article, aside, main, nav, section") ? "" : "contentinfo";
  if (tag === "SECTION") return element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby") ? "region" : "";
  if (tag === "FORM") return "form";
  if (isFrame(element, tag)) return "iframe";
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
  if (LABELABLE.has(tag)) {
    const text = labelsOf(element).map(labelText).join(" ").trim();
    if (text) return text;
  }
  if (tag === "IMG" || tag === "AREA") return squeeze(element.getAttribute("alt") || element.title || "");
  if (tag === "FIELDSET") return squeeze(element.querySelector(":scope > legend")?.textContent || "");
  if (tag === "TABLE") return squeeze(element.caption?.textContent || "");
  if (tag === "DETAILS") return squeeze(element.querySelector(":scope > summary")?.textContent || "");
  if (tag === "IFRAME" || tag === "FRAME" || tag === "OBJECT" || tag === "EMBED") return squeeze(element.title || element.name || "");
  if (DRAWN.has(tag)) return squeeze([...element.children].find((child) => tagOf(child) === "title")?.textContent ?? "");
  if (tag === "INPUT" || tag === "TEXTAREA")
    return squeeze(element.getAttribute("placeholder") || element.title || "");
  return "";
};
// The labels of an element. To ask each element for its own takes time that grows with the square of the page, so while
// a page is walked through they are asked for their elements, once.
const LABELABLE = new Set(["BUTTON", "INPUT", "METER", "OUTPUT", "PROGRESS", "SELECT", "TEXTAREA"]);
let labelled = null; // by root of a document or shadow tree: labels by element
const labelsOf = (element) => {
  if (!labelled) return [...(element.labels ?? [])];
  const root = element.getRootNode();
  let known = labelled.get(root);
  if (!known) {
    known = new Map();
    for (const label of root.querySelectorAll("label")) {
      const { control } = label;
      if (control) known.set(control, [...(known.get(control) ?? []), label]);
    }
    labelled.set(root, known);
  }
  return known.get(element) ?? [];
};
const labelText = (label) => {
  let text = "";
  const walk = (node) => {
    for (const child of node.childNodes)
      if (child.nodeType === 3) text += child.data;
      else if (child.nodeType === 1 && !["SELECT", "TEXTAREA", "BUTTON", "INPUT", "OPTION"].includes(tagOf(child))) walk(child);
  };
  walk(label);
  return squeeze(text);
};

// Also by the fieldset or the group of options around it.
const isDisabled = (element) => element.disabled !== undefined && element.matches(":disabled");

const isClickable = (element, tag) => {
  if (clickable.has(element)) return true;
  if (element.hasAttribute("onclick") || element.isContentEditable && !element.parentElement?.isContentEditable) return true;
  const order = element.getAttribute("tabindex");
  return order !== null && Number(order) >= 0 && tag !== "IFRAME";
};
