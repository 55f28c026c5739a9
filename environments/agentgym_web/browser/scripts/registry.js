// Elements and their ids, what lies within frames, and what the page's own world (`clock.js`) knows of them.
// The files of this folder are put together by `assembling.py` and run in a world of their own in every frame.

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
const nameOf = reader(Element, "tagName");
const spaceOf = reader(Element, "namespaceURI");
// In documents of XML, the names of HTML's elements come in small letters.
const tagOf = (node) => {
  const name = nameOf(node);
  return name.charCodeAt(0) < 97 || spaceOf(node) !== "http://www.w3.org/1999/xhtml" ? name : name.toUpperCase();
};
const firstOf = reader(Node, "firstChild");
const nextOf = reader(Node, "nextSibling");
const parentOf = reader(Node, "parentNode");
const contentOf = reader(Node, "textContent");
const nodesOf = reader(Node, "childNodes");
// A link has a `host` too, which is a part of its address.
const hostOf = (node) => (node.nodeType === 11 ? node.host : null);
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

const frames = (doc, found = []) => {
  found.push(doc);
  for (const frame of doc.querySelectorAll("iframe, frame, object, embed")) {
    const inner = insideOf(frame);
    if (inner) frames(inner, found);
  }
  return found;
};
// The document in a frame; null if it is of another origin.
const insideOf = (frame) => {
  try {
    return tagOf(frame) === "EMBED" ? embedded(frame)?.document ?? null : frame.contentDocument;
  } catch {
    return null;
  }
};
// Elements of this kind do not tell their window.
const embedded = (element) => {
  const { defaultView } = element.ownerDocument;
  for (let index = 0; index < (defaultView?.length ?? 0); index += 1)
    try {
      if (defaultView[index].frameElement === element) return defaultView[index];
    } catch { /* of another origin */ }
  return null;
};
// Whether an element holds a page: objects and embedded things may also be pictures, or nothing.
const isFrame = (element, tag) =>
  tag === "IFRAME" || tag === "FRAME" || (tag === "OBJECT" && element.contentWindow !== null && !holdsDrawing(element))
  || (tag === "EMBED" && embedded(element) !== null && !holdsDrawing(element));
const holdsDrawing = (element) => {
  const doc = insideOf(element);
  return doc ? doc.contentType === "image/svg+xml" : /^image\//.test(element.type) || /^data:image\//.test(element.data ?? "");
};

// Where the window of an element's document lies in the outermost one.
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

const holdsFocus = () => window === top || document.hasFocus();
// The element that has the focus, within shadow trees and frames too.
const deepActive = () => {
  let active = document.activeElement;
  for (;;) {
    const inner = active?.shadowRoot?.activeElement ?? (active && isFrame(active, tagOf(active)) ? insideOf(active)?.activeElement : null);
    if (!inner || inner === active) return active;
    active = inner;
  }
};
