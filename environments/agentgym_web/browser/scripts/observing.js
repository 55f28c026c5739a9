// One observation, and what the harness calls.

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

globalThis.agentgym = { observe, locate, centre, checked, focus, setValue, selectOptions, elementOf, idOf, settle, drawn, last: () => lastId };
