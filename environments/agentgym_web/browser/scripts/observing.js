// One observation, and what the harness calls.

// Frames that only the harness can look into: after which line of the tree and of the DOM each belongs, and where it lies.
const unreadFrames = (inTree, inDom) => {
  const lineInTree = new Map(inTree);
  const lineInDom = new Map(inDom);
  return [...new Set([...lineInTree.keys(), ...lineInDom.keys()])].map((id) => {
    const element = elementOf(id);
    const rect = element.getBoundingClientRect();
    const offset = offsetOf(element);
    const corner = [rect.left + element.clientLeft + offset.x, rect.top + element.clientTop + offset.y].map(Math.round);
    return { id, corner, tree: lineInTree.get(id) ?? -1, dom: lineInDom.get(id) ?? -1 };
  });
};

// The browser's own pickers of options, dates and colours lie beside the page: no picture shows them, and while one is
// open, some browsers draw no frame. Each closes when its element is laid out in another way; pages do not hear of that.
const PICKER = CSS.supports("selector(select:open)") ? "select:open, input:open" : "select:focus, input[type=color]:focus";

const closePickers = () => {
  const active = deepActive();
  for (const root of new Set([document, active?.getRootNode() ?? document])) {
    const open = root.querySelector(PICKER);
    if (!open) continue;
    const sheet = new (open.ownerDocument.defaultView.CSSStyleSheet)();
    const other = getComputedStyle(open).display === "grid" ? "flex" : "grid";
    sheet.replaceSync(`:is(${PICKER}) { display: ${other} !important; }`);
    root.adoptedStyleSheets.push(sheet);
    open.getBoundingClientRect();
    root.adoptedStyleSheets.pop();
  }
};

const observe = async (options) => {
  const began = performance.now();
  if (options.restart) {
    ids = new WeakMap();
    elements.clear();
    lastId = 0;
  }
  if (options.after && !await arrived(options.after)) return { missed: true, leaves: arrival.leaves };
  if (options.closePickers) closePickers();
  const { sent, draw } = options.settle ? await settle(options.settle) : { sent: false, draw: false };
  if (draw) return { draw };
  const found = {
    sent,
    url: location.href, title: clip(squeeze(document.title), 200), settleMs: performance.now() - began, state: document.readyState,
    status: performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0,
    scroll: [Math.round(scrollX), Math.round(scrollY), document.scrollingElement?.scrollWidth ?? 0, document.scrollingElement?.scrollHeight ?? 0, innerWidth, innerHeight],
  };
  found.tree = options.tree ? lookAtTree(options.tree) : { lines: "", relevance: "", cut: false, above: 0, below: 0, frames: [] };
  found.dom = options.dom ? lookAtDom(options.dom) : { lines: "", relevance: "", frames: [] };
  found.marks = options.marks ? lookAtMarks() : [];
  found.frames = unreadFrames(found.tree.frames, found.dom.frames);
  const active = holdsFocus() ? deepActive() : null;
  found.focused = active && active !== document.body && ids.has(active) ? ids.get(active) : 0;
  if (options.probe) {
    const told = ask(document, { probe: options.probe });
    if (told.wasProbed) found.probed = told.value;
  }
  return found;
};

globalThis.agentgym = { observe, locate, around, checked, setValue, requireNumber, selectOptions, elementOf, idOf, settle, drawn, released, takeWheel };
