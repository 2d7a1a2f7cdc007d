// The plots of a run, its checkpoints and topics, with what page.js gives; then what a link leads to is unfolded.
(() => {
  const { byId, data, make, replace, finite, show, tell, sort, filter, whole } = page;
  const SHAPES = ["circle", "square", "diamond", "triangle"];
  const CHI = 2.4477; // radius of the 95 % ellipse of two independent normal values, in standard deviations

  // ---- plots
  function scale(values, from, to, margin = 0.06) {
    let low = Math.min(...values), high = Math.max(...values);
    const more = (high - low) * margin || Math.abs(high) * margin || 1;
    low -= more; high += more;
    const rough = (high - low) / 7, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const ticks = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) ticks.push(k * step);
    const at = (value) => from + ((value - low) / (high - low)) * (to - from);
    return { at, ticks, unit: Math.abs(to - from) / (high - low), text: (v) => (v === 0 ? 0 : v).toFixed(decimals) };
  }
  function mark(shape, x, y, r, attributes) {
    if (shape === "circle") return make("circle", { cx: x, cy: y, r, ...attributes });
    const a = shape === "square" ? 0.88 * r : shape === "diamond" ? 1.25 * r : 1.3 * r;
    const corners = {
      square: [[-a, -a], [a, -a], [a, a], [-a, a]],
      diamond: [[0, -a], [a, 0], [0, a], [-a, 0]],
      triangle: [[0, -a], [0.95 * a, 0.7 * a], [-0.95 * a, 0.7 * a]],
    }[shape];
    return make("path", { d: "M" + corners.map(([u, v]) => `${x + u} ${y + v}`).join("L") + "Z", ...attributes });
  }
  function frame(svg, across, along, box, xTitle, yTitle) {
    for (const v of across.ticks) {
      const x = across.at(v);
      svg.append(make("line", { class: "grid", x1: x, x2: x, y1: box.top, y2: box.bottom }), make("text", { x, y: box.bottom + 17, "text-anchor": "middle" }, across.text(v)));
    }
    for (const v of along.ticks) {
      const y = along.at(v);
      svg.append(make("line", { class: "grid", x1: box.left, x2: box.right, y1: y, y2: y }), make("text", { x: box.left - 6, y: y + 4, "text-anchor": "end" }, along.text(v)));
    }
    svg.append(make("path", { class: "axis", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` }));
    if (xTitle) svg.append(make("text", { x: (box.left + box.right) / 2, y: box.bottom + 36, "text-anchor": "middle" }, xTitle));
    if (yTitle) svg.append(make("text", { transform: `translate(${box.left - 48} ${(box.top + box.bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, yTitle));
  }
  const grouping = () => data.groups.find((g) => g.column === byId("plot-group").value) || data.groups[data.groups.length - 1];
  const paired = (metric, measure) => data.systems.map((_, i) => i).filter((i) => finite(data.columns[metric].values[i]) && finite(data.columns[measure].values[i]));

  // Marks can be walked with the arrow keys: the picture is one tab stop, and each step is said aloud.
  function walkable(svg, marks) {
    let at = -1;
    const go = (to) => {
      marks.forEach((m) => m.classList.remove("on"));
      at = (to + marks.length) % marks.length;
      marks[at].classList.add("on");
      tell(marks[at].getAttribute("data-tip"), marks[at].getBoundingClientRect());
      svg.setAttribute("aria-label", marks[at].getAttribute("data-tip"));
    };
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("keydown", (event) => {
      if (!marks.length) return;
      if (event.key === "ArrowRight" || event.key === "ArrowDown") go(at + 1);
      else if (event.key === "ArrowLeft" || event.key === "ArrowUp") go(at < 0 ? marks.length - 1 : at - 1);
      else return;
      event.preventDefault();
    });
    svg.addEventListener("blur", () => marks.forEach((m) => m.classList.remove("on")));
  }

  function scatter() {
    const metric = byId("plot-metric").value, measure = byId("plot-measure").value;
    const x = data.columns[metric], y = data.columns[measure], groups = grouping(), kept = paired(metric, measure);
    const narrow = byId("plot").clientWidth < 560;
    const width = narrow ? 420 : 860, height = narrow ? 400 : 470;
    const box = { left: 66, right: width - 16, top: 34, bottom: height - 46 };
    const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${measure} against ${metric}, ${kept.length} systems` });
    if (!kept.length) { replace(byId("plot"), make("p", { class: "note" }, `No system has both ${metric} and ${measure}.`)); return; }
    const ellipses = byId("plot-ellipses").checked && x.sd && y.sd;
    const reach = (column, sign) => kept.map((i) => column.values[i] + (ellipses ? sign * CHI * (column.sd[i] || 0) : 0));
    const across = scale([...reach(x, -1), ...reach(x, 1)], box.left, box.right), along = scale([...reach(y, -1), ...reach(y, 1)], box.bottom, box.top);
    frame(svg, across, along, box, x.axis, y.axis);
    const label = (data.tau[measure] || {})[metric];
    svg.append(make("text", { x: (box.left + box.right) / 2, y: 20, "text-anchor": "middle", "font-weight": "600" }, label ? `agreement ${label}` : ""));
    if (ellipses) {
      for (const i of kept) svg.append(make("ellipse", { class: `ellipse paint g${groups.of[i] % 7}`, cx: across.at(x.values[i]), cy: along.at(y.values[i]), rx: CHI * x.sd[i] * across.unit, ry: CHI * y.sd[i] * along.unit }));
    }
    const marks = kept.map((i) => {
      const group = groups.of[i], said = groups.column ? `\n${groups.names[group]}` : "";
      return mark(SHAPES[group % 4], across.at(x.values[i]), along.at(y.values[i]), 6, { class: `point paint g${group % 7}`, "data-tip": `${data.systems[i]}\n${metric} ${show(x.values[i])}, ${measure} ${show(y.values[i])}${said}` });
    });
    svg.append(...marks);
    if (byId("plot-names").checked) {
      for (const i of kept) {
        const px = across.at(x.values[i]), end = px > (box.left + box.right) * 0.62;
        svg.append(make("text", { x: px + (end ? -9 : 9), y: along.at(y.values[i]) + 4, "text-anchor": end ? "end" : "start", class: "quiet", "font-size": 11 }, data.systems[i]));
      }
    }
    walkable(svg, marks);
    replace(byId("plot"), svg);
    replace(byId("legend"), groups.column ? groups.names.map((name, g) => make("li", {}, make("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, mark(SHAPES[g % 4], 8, 8, 5.5, { class: `paint g${g % 7}` })), name)) : []);
    byId("plot-ellipses").disabled = !(x.sd && y.sd);
    for (const cell of document.querySelectorAll(".cell")) cell.classList.toggle("chosen", cell.dataset.metric === metric && cell.dataset.measure === measure);
  }
  function multiples() {
    const measure = byId("plot-measure").value, chosen = byId("plot-metric").value, groups = grouping();
    replace(byId("multiples"), data.metrics.map((metric) => {
      const kept = paired(metric, measure), svg = make("svg", { viewBox: "0 0 160 110", "aria-hidden": "true" });
      if (kept.length) {
        const x = data.columns[metric].values, y = data.columns[measure].values;
        const across = scale(kept.map((i) => x[i]), 6, 154), along = scale(kept.map((i) => y[i]), 104, 6);
        svg.append(make("path", { class: "axis", d: "M6 6V104H154" }), ...kept.map((i) => mark(SHAPES[groups.of[i] % 4], across.at(x[i]), along.at(y[i]), 3, { class: `paint g${groups.of[i] % 7}` })));
      }
      const label = (data.tau[measure] || {})[metric] || "";
      return make("button", { type: "button", "aria-pressed": String(metric === chosen), click: () => choose(metric, measure) }, make("b", {}, metric), make("small", {}, label), svg);
    }));
  }
  const CHOICES = ["plot-metric", "plot-measure", "plot-group"], TICKS = ["plot-ellipses", "plot-names"];
  function drawn() {
    scatter();
    multiples();
    const chosen = [...CHOICES.map((id) => [id, byId(id).value]), ...TICKS.map((id) => [id, byId(id).checked ? "1" : "0"])];
    byId("plot-link").href = "#plots?" + new URLSearchParams(chosen.map(([id, value]) => [id.slice(5), value]));
  }
  function choose(metric, measure) {
    byId("plot-metric").value = metric;
    byId("plot-measure").value = measure;
    drawn();
  }
  // What a link says of the plot, as far as this page has it.
  function restored() {
    const said = new URLSearchParams(location.hash.startsWith("#plots?") ? location.hash.slice(7) : "");
    for (const id of CHOICES) {
      const value = said.get(id.slice(5));
      if ([...byId(id).options].some((option) => option.value === value)) byId(id).value = value;
    }
    for (const id of TICKS) if (said.has(id.slice(5))) byId(id).checked = said.get(id.slice(5)) === "1";
    if (said.size) { drawn(); byId("plots").scrollIntoView(); }
  }
  if (byId("plot") && data.metrics.length && data.measures.length) {
    for (const id of [...CHOICES, ...TICKS]) byId(id).addEventListener("change", drawn);
    for (const cell of document.querySelectorAll(".cell")) {
      cell.addEventListener("click", () => { choose(cell.dataset.metric, cell.dataset.measure); byId("plots").scrollIntoView(); });
    }
    const best = document.querySelector(`.tau .best .cell[data-measure="${CSS.escape(data.first)}"]`) || document.querySelector(".tau tbody tr .best .cell") || document.querySelector(".tau .cell");
    if (best) choose(best.dataset.metric, best.dataset.measure); else drawn();
    restored();
    addEventListener("hashchange", restored);
    let last = innerWidth;
    addEventListener("resize", () => { if (Math.abs(innerWidth - last) > 40) { last = innerWidth; scatter(); } });
  }

  // ---- checkpoints: the metric above, the measure below, against the training step
  function curves() {
    const names = [byId("curve-metric").value, byId("curve-measure").value];
    const series = new Map();
    data.systems.forEach((_, i) => {
      const step = Number(String(data.steps[i]).replace(/[,_]/g, ""));
      if (!String(data.steps[i]).trim() || !Number.isFinite(step)) return;
      const group = data.series[i];
      if (!series.has(group)) series.set(group, []);
      series.get(group).push([step, i]);
    });
    const all = [...series.values()].flat().map(([step]) => step);
    if (!all.length) return;
    const width = byId("curves").clientWidth < 560 ? 420 : 860, part = 210, height = 2 * part + 40;
    const stepOf = new Map([...series.values()].flat().map(([step, i]) => [data.systems[i], step]));
    const line = (points) => points.map(([x, y]) => `${x},${y}`).join(" ");
    const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${names.join(" and ")} along training` });
    const marks = [];
    names.forEach((name, k) => {
      const column = data.columns[name], box = { left: 66, right: width - 16, top: 16 + k * part, bottom: (k + 1) * part - 18 };
      const values = [...series.values()].flat().map(([, i]) => column.values[i]).filter(finite);
      if (!values.length) return;
      const across = scale(all, box.left, box.right, 0.03), along = scale(values, box.bottom, box.top);
      frame(svg, across, along, box, k === 1 ? "step" : "", column.axis);
      // the mean over runs and one standard deviation around it, where at least two runs have the step
      const at = new Map();
      for (const points of series.values()) for (const [s, i] of points) if (finite(column.values[i])) at.set(s, [...(at.get(s) || []), column.values[i]]);
      const means = [...at].filter(([, v]) => v.length > 1).sort((a, b) => a[0] - b[0]).map(([s, v]) => {
        const mean = v.reduce((a, b) => a + b) / v.length;
        return [across.at(s), mean, Math.sqrt(v.reduce((a, b) => a + (b - mean) ** 2, 0) / (v.length - 1))];
      });
      if (means.length > 1) {
        const edge = (sign) => means.map(([x, mean, sd]) => [x, Math.min(box.bottom, Math.max(box.top, along.at(mean + sign * sd)))]);
        svg.append(make("path", { class: "band", d: `M${line([...edge(1), ...edge(-1).reverse()]).replaceAll(" ", "L")}Z` }), make("polyline", { class: "mean", points: line(means.map(([x, mean]) => [x, along.at(mean)])) }));
      }
      if (stepOf.has(data.shipped)) svg.append(make("line", { class: "shipped", x1: across.at(stepOf.get(data.shipped)), x2: across.at(stepOf.get(data.shipped)), y1: box.top, y2: box.bottom }));
      for (const [group, points] of series) {
        const here = points.filter(([, i]) => finite(column.values[i])).sort((a, b) => a[0] - b[0]);
        svg.append(make("polyline", { class: `draw g${group % 7}`, "stroke-width": 2, points: here.map(([s, i]) => `${across.at(s)},${along.at(column.values[i])}`).join(" ") }));
        const sign = column.lower ? -1 : 1;
        const top = here.reduce((a, b) => (a === null || sign * column.values[b[1]] > sign * column.values[a[1]] ? b : a), null);
        for (const [s, i] of here) {
          const px = across.at(s), py = along.at(column.values[i]);
          if (top && i === top[1]) svg.append(make("circle", { class: "axis", cx: px, cy: py, r: 9, "stroke-width": 2 }));
          marks.push(mark(SHAPES[group % 4], px, py, 4, { class: `point paint g${group % 7}`, "data-tip": `${data.systems[i]}\nstep ${data.steps[i]}, ${name} ${show(column.values[i])}` }));
        }
      }
    });
    svg.append(...marks);
    walkable(svg, marks);
    replace(byId("curves"), svg);
    const key = (cls, text) => make("li", {}, make("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, make("line", { class: cls, x1: 0, x2: 16, y1: 8, y2: 8 })), text);
    const several = data.runs.length > 1;
    replace(byId("curve-legend"), several ? data.runs.map((name, g) => make("li", {}, make("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, mark(SHAPES[g % 4], 8, 8, 5.5, { class: `paint g${g % 7}` })), name)) : [], several ? key("mean", "mean over runs, ± 1 standard deviation") : null, data.shipped ? key("shipped", `recommended: ${data.shipped}`) : null);
    // where each column by itself would have stopped
    replace(byId("stops"), [...data.measures, ...data.metrics].map((name) => {
      const column = data.columns[name], sign = column.lower ? -1 : 1;
      const best = data.systems.map((_, i) => i).filter((i) => stepOf.has(data.systems[i]) && finite(column.values[i])).reduce((a, i) => (a === null || sign * column.values[i] > sign * column.values[a] ? i : a), null);
      return best === null ? null : make("li", {}, make("b", {}, name), ` ${data.systems[best]} (step ${data.steps[best]})`);
    }));
  }
  if (byId("curves") && data.steps) {
    for (const id of ["curve-metric", "curve-measure"]) byId(id).addEventListener("change", curves);
    curves();
  }

  // ---- topics: which lose, their terms, the overlap with the reference side's ranking, the documents
  if (byId("topic-set") && data.topics.length) {
    const setBox = byId("topic-set"), measureBox = byId("topic-measure"), body = byId("table-topics").tBodies[0];
    const options = (names) => names.map((name, i) => make("option", { value: String(i) }, name));
    replace(setBox, options(data.topics.map((set) => set.name)));
    const set = () => data.topics[Number(setBox.value)];
    const measure = () => Object.keys(set().measures)[Number(measureBox.value)];
    const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
    const overlap = (mine, ideal) => (ideal.length ? mine.filter((doc) => ideal.includes(doc)).length / ideal.length : null);

    const list = () => {
      const here = set(), table = here.measures[measure()].values;
      const rows = here.topics.map((topic, t) => {
        const values = table.map((row) => row[t]).filter(finite);
        const shared = here.runs.map((run) => overlap(run[t], here.ideal[t])).filter(finite);
        const numbers = values.length ? [mean(values), Math.min(...values), Math.max(...values) - Math.min(...values)] : [null, null, null];
        const cells = [...numbers, shared.length ? mean(shared) : null].map((v) => make("td", { class: "num", "data-sort": finite(v) ? v : -1 }, finite(v) ? v.toFixed(3) : "–"));
        const lost = Object.keys(here.lost[t]).length;
        const row = make("tr", {}, make("th", { scope: "row", "data-sort": topic.id }, make("button", { type: "button", class: "choose", "data-topic": String(t), click: () => open(t, row) }, topic.id)), make("td", {}, topic.text), cells, make("td", { class: "num", "data-sort": lost }, String(lost)));
        return row;
      });
      replace(body, rows);
      sort(byId("table-topics"), 2, false);
      filter(byId("table-topics"), byId("topic-filter").value);
      const cut = here.topics.length < here.n ? `The ${here.topics.length} topics of ${here.n} with the lowest means; per_topic.tsv has all. ` : `${here.n} topics. `;
      byId("topic-note").textContent = `${cut}Mean, lowest and spread of ${measure()} over ${here.systems.length} systems; overlap: the share of the reference side's first 10 documents that stand among a system's first 10, on average; terms lost: query terms that the reference side has and some system never writes.`;
      replace(byId("topic"));
    };
    const bars = (t) => {
      const here = set(), values = here.measures[measure()].values, groups = data.groups[0];
      const order = here.systems.map((_, s) => s).sort((a, b) => (values[b][t] ?? -1) - (values[a][t] ?? -1));
      const longest = Math.max(...here.systems.map((name) => Math.min(name.length, 22)));
      const left = Math.min(180, longest * 7 + 14), width = byId("topic").clientWidth < 560 ? 420 : 860, line = 20;
      const top = Math.max(1e-9, ...order.map((s) => values[s][t] ?? 0));
      const svg = make("svg", { viewBox: `0 0 ${width} ${order.length * line + 8}`, role: "img", "aria-label": `${measure()} of each system on this topic` });
      const marks = order.map((s, k) => {
        const value = values[s][t], system = data.systems.indexOf(here.systems[s]);
        const shared = overlap(here.runs[s][t], here.ideal[t]);
        const name = here.systems[s].length > 22 ? here.systems[s].slice(0, 21) + "…" : here.systems[s];
        const y = 4 + k * line;
        svg.append(make("text", { x: left - 6, y: y + 14, "text-anchor": "end" }, name));
        const length = ((value ?? 0) / top) * (width - left - 70);
        svg.append(make("text", { x: left + length + 6, y: y + 14, class: "quiet" }, finite(value) ? value.toFixed(3) : "no value"));
        return make("rect", { class: `point paint g${system < 0 ? 0 : groups.of[system] % 7}`, x: left, y: y + 2, width: Math.max(1, length), height: line - 5, "data-tip": `${here.systems[s]}\n${measure()} ${show(value, 3)}, overlap ${show(shared, 3)}` });
      });
      svg.append(...marks);
      walkable(svg, marks);
      return svg;
    };
    const documents = (docs, t, other, otherName) => {
      const here = set(), rule = here.measures[measure()].rule, relevant = new Set(here.relevant[rule][t]);
      return make("ol", {}, docs.map((doc) => {
        const rank = other.indexOf(doc) + 1;
        return make("li", {}, make("b", {}, here.documents[doc][0]), relevant.has(doc) ? make("span", { class: "tag relevant" }, "relevant") : null, make("span", { class: "tag" }, rank ? `${otherName} rank ${rank}` : `${otherName}: below 10`), here.documents[doc][1] ? make("span", { class: "snippet" }, here.documents[doc][1]) : null);
      }));
    };
    const open = (t, row) => {
      const here = set(), topic = here.topics[t], values = here.measures[measure()].values;
      for (const other of body.rows) other.classList.toggle("on", other === row);
      const lost = Object.entries(here.lost[t]);
      const worst = here.systems.map((_, s) => s).reduce((a, b) => ((values[b][t] ?? 2) < (values[a][t] ?? 2) ? b : a), 0);
      const pick = make("select", { id: "topic-system" }, options(here.systems));
      const sides = make("div", { class: "sides" });
      const compare = () => {
        const mine = here.runs[Number(pick.value)][t], ideal = here.ideal[t];
        replace(sides, make("div", {}, make("h4", {}, "Reference side"), documents(ideal, t, mine, "system")), make("div", {}, make("h4", {}, here.systems[Number(pick.value)]), mine.length ? documents(mine, t, ideal, "English") : make("p", { class: "note" }, "found nothing")));
      };
      pick.value = String(worst);
      pick.addEventListener("change", compare);
      replace(byId("topic"), make("h3", {}, `Topic ${topic.id}`), make("p", { class: "text" }, topic.text),
        lost.length ? make("ul", {}, lost.map(([term, systems]) => make("li", {}, make("b", {}, term), ` is written nowhere by ${systems.length === here.systems.length ? "any system" : systems.slice(0, 8).map((s) => here.systems[s]).join(", ") + (systems.length > 8 ? ` and ${systems.length - 8} more` : "")}`))) : make("p", { class: "note" }, "Every query term stands in every system's translation."),
        make("h4", {}, measure()), make("div", { class: "canvas" }, bars(t)),
        make("h4", {}, "First 10 documents"), make("p", { class: "controls" }, make("label", { for: "topic-system" }, "System"), pick), sides);
      compare();
      byId("topic").scrollIntoView({ block: "nearest" });
    };
    const measures = () => { replace(measureBox, options(Object.keys(set().measures))); list(); };
    setBox.addEventListener("change", measures);
    measureBox.addEventListener("change", list);
    byId("topic-filter").addEventListener("input", () => filter(byId("table-topics"), byId("topic-filter").value));
    measures();
  }

  // ---- what a link leads to is unfolded; on paper everything is
  function unfolded() {
    const target = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const folded = [...target.querySelectorAll(":scope > .fold"), target.closest("details")].filter((node) => node && !node.open);
    for (const node of folded) node.open = true;
    if (folded.length) target.scrollIntoView();
  }
  addEventListener("hashchange", unfolded);
  unfolded();
  addEventListener("beforeprint", () => {
    for (const node of document.querySelectorAll("details")) node.open = true;
    document.querySelectorAll(".paged").forEach(whole);
  });
})();
