"use strict";
// Shows, hides and colours what Python drew; sorts and filters tables. Text of data never becomes markup here.
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
  const body = head.closest("table").tBodies[0], down = head.ariaSort ? head.ariaSort === "ascending" : head.classList.contains("num");
  const rows = [...body.rows].map((row) => [row.cells[head.cellIndex].dataset.sort.replace("inf", "Infinity"), row]);
  const numbers = rows.every(([key]) => !Number.isNaN(Number(key)));
  rows.sort(([a], [b]) => (down ? -1 : 1) * (numbers ? Number(a) - Number(b) || 0 : a.localeCompare(b, "en", { numeric: true })));
  body.append(...rows.map(([, row]) => row));
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.ariaSort = down ? "descending" : "ascending";
}
for (const button of all(".sort")) on("click", () => sort(button.parentElement), button);
for (const box of all("[data-filter]")) on("input", () => {
  const table = box.closest(".table"), words = box.value.toLowerCase().split(/\s+/), rows = all("tbody tr", table);
  for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
  table.querySelector("[role=status]").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
}, box);

// The arrow keys lead from cell to cell, from mark to mark
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
for (const table of all(".tau")) {
  table.querySelector(".cell")?.setAttribute("tabindex", "0");
  on("keydown", (event) => {
    const cell = event.target.closest("td"), step = STEPS[event.key];
    const next = step && cell && all("tr", table)[cell.parentElement.rowIndex + step[0]]?.cells[cell.cellIndex + step[1]]?.querySelector(".cell");
    if (!next) return;
    event.preventDefault();
    [event.target.tabIndex, next.tabIndex] = [-1, 0];
    next.focus();
  }, table);
}
for (const svg of all(".canvas svg")) {
  const marks = all("[data-tip]", svg), leave = () => { tell(null); marks.forEach((mark) => mark.classList.remove("on")); };
  let at = -1;
  on("blur", leave, svg);
  on("keydown", (event) => {
    if (!STEPS[event.key] || !marks.length) return;
    event.preventDefault();
    leave();
    const back = STEPS[event.key][0] + STEPS[event.key][1] < 0;
    at = at < 0 ? (back ? marks.length - 1 : 0) : (at + (back ? -1 : 1) + marks.length) % marks.length;
    marks[at].classList.add("on");
    svg.setAttribute("aria-label", marks[at].dataset.tip);
    tell(marks[at]);
  }, svg);
}

// The plot: metric, measure and colour chosen, ellipses and names on or off, a link to it.
const plots = document.querySelector(".choice"), boxes = plots ? all("[data-choice]", plots) : [], value = {};
function draw() {
  for (const box of boxes) value[box.dataset.choice] = box.type === "checkbox" ? Number(box.checked) : box.value;
  const legends = all("[data-column]", plots), chosen = legends.findIndex((list) => list.dataset.column === value.group);
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
    if (text === undefined) continue;
    if (box.type === "checkbox") box.checked = text === "1";
    else if ([...box.options].some((option) => option.value === text)) box.value = text;
  }
  draw();
  plots.closest("section").scrollIntoView();
}
if (plots) on("change", draw, plots) ?? draw();
for (const cell of plots ? all(".cell") : []) on("click", () => choose(cell.dataset), cell);

// What a link leads to is shown and unfolded, on paper everything is; a page that goes on is loaded again.
function follow() {
  if (plots && location.hash.startsWith("#plots?")) choose(Object.fromEntries(new URLSearchParams(location.hash.slice(7))));
  const fold = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.querySelector(":scope > .fold");
  if (fold && !fold.open) { fold.open = true; fold.scrollIntoView(); }
}
on("hashchange", follow, window);
on("beforeprint", () => all("details").forEach((fold) => { fold.open = true; }), window);
follow();
let used = 0;
on("pointerdown keydown", () => { used = Date.now(); });
if (document.body.dataset.reload) setInterval(() => { if (Date.now() - used > 30000) location.reload(); }, document.body.dataset.reload * 1000);
