// The wheel where frames are drawn only when they are asked for. Chromium scrolls while it draws; here the page hears of
// the wheel as ever, and what it leaves to the browser is scrolled at once.

const AXES = [["scrollLeft", "overflowX", "overscrollBehaviorX"], ["scrollTop", "overflowY", "overscrollBehaviorY"]];

// Whether an element takes the scroll, which it then does; "end" keeps it from what is around the element.
const scrolls = (element, deltas) => {
  const isRoot = element === element.ownerDocument.scrollingElement;
  const style = getComputedStyle(element);
  let taken = false;
  AXES.forEach(([offset, overflow, beyond], axis) => {
    const isScroller = isRoot ? !["hidden", "clip"].includes(style[overflow]) : ["auto", "scroll"].includes(style[overflow]);
    if (!deltas[axis] || !isScroller) return;
    const before = element[offset];
    element.scrollBy({ [axis ? "top" : "left"]: deltas[axis], behavior: "instant" });
    if (element[offset] !== before || (!isRoot && style[beyond] !== "auto")) taken = true;
  });
  return taken;
};

const turned = (event) => {
  if (event.defaultPrevented || event.ctrlKey) return;
  event.preventDefault();
  const { deltaX, deltaY } = event;
  const deltas = event.shiftKey && !deltaX ? [deltaY, 0] : [deltaX, deltaY];
  let inner = event.composedPath()[0];
  while (inner) {
    const outer = inner.ownerDocument;
    for (let at = inner; at; at = at.assignedSlot || at.parentElement || hostOf(at)) if (scrolls(at, deltas)) return;
    try {
      inner = outer.defaultView.frameElement; // null where the page around it is of another origin
    } catch {
      return;
    }
  }
};

// Last of all listeners: the page's own come before it.
const lastly = () => addEventListener("wheel", turned, { once: true, passive: false });
const takeWheel = () => addEventListener("wheel", lastly, { once: true, passive: false, capture: true });
