// Ticks or clears all boxes of a table with the one in its header.
document.addEventListener("change", (event) => {
  if (!event.target.matches(".tick-all")) return;
  for (const box of event.target.closest("table").querySelectorAll("input[name=ids]")) box.checked = event.target.checked;
});
