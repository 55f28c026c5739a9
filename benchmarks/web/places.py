"""Elements that are found again in another library's copy of a page: by their path from the root, and a point in them.

Paths leave out what a library takes away or adds for itself. This is JavaScript as text; who runs it is in `recording`,
`farama` and `browsergym_driver`.
"""

from __future__ import annotations

_HARNESS = '["reward-display", "click-canvas", "sync-task-cover"]'
"""Ids of the pages' own harness; BrowserGym takes these elements out of the page."""

_SHARED = f"""const hidden = new Set({_HARNESS});
const inner = (node) => [...node.children].filter((child) => !hidden.has(child.id));
const offsetOf = (element) => {{
  let [x, y] = [0, 0];
  for (let view = element.ownerDocument.defaultView; view.frameElement; view = view.parent) {{
    const rect = view.frameElement.getBoundingClientRect();
    x += rect.left + view.frameElement.clientLeft;
    y += rect.top + view.frameElement.clientTop;
  }}
  return [x, y];
}};
"""

ANCHOR = f"""((number, x, y, control) => {{
  {_SHARED}
  let element = agentgym.elementOf(number);
  if (element.nodeType !== 1) element = element.parentElement;
  if (control && element.tagName === "LABEL" && element.control) element = element.control;
  const path = [];
  for (let node = element; ;) {{
    const parent = node.parentNode;
    if (parent && parent.nodeType === 1) {{
      path.unshift(inner(parent).indexOf(node));
      node = parent;
    }} else if (node.ownerDocument.defaultView.frameElement) {{
      path.unshift("frame");
      node = node.ownerDocument.defaultView.frameElement;
    }} else break;
  }}
  const rect = element.getBoundingClientRect();
  const [left, top] = offsetOf(element);
  const at = x === null ? [rect.width / 2, rect.height / 2] : [x - rect.left - left, y - rect.top - top];
  return {{ path, at }};
}})
"""
"""A function of an element's id and of a point of the window: where that is. Runs in agentgym's world of the page."""

PLACE = f"""((path, at) => {{
  {_SHARED}
  let element = document.documentElement;
  for (const step of path) {{
    element = step === "frame" ? element.contentDocument.documentElement : inner(element)[step];
    if (!element) return null;
  }}
  if (element.scrollIntoViewIfNeeded) element.scrollIntoViewIfNeeded(true);
  const rect = element.getBoundingClientRect();
  const [left, top] = offsetOf(element);
  const editable = element.isContentEditable;
  return {{
    x: rect.left + left + at[0], y: rect.top + top + at[1],
    tag: element.tagName, type: element.type || "", editable,
    value: editable ? element.textContent : element.value || "",
    focused: element === element.ownerDocument.activeElement,
    ref: element.dataset && element.dataset.wob_ref ? Number(element.dataset.wob_ref) : 0,
    bid: element.getAttribute("bid") || "",
    selected: element.selectedIndex === undefined ? -1 : element.selectedIndex,
    isList: element.tagName === "SELECT" && (element.multiple || element.size > 1),
    options: element.options
      ? [...element.options].map((option) => [option.value, (option.label || option.text).replace(/\\s+/g, " ").trim()])
      : [],
  }};
}})
"""
"""A function of a path and of a point in the element: the element scrolled into view, where it is and what it is."""
