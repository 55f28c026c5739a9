// The pruned DOM, and the boxes of elements for set-of-marks.

const KEPT = ["id", "name", "type", "value", "href", "alt", "title", "placeholder", "role", "for", "checked", "selected", "disabled", "aria-label", "class"];
const lookAtDom = (options) => {
  const out = [];
  const frames = [];
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
      const isUnread = tag === "iframe" && !insideOf(child);
      const known = isUnread ? idOf(child) : ids.get(child);
      const inner = (tag !== "form" && child.shadowRoot) || (tag === "iframe" ? insideOf(child)?.body : null) || child;
      const useless = known === undefined && !attributes.length && (tag === "div" || tag === "span");
      if (useless) {
        visit(inner, depth);
        continue;
      }
      const head = `${tag}${known === undefined ? "" : ` bid="${known}"`}${attributes.length ? ` ${attributes.join(" ")}` : ""}`;
      const first = firstOf(inner);
      const only = nodesOf(inner).length === 1 && first.nodeType === 3 ? squeeze(first.data) : null;
      if (isUnread) {
        add(`${" ".repeat(depth)}<${head}>`);
        frames.push([known, out.length]);
        add(`${" ".repeat(depth)}</${tag}>`);
      } else if (!first) add(`${" ".repeat(depth)}<${head}/>`);
      else if (only !== null) add(`${" ".repeat(depth)}<${head}>${escape(clip(only, options.clip))}</${tag}>`);
      else {
        add(`${" ".repeat(depth)}<${head}>`);
        visit(inner, depth + 1);
        add(`${" ".repeat(depth)}</${tag}>`);
      }
    }
  };
  if (document.body) visit(document.body, 0);
  return { lines: out.join("\n"), frames };
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
