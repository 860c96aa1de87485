// SPDX-License-Identifier: Apache-2.0
// Chart draws curves with dygraphs: the band of smallest and largest values and the raw curve behind a smoothed one,
// values under the pointer, marks of what happened. Dragging zooms; the range is asked for again at its finer scale.
// With the keyboard: + and - zoom, the arrows move, 0 shows all.
import {el, setText} from "./dom.js";
import {moment, number} from "./format.js";

// The page has a legend of its own; that of dygraphs sets styles in a way that the page's policy forbids.
Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) => plugin !== Dygraph.Plugins.Legend);

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const charts = new Set();
dark.addEventListener("change", () => charts.forEach((chart) => chart.restyle()));

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function faint(hex, alpha) {
  const [red, green, blue] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}

// Rows of dygraphs over the places of all series. null: nothing there, the line goes on; NaN: the line breaks.
function rowsOf(series) {
  const places = [...new Set(series.flatMap((one) => one.x))].filter((x) => x !== null).sort((a, b) => a - b);
  const row = new Map(places.map((x, i) => [x, i]));
  const rows = places.map((x) => [x]);
  for (const one of series) {
    for (const line of rows) line.push(null);
    one.x.forEach((x, i) => {
      if (x === null) return;
      const last = one.last[i];
      const value = last === null ? [NaN, NaN, NaN] :
                                    [one.low ? one.low[i] ?? last : last, last, one.high ? one.high[i] ?? last : last];
      rows[row.get(x)][rows[row.get(x)].length - 1] = value;
    });
  }
  return rows;
}

export class Chart {
  // options: title, hint, log, points (names of series drawn as points), load(from, to, buckets) -> {series, marks}
  // with series of {name, x, last, low, high, smooth, colour}; by() -> "step" | "time" | "tokens"
  constructor(options) {
    this.options = options;
    this.range = null;
    this.marks = [];
    this.legend = el("ul", {class: "legend"});
    this.readout = el("output", {class: "readout"});
    this.plot = el("div", {class: "plot"});
    this.reset =
        el("button", {type: "button", class: "quiet", hidden: true, onclick: () => this.zoom(null)}, "Show all");
    const name = options.title + ". Plus and minus zoom, arrows move, 0 shows all.";
    this.node = el(
        "figure",
        {class: "chart", tabindex: 0, role: "group", "aria-label": name, onkeydown: (event) => this.key(event)},
        el("figcaption", null, options.title, this.reset),
        el("div", {class: "chart-head"}, this.legend, this.readout), this.plot,
        options.hint ? el("p", {class: "hint"}, options.hint) : null);
    this.node.chart = this;
    charts.add(this);
  }

  close() {
    charts.delete(this);
    if (this.graph) this.graph.destroy();
    this.graph = null;
  }

  axis() {
    return this.options.by ? this.options.by() : "step";
  }

  async refresh() {
    const asked = this.range, axis = this.axis();
    const buckets = Math.max(200, Math.min(2000, Math.round(this.plot.clientWidth || 600)));
    const answer = await this.options.load(asked ? asked[0] : null, asked ? asked[1] : null, buckets);
    if (!charts.has(this) || asked !== this.range || axis !== this.axis()) return;
    this.show(answer);
  }

  show(answer) {
    this.answer = answer;
    this.marks = answer.marks || [];
    const series = [];
    for (const one of answer.series) {
      series.push({...one, raw: Boolean(one.smooth)});
      if (one.smooth)
        series.push({...one, name: one.name + ", smoothed", last: one.smooth, low: null, high: null, thick: true});
    }
    this.series = series;
    const rows = rowsOf(series);
    this.node.dataset.points = String(rows.length);
    this.node.dataset.marks = this.marks.map((mark) => mark.text).join("\n");
    this.node.classList.toggle("empty", rows.length === 0);
    this.legend.replaceChildren(
        ...(answer.series.length > 1 ? answer.series : [])
            .map((one, i) => el("li", null, el("span", {class: "swatch c" + (one.colour || i + 1)}), one.name)));
    if (rows.length === 0) {
      setText(this.readout, "Nothing on record yet.");
      return;
    }
    if (!this.graph) setText(this.readout, "");
    this.draw(rows);
  }

  style() {
    const time = this.axis() === "time";
    const each = {}, colours = [];
    this.series.forEach((one, i) => {
      const base = colour("c" + (one.colour || i + 1)),
            points = (this.options.points || []).includes(one.name) || one.x.length === 1;
      colours.push(one.raw ? faint(base, 0.4) : base);
      each[one.name] =
          {strokeWidth: one.raw ? 1 : 2, drawPoints: points, pointSize: 2.5, axis: one.second ? "y2" : "y1"};
    });
    const label = (value) => number(value);
    return {
      labels: ["x", ...this.series.map((one) => one.name)],
      series: each,
      colors: colours,
      customBars: true,
      includeZero: Boolean(this.options.zero),
      fillAlpha: 0.14,
      connectSeparatedPoints: true,
      legend: "never",
      logscale: Boolean(this.options.log),
      gridLineColor: colour("line"),
      axisLineColor: colour("soft"),
      axisLabelFontSize: 12,
      gridLineWidth: 1,
      highlightCircleSize: 3.5,
      rightGap: 8,
      xRangePad: 4,
      yRangePad: 8,
      animatedZooms: false,
      dateWindow: this.range,
      axes: {
        x: {
          axisLabelFormatter: time ? (value) => this.shortTime(value) : label,
          axisLabelWidth: 66,
          drawGrid: false,
          pixelsPerLabel: 80
        },
        y: {axisLabelFormatter: label, axisLabelWidth: 52},
        y2: {axisLabelFormatter: label, axisLabelWidth: 46},
      },
      highlightCallback: (event, x, points) => this.tell(x, points),
      unhighlightCallback: () => setText(this.readout, ""),
      zoomCallback: (from, to) => this.zoomed(from, to),
      underlayCallback: (canvas, area, graph) => this.drawMarks(canvas, area, graph),
    };
  }

  shortTime(seconds) {
    const [from, to] = this.graph ? this.graph.xAxisRange() : [0, 0], date = new Date(seconds * 1000);
    if (to - from > 2 * 86400) return date.toLocaleDateString([], {month: "short", day: "numeric"});
    const second = to - from < 600 ? "2-digit" : undefined;
    return date.toLocaleTimeString([], {hour: "2-digit", minute: "2-digit", second, hour12: false});
  }

  draw(rows) {
    this.rows = rows;
    if (this.graph)
      this.graph.updateOptions({file: rows, ...this.style()});
    else
      this.graph = new Dygraph(this.plot, rows, this.style());
    this.node.dataset.drawn = String(Number(this.node.dataset.drawn || 0) + 1);
  }

  restyle() {
    if (this.graph) this.draw(this.rows);
  }

  tell(x, points) {
    const place = this.axis() === "time" ? moment(x) : `${this.axis()} ${number(x)}`;
    const values =
        points.filter((point) => Number.isFinite(point.yval)).map((point) => `${point.name} ${number(point.yval)}`);
    const mark = this.marks.find(
        (one) => one.x !== null && Math.abs(this.graph.toDomXCoord(one.x) - this.graph.toDomXCoord(x)) < 5);
    setText(this.readout, [place, ...values, mark ? mark.text : ""].filter(Boolean).join(" · "));
  }

  drawMarks(canvas, area, graph) {
    canvas.save();
    canvas.strokeStyle = canvas.fillStyle = colour("soft");
    canvas.setLineDash([3, 3]);
    canvas.font = "11px system-ui, sans-serif";
    let free = area.x;
    for (const mark of this.marks) {
      if (mark.x === null || mark.x === undefined) continue;
      const x = Math.round(graph.toDomXCoord(mark.x)) + 0.5;
      if (x < area.x || x > area.x + area.w) continue;
      canvas.beginPath();
      canvas.moveTo(x, area.y);
      canvas.lineTo(x, area.y + area.h);
      canvas.stroke();
      const text = mark.label || "", width = canvas.measureText(text).width;
      const left = x + 4 + width > area.x + area.w ? x - 4 - width : x + 4;
      if (left < free) continue;
      canvas.fillText(text, left, area.y + 11);
      free = left + width + 6;
    }
    canvas.restore();
  }

  zoomed(from, to) {
    const [first, last] = this.graph.xAxisExtremes();
    this.zoom(from <= first && to >= last ? null : [from, to]);
  }

  zoom(range) {
    this.range = range;
    this.reset.hidden = range === null;
    if (this.graph) this.graph.updateOptions({dateWindow: range});
    this.refresh().catch(() => {});
  }

  key(event) {
    if (!this.graph || event.target !== this.node || event.ctrlKey || event.metaKey || event.altKey) return;
    const [from, to] = this.graph.xAxisRange(), width = to - from, middle = (from + to) / 2;
    const ranges = {
      "+": [middle - width / 4, middle + width / 4],
      "=": [middle - width / 4, middle + width / 4],
      "-": [middle - width, middle + width],
      "0": null,
      ArrowLeft: [from - width / 4, to - width / 4],
      ArrowRight: [from + width / 4, to + width / 4],
    };
    if (!(event.key in ranges)) return;
    event.preventDefault();
    const [first, last] = this.graph.xAxisExtremes(), wanted = ranges[event.key];
    if (event.key.startsWith("Arrow") && !this.range) return;
    if (wanted === null || (event.key === "-" && wanted[0] <= first && wanted[1] >= last && !this.range))
      this.zoom(null);
    else
      this.zoom(wanted);
  }
}
