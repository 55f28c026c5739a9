// Gestures: swipe a row to the side, hold a row for its menu, pull a list down. Fingers and mice do the same.
(() => {
  const FAR = 45, SLACK = 10, HOLD_MS = 500;
  let gesture = null, lastTouch = 0, isMuted = false;

  const menus = () => document.querySelectorAll(".sheet");
  const closeMenus = () => { for (const menu of menus()) menu.hidden = true; document.body.classList.remove("dimmed"); };
  const openMenu = (id) => {
    closeMenus();
    const menu = document.getElementById(id);
    menu.hidden = false;
    document.body.classList.add("dimmed");
    menu.querySelector("[role=menuitem]").focus({ preventScroll: true });
  };

  const begin = (target, x, y) => {
    gesture = null;
    if (!(target instanceof Element) || target.closest(".sheet, input, textarea, select")) return;
    const row = target.closest("[data-left], [data-right], [data-menu]");
    const area = target.closest("[data-pull]") || (target.closest(".top") && document.querySelector("[data-pull]"));
    if (!row && !area) return;
    gesture = { row, area, x, y, dx: 0, dy: 0, axis: "", isOpen: false, atTop: document.querySelector("main").scrollTop <= 0 };
    const mine = gesture;
    if (row && row.dataset.menu) {
      mine.timer = setTimeout(() => { if (gesture === mine && !mine.axis) { mine.isOpen = true; openMenu(row.dataset.menu); } }, HOLD_MS);
    }
  };

  const move = (x, y, event) => {
    if (!gesture) return;
    if (gesture.isOpen) { event.preventDefault(); return; }
    gesture.dx = x - gesture.x;
    gesture.dy = y - gesture.y;
    if (!gesture.axis && Math.hypot(gesture.dx, gesture.dy) > SLACK) {
      gesture.axis = Math.abs(gesture.dx) > Math.abs(gesture.dy) ? "x" : "y";
      clearTimeout(gesture.timer);
    }
    if (gesture.axis === "x" && gesture.row && gesture.row.dataset[gesture.dx < 0 ? "left" : "right"]) {
      event.preventDefault();
      gesture.row.style.setProperty("--shift", `${gesture.dx}px`);
    } else if (gesture.axis === "y" && gesture.area && gesture.atTop && gesture.dy > 0) {
      event.preventDefault();
      gesture.area.style.setProperty("--pull", `${Math.min(gesture.dy, 90)}px`);
    }
  };

  const send = (id) => document.getElementById(id).requestSubmit();

  const end = () => {
    if (!gesture) return;
    const { row, area, dx, dy, axis, isOpen, atTop, timer } = gesture;
    gesture = null;
    clearTimeout(timer);
    isMuted = isOpen || axis !== "";
    if (row) row.style.removeProperty("--shift");
    if (area) area.style.removeProperty("--pull");
    if (isOpen) return;
    if (axis === "x" && row && Math.abs(dx) > FAR) {
      const id = row.dataset[dx < 0 ? "left" : "right"];
      if (id) send(id);
    } else if (axis === "y" && area && atTop && dy > FAR) {
      send(area.dataset.pull);
    }
  };

  const cancel = () => { if (gesture) { clearTimeout(gesture.timer); if (gesture.row) gesture.row.style.removeProperty("--shift"); } gesture = null; };

  document.addEventListener("touchstart", (event) => {
    lastTouch = Date.now();
    isMuted = false;
    if (event.touches.length === 1) begin(event.target, event.touches[0].clientX, event.touches[0].clientY); else cancel();
  }, { passive: true });
  document.addEventListener("touchmove", (event) => move(event.touches[0].clientX, event.touches[0].clientY, event), { passive: false });
  document.addEventListener("touchend", () => { lastTouch = Date.now(); end(); });
  document.addEventListener("touchcancel", cancel);

  const isEmulated = () => Date.now() - lastTouch < 800;
  document.addEventListener("mousedown", (event) => {
    if (isEmulated()) return;
    isMuted = false;
    if (event.button === 0) begin(event.target, event.clientX, event.clientY);
  });
  document.addEventListener("mousemove", (event) => { if (event.buttons === 1 && !isEmulated()) move(event.clientX, event.clientY, event); });
  document.addEventListener("mouseup", () => { if (!isEmulated()) end(); });
  document.addEventListener("dragstart", (event) => event.preventDefault());

  document.addEventListener("click", (event) => {
    if (event.target.closest(".sheet") && !event.target.closest(".close")) return;
    if (isMuted) { isMuted = false; event.preventDefault(); event.stopPropagation(); return; }
    if (document.body.classList.contains("dimmed")) { event.preventDefault(); closeMenus(); }
  }, true);
  document.addEventListener("contextmenu", (event) => {
    const row = event.target.closest("[data-menu]");
    if (!row) return;
    event.preventDefault();
    cancel();
    openMenu(row.dataset.menu);
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") closeMenus(); });
  if (document.getElementById("compose")) {
    const main = document.querySelector("main");
    main.scrollTop = main.scrollHeight;
  }
})();
