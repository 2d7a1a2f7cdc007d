"use strict";
// What every page has: notes on hover, tables, segments of two systems, the command. plots.js follows in the same script.
const page = (() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("payload").textContent);

  // Text from data only ever becomes a text node: no markup is made from strings anywhere in these two files.
  function make(tag, attributes, ...children) {
    const svg = ["svg", "g", "path", "circle", "ellipse", "line", "text", "title", "polyline", "rect"].includes(tag);
    const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (typeof value === "function") node.addEventListener(name, value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat()) if (child !== null && child !== undefined) node.append(child);
    return node;
  }
  const replace = (parent, ...children) => parent.replaceChildren(...children.flat().filter(Boolean));
  const finite = (value) => value !== null && value !== undefined;
  const show = (value, digits = 4) => (finite(value) ? String(Number(value.toPrecision(digits))) : "no value");

  // ---- a run that goes on: the page is made anew beside this one; nobody is interrupted who is at work on it
  if (data.reload) {
    let used = 0;
    for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, () => { used = Date.now(); });
    setInterval(() => { if (Date.now() - used > 30000) location.reload(); }, data.reload * 1000);
  }

  // ---- what is said on hover and focus
  const tip = byId("tip");
  function tell(text, box) {
    tip.textContent = text;
    tip.hidden = false;
    const size = tip.getBoundingClientRect();
    const left = Math.min(Math.max(4, box.left + box.width / 2 - size.width / 2), innerWidth - size.width - 4);
    const above = box.top - size.height - 8;
    tip.style.left = left + "px";
    tip.style.top = (above < 4 ? box.bottom + 8 : above) + "px";
  }
  const hush = () => { tip.hidden = true; };
  const told = (event) => event.target instanceof Element && event.target.closest("[data-tip]");
  for (const kind of ["pointerover", "focusin"]) {
    document.addEventListener(kind, (event) => {
      const node = told(event);
      if (node) tell(node.getAttribute("data-tip"), node.getBoundingClientRect()); else hush();
    });
  }
  document.addEventListener("focusout", hush);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hush(); });
  // A focus that scrolls the page keeps its tip; the wheel takes away that of the mouse.
  addEventListener("scroll", () => {
    const node = document.activeElement && document.activeElement.closest("[data-tip]");
    if (node && !tip.hidden) tell(node.getAttribute("data-tip"), node.getBoundingClientRect()); else hush();
  }, { passive: true });

  // ---- tables: sort by a column, filter by any cell
  const key = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.sort !== undefined ? cell.dataset.sort : cell.textContent.trim();
    return text !== "" && !Number.isNaN(Number(text)) ? Number(text) : text === "-inf" ? -Infinity : text.toLowerCase();
  };
  function sort(table, column, descending) {
    const sign = descending ? -1 : 1;
    const rows = [...table.tBodies[0].rows].map((row) => [key(row, column), row]);
    rows.sort(([a], [b]) => sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true })));
    table.tBodies[0].append(...rows.map(([, row]) => row));
    [...table.tHead.rows[0].cells].forEach((th, i) => {
      if (i === column) th.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    });
  }
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((th, column) => {
      th.querySelector("button").addEventListener("click", () => {
        const now = th.getAttribute("aria-sort");
        sort(table, column, now ? now === "ascending" : th.classList.contains("num"));
      });
    });
  }
  function filter(table, text, count) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = [...table.tBodies[0].rows];
    let kept = 0;
    for (const row of rows) {
      const here = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => here.includes(word));
      kept += row.hidden ? 0 : 1;
    }
    if (count) count.textContent = words.length ? `${kept} of ${rows.length} rows` : "";
  }
  const whole = (table) => { table.classList.remove("paged"); table.closest(".scroll").nextElementSibling.querySelector(".all")?.remove(); };
  for (const input of document.querySelectorAll("[data-filter]")) {
    const count = document.querySelector(`[data-count="${CSS.escape(input.dataset.filter)}"]`);
    input.addEventListener("input", () => { whole(byId(input.dataset.filter)); filter(byId(input.dataset.filter), input.value, count); });
  }

  // ---- every table: its first rows, the rest on demand; as TSV with all digits, as LaTeX as it is shown
  const PAGE = 25;
  const exact = (cell) => (cell.classList.contains("num") && !Number.isNaN(Number(cell.dataset.sort)) && cell.dataset.sort !== "" ? cell.dataset.sort : cell.textContent.trim());
  const heads = (table) => [...table.tHead.rows[0].cells].map((th) => th.textContent.trim());
  const tsv = (table) => [heads(table), ...[...table.tBodies[0].rows].map((row) => [...row.cells].map(exact))]
    .map((cells) => cells.map((text) => (/["\t\n]/.test(text) ? `"${text.replaceAll('"', '""').replace(/[\t\n]/g, " ")}"` : text)).join("\t") + "\n").join("");
  const TEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", '"': "{\\ttfamily\\char34}", "–": "--", "−": "$-$", "∞": "$\\infty$" };
  const tex = (text) => text.replace(/[\\~^<>|"–−∞]|[{}&%$#_]/g, (c) => TEX[c] || "\\" + c);
  const latex = (table) => {
    const columns = [...table.tHead.rows[0].cells].map((th) => (th.classList.contains("num") ? "r" : "l")).join("");
    const cell = (td) => (td.classList.contains("best") ? `\\textbf{${tex(td.textContent.trim())}}` : tex(td.textContent.trim()));
    const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) => [...row.cells].map(cell).join(" & ") + " \\\\");
    return [`% ${table.caption.textContent.trim()}`, `\\begin{tabular}{${columns}}`, "\\toprule", heads(table).map(tex).join(" & ") + " \\\\", "\\midrule", ...rows, "\\bottomrule", "\\end{tabular}", ""].join("\n");
  };
  for (const table of document.querySelectorAll("table.sortable:not(#table-topics)")) {
    const rows = table.tBodies[0].rows.length, said = make("span", { role: "status" });
    const save = () => {
      const link = make("a", { href: URL.createObjectURL(new Blob([tsv(table)], { type: "text/tab-separated-values" })), download: `${table.id.replace(/^table-(analysis-)?/, "")}.tsv` });
      link.click();
      URL.revokeObjectURL(link.href);
    };
    const copied = async () => {
      const text = latex(table);
      try { await navigator.clipboard.writeText(text); said.textContent = "Copied."; }
      catch { const box = make("textarea", { "aria-label": "LaTeX", rows: 6, cols: 60 }, text); replace(said, box); box.select(); }
    };
    table.closest(".scroll").after(make("p", { class: "tools" },
      rows > PAGE ? make("button", { type: "button", class: "all", click: () => whole(table) }, `Show all ${rows} rows`) : null,
      make("button", { type: "button", click: save }, "Download TSV"), make("button", { type: "button", click: copied }, "Copy as LaTeX"), said));
    if (rows > PAGE) table.classList.add("paged");
  }
  // One tab stop for a table of buttons; arrow keys go on from there.
  for (const table of document.querySelectorAll("table.tau")) {
    const first = table.querySelector(".cell");
    if (first) first.tabIndex = 0;
    table.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      const cell = event.target.closest("td");
      if (!step || !cell) return;
      const rows = [...table.tBodies[0].rows];
      const row = rows[rows.indexOf(cell.parentElement) + step[0]];
      const next = row && row.cells[cell.cellIndex + step[1]];
      const button = next && next.querySelector(".cell");
      if (!button) return;
      event.preventDefault();
      event.target.tabIndex = -1;
      button.tabIndex = 0;
      button.focus();
    });
  }

  // ---- two systems: segments by who is better, by length, by words of topics lost
  if (byId("segment-filters")) {
    const chosen = (id) => (byId(id) ? byId(id).value : "");
    const show = () => {
      const [side, length, lost] = ["by-winner", "by-length", "by-terms"].map(chosen), [least, most] = length.split("-").map(Number);
      const all = [...document.querySelectorAll(".segment")];
      for (const one of all) {
        const words = Number(one.dataset.words);
        one.hidden = Boolean((side && one.dataset.side !== side) || (length && (words < least || words > most)) || (lost && !(lost === "any" ? one.dataset.lost : one.dataset.lost.includes(lost))));
      }
      byId("segments-shown").textContent = `${all.filter((one) => !one.hidden).length} of ${all.length} shown`;
    };
    byId("segment-filters").addEventListener("change", show);
    show();
  }

  // ---- copy the command; a file opened from disk may lack the clipboard, then the text is selected
  const copy = byId("copy");
  if (copy) {
    copy.addEventListener("click", async () => {
      const range = document.createRange();
      range.selectNodeContents(byId("command"));
      try {
        await navigator.clipboard.writeText(byId("command").textContent);
        byId("copied").textContent = "Copied.";
      } catch {
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        byId("copied").textContent = "Selected: copy it with your keyboard.";
      }
    });
  }

  return { byId, data, make, replace, finite, show, tell, sort, filter, whole };
})();
