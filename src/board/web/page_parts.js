// SPDX-License-Identifier: Apache-2.0
// The parts of a report's page, from its JSON: answers with their evidence, sections with text, tables and charts.
import {Chart} from "./chart.js";
import {el, findingIcon, setText} from "./dom.js";
import {number} from "./format.js";

function seriesOf(chart) {
  return chart.series.map((one, i) => ({
                            name: one.name || chart.y || chart.title,
                            x: one.x,
                            last: one.y,
                            low: one.low,
                            high: one.high,
                            colour: i % 8 + 1,
                          }));
}

function bars(chart) {
  const rows = chart.bars.map((bar) => {
    const all = bar.values.reduce((sum, value) => sum + (value || 0), 0);
    return el(
        "div", {class: "bar-row"}, el("span", {class: "bar-name"}, bar.name),
        el("span", {
          class: "bar-parts",
          role: "img",
          "aria-label": chart.parts.map((part, i) => `${part} ${number(bar.values[i])}`).join(", ")
        },
           bar.values.map((value, i) => {
             const share = all > 0 ? (value || 0) / all : 0;
             const part = el("span", {class: `bar-part c${i % 8 + 1}`, title: `${chart.parts[i]} ${number(value)}`});
             part.style.flexGrow = String(share);
             return share > 0 ? part : null;
           })));
  });
  return el(
      "figure", {class: "bars"}, el("figcaption", null, chart.title),
      el("ul", {class: "legend"},
         chart.parts.map((part, i) => el("li", null, el("span", {class: `swatch c${i % 8 + 1}`}), part))),
      rows, chart.hint ? el("p", {class: "hint"}, chart.hint) : null);
}

// A chart of a page that was made before: zooming shows the same points.
export function pageChart(chart, opened) {
  if (chart.bars) return bars(chart);
  const drawn = new Chart({
    title: chart.title,
    hint: chart.hint,
    log: chart.log_y,
    by: () => chart.x === "step" ? "step" : chart.x,
    load: async () => ({
      series: seriesOf(chart),
      marks: (chart.marks || []).map((mark) => ({x: mark.x, label: mark.text, text: mark.text}))
    }),
  });
  opened.push(drawn);
  return drawn.node;
}

export function pageTable(table) {
  const names = [...new Set(table.rows.flatMap((row) => Object.keys(row)))];
  const isNumber = (name) => table.rows.some((row) => typeof row[name] === "number");
  return el(
      "div", {class: "wide", tabindex: 0, role: "region", "aria-label": table.id},
      el("table", null,
         el("thead", null,
            el("tr", null,
               names.map((name) => el("th", {scope: "col", class: isNumber(name) ? "number" : null}, name)))),
         el("tbody", null,
            table.rows.slice(0, 200).map(
                (row) =>
                    el("tr", null,
                       names.map(
                           (name) =>
                               el("td", {class: isNumber(name) ? "number" : "prose"},
                                  typeof row[name] === "number" ? number(row[name]) : row[name] ?? "")))))));
}

function figures(list) {
  return el(
      "div", {class: "wide"},
      el("table", {class: "figures"},
         el("tbody", null,
            list.map(
                (one) =>
                    el("tr", null, el("th", {scope: "row"}, one.name),
                       el("td", {class: "number"}, number(one.value) + (one.unit ? " " + one.unit : "")),
                       el("td", {class: "interval"},
                          one.low !== undefined ? `${number(one.low)} to ${number(one.high)}` : "", " ",
                          el("small", null, one.interval || "")))))));
}

// Text in which commands and keys stand between backticks.
function prose(text) {
  return text.split("`").map((part, i) => i % 2 ? el("code", null, part) : part);
}

// The evidence of an answer, drawn when it is opened.
function evidence(verdict, opened) {
  return [
    verdict.figures.length ? figures(verdict.figures) : null, verdict.charts.map((chart) => pageChart(chart, opened)),
    el("dl", {class: "why"},
       verdict.rule ? el("div", null, el("dt", null, "How this was decided"), el("dd", null, prose(verdict.rule))) :
                      null,
       verdict.would_change ?
           el("div", null, el("dt", null, "How to change this"), el("dd", null, prose(verdict.would_change))) :
           null)
  ];
}

function section(part, opened) {
  return [
    part.text.map((text) => text.includes("\n") ? el("pre", null, text) : el("p", null, text)),
    part.tables.map(pageTable), part.charts.map((chart) => pageChart(chart, opened))
  ];
}

// A list of parts that open. It may be shown again with a later page: what is open stays open.
export class PageParts {
  constructor() {
    this.node = el("div", {class: "parts"});
    this.parts = new Map();
  }

  close() {
    for (const part of this.parts.values()) this.empty(part);
  }

  empty(part) {
    part.charts.forEach((chart) => chart.close());
    part.charts = [];
  }

  fill(part) {
    this.empty(part);
    const opened = [];
    part.body.replaceChildren(...part.make(opened).flat(Infinity).filter(Boolean));
    part.charts = opened;
    opened.forEach((chart) => chart.refresh());
  }

  put(id, title, make, icon, sentence) {
    let part = this.parts.get(id);
    if (!part) {
      part = {
        charts: [],
        icon: el("span", {class: "part-icon"}, el("span", {class: "part-opens", "aria-hidden": "true"}, "▸")),
        title: el("span", {class: "part-title"}),
        sentence: el("span", {class: "part-sentence"}),
        body: el("div", {class: "part-body"})
      };
      part.node =
          el("details", {id: "part-" + id, ontoggle: () => part.node.open ? this.fill(part) : this.empty(part)},
             el("summary", null, part.icon, part.title, part.sentence), part.body);
      this.parts.set(id, part);
      this.node.append(part.node);
    }
    part.make = make;
    setText(part.title, title);
    setText(part.sentence, sentence);
    if (icon && part.finding !== icon) part.icon.replaceChildren(findingIcon(icon));
    part.finding = icon;
    if (part.node.open) this.fill(part);
  }

  show(page) {
    for (const verdict of page.verdicts) {
      this.put(verdict.id, verdict.question, (opened) => evidence(verdict, opened), verdict.finding, verdict.sentence);
    }
    for (const part of page.sections)
      this.put("section-" + part.id, part.title, (opened) => section(part, opened), "", "");
  }
}
