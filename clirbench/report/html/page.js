"use strict";
// Shows, hides and colours what Python drew; sorts tables. Text of data never becomes markup here.
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const on = (kinds, act, node = document) => kinds.split(" ").forEach((kind) => node.addEventListener(kind, act));

const tip = document.getElementById("tip");
function tell(node) {
  tip.about = node;
  tip.hidden = !node;
  if (!node) return;
  tip.textContent = node.dataset.tip;
  const box = node.getBoundingClientRect(), size = tip.getBoundingClientRect();
  tip.style.left = Math.min(Math.max(4, box.left + box.width / 2 - size.width / 2), innerWidth - size.width - 4) + "px";
  tip.style.top = (box.top < size.height + 12 ? box.bottom + 8 : box.top - size.height - 8) + "px";
}
on("pointerover focusin", (event) => tell(event.target.closest("[data-tip]")));
on("focusout", () => tell(null));
on("keydown", (event) => { if (event.key === "Escape") tell(null); });
on("scroll", () => tell(tip.about?.matches(":hover, :focus, .on") ? tip.about : null), window);

function sort(head) {
  const body = head.closest("table").tBodies[0], down = head.ariaSort ? head.ariaSort === "ascending" : head.classList.contains("number");
  const text = (row) => row.cells[head.cellIndex].textContent.replace(/(?<=\d),(?=\d{3})| [x?]$/g, "");
  const number = (row) => Number(text(row).replace(/^(–|undefined)$/, "-Infinity").replace("∞", "Infinity"));
  const rows = [...body.rows], numbers = !rows.some((row) => Number.isNaN(number(row)));
  const order = (a, b) => (numbers ? number(a) - number(b) || 0 : text(a).localeCompare(text(b), "en", { numeric: true }));
  body.append(...rows.sort((a, b) => (down ? order(b, a) : order(a, b))));
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.ariaSort = down ? "descending" : "ascending";
}
for (const button of all(".sort")) on("click", () => sort(button.parentElement), button);

// The arrow keys lead from cell to cell, from mark to mark.
function walk(box, items, across, reach) {
  let at;
  on("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across }[event.key];
    if (!by || !items.length) return;
    event.preventDefault();
    at = items.includes(event.target) ? items.indexOf(event.target) : at ?? (by > 0 ? -1 : 0);
    reach(items[at = (at + by + items.length) % items.length]);
  }, box);
}
for (const table of all(".tau")) {
  const cells = all(".cell", table);
  for (const cell of cells.slice(0, 1)) cell.tabIndex = 0;
  walk(table, cells, table.rows[0].cells.length - 1, (cell) => {
    cells.forEach((other) => { other.tabIndex = other === cell ? 0 : -1; });
    cell.focus();
  });
}
for (const svg of all(".canvas svg")) {
  const marks = all("[data-tip]", svg), mark = (chosen) => marks.forEach((one) => one.classList.toggle("on", one === chosen));
  on("blur", () => mark(null), svg);
  walk(svg, marks, 1, (chosen) => {
    mark(chosen);
    svg.setAttribute("aria-label", chosen.dataset.tip);
    tell(chosen);
  });
}

// The plot: metric, measure and colour chosen, ellipses and names on or off, a link to it.
const plots = document.querySelector(".choice"), boxes = plots ? all("[data-choice]", plots) : [], value = {};
function draw() {
  for (const box of boxes) value[box.dataset.choice] = box.type === "checkbox" ? Number(box.checked) : box.value;
  const legends = all("[data-column]", plots), chosen = legends.findIndex((list) => list.dataset.column === value.colour);
  legends.forEach((list, at) => { list.hidden = at !== chosen; });
  const shapes = all("g.mark", legends[chosen]);
  for (const figure of all("figure", plots)) {
    figure.hidden = figure.dataset.measure !== value.measure || Boolean(value.metric && figure.dataset.metric !== value.metric);
    for (const mark of figure.hidden ? [] : all(".mark", figure)) {
      const shape = shapes[mark.dataset.of.split(" ")[chosen]];
      mark.setAttribute("fill", shape.getAttribute("fill"));
      mark.querySelector("circle, polygon").replaceWith(shape.querySelector("circle, polygon").cloneNode());
    }
  }
  for (const kind of ["ellipses", "names"]) plots.classList.toggle(kind + "-off", !value[kind]);
  for (const cell of all(".cell")) cell.classList.toggle("chosen", cell.dataset.metric === value.metric && cell.dataset.measure === value.measure);
  document.getElementById("plot-link").href = "#plots?" + new URLSearchParams(value);
}
function choose(wanted) {
  for (const box of boxes) {
    const text = wanted[box.dataset.choice];
    if (box.type === "checkbox") box.checked = text === undefined ? box.checked : text === "1";
    else if ([...box.options].some((option) => option.value === text)) box.value = text;
  }
  draw();
  plots.closest("section").scrollIntoView();
}
if (plots) on("change", draw, plots) ?? draw();
for (const cell of plots ? all(".cell") : []) on("click", () => choose(cell.dataset), cell);

// What a link leads to is shown and unfolded; a page that goes on is loaded again.
function follow() {
  if (plots && location.hash.startsWith("#plots?")) choose(Object.fromEntries(new URLSearchParams(location.hash.slice(7))));
  const fold = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.querySelector(":scope > .fold");
  if (fold && !fold.open) { fold.open = true; fold.scrollIntoView(); }
}
on("hashchange", follow, window);
follow();
let used = 0;
on("pointerdown keydown", () => { used = Date.now(); });
if (document.body.dataset.reload) setInterval(() => { if (Date.now() - used > 30000) location.reload(); }, document.body.dataset.reload * 1000);
