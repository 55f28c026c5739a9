// The wheel where frames are drawn only when they are asked for. Chromium scrolls while it draws; here the page hears of
// the wheel as ever, and what it leaves to the browser is scrolled at once. A frame of another origin keeps the scroll.

const slotOf = reader(Element, "assignedSlot");
const documentOf = reader(Node, "ownerDocument");
const { scrollBy } = Element.prototype;
const OFFSETS = [reader(Element, "scrollLeft"), reader(Element, "scrollTop")];
const AREA = ["auto", "scroll"];
const SHUT = ["hidden", "clip"];
const CONTAINING = ["transform", "perspective", "filter"];

// Whether the element moves, or keeps the scroll from what is around it. `takes` says for each axis whether it scrolls.
const scrolls = (element, deltas, takes, style) => {
  const before = OFFSETS.map((offset) => offset(element));
  const [left, top] = deltas.map((delta, axis) => (takes[axis] ? delta : 0));
  if (left || top) scrollBy.call(element, { left, top, behavior: "instant" });
  if (OFFSETS.some((offset, axis) => offset(element) !== before[axis])) return true;
  const beyond = [style.overscrollBehaviorX, style.overscrollBehaviorY];
  return deltas.some((delta, axis) => delta && takes[axis] && beyond[axis] !== "auto");
};

const overflowOf = (style) => [style.overflowX, style.overflowY];

// Up from an element to its document; what does not contain the box of what lies within, as around a fixed box, is passed.
const turnIn = (doc, inner, deltas) => {
  const root = doc.scrollingElement || doc.documentElement;
  const outermost = overflowOf(getComputedStyle(doc.documentElement));
  const ofBody = doc.body !== null && outermost.every((each) => each === "visible"); // whose overflow is the window's then
  let position = "";
  for (let at = inner; at; at = slotOf(at) || climb(at)) {
    const style = getComputedStyle(at);
    const isBox = CONTAINING.some((name) => style[name] !== "none") || (position === "absolute" && style.position !== "static");
    if (position && !isBox) continue;
    position = ["absolute", "fixed"].includes(style.position) ? style.position : "";
    const isWindow = at === root || at === doc.documentElement || (ofBody && at === doc.body);
    if (!isWindow && scrolls(at, deltas, overflowOf(style).map((each) => AREA.includes(each)), style)) return true;
  }
  const isFixed = doc.defaultView.frameElement?.getAttribute("scrolling") === "no";
  const shown = ofBody ? overflowOf(getComputedStyle(doc.body)) : outermost;
  const takes = shown.map((each) => !isFixed && !SHUT.includes(each));
  return scrolls(root, deltas, takes, getComputedStyle(doc.documentElement));
};

const climb = (element) => {
  const parent = parentOf(element);
  if (!parent || parent.nodeType === 1) return parent;
  return parent.nodeType === 11 ? hostOf(parent) : null;
};

const turned = (event) => {
  if (event.defaultPrevented || event.ctrlKey) return;
  event.preventDefault();
  const { deltaX, deltaY } = event;
  const deltas = event.shiftKey && !deltaX ? [deltaY, 0] : [deltaX, deltaY];
  for (let inner = event.composedPath()[0]; inner?.nodeType; ) { // `Node` of another frame is another one
    const doc = documentOf(inner) || inner;
    if (turnIn(doc, inner.nodeType === 1 ? inner : null, deltas)) return;
    inner = doc.defaultView.frameElement; // null where the page around it is of another origin
  }
};

// Last of all listeners: the page's own come before it.
const lastly = () => addEventListener("wheel", turned, { once: true, passive: false });
const takeWheel = () => addEventListener("wheel", lastly, { once: true, passive: false, capture: true });
