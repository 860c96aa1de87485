// SPDX-License-Identifier: Apache-2.0
// Several runs in one: their curves in the same charts, and the report's comparison of them.
import {ask, repeat} from "./api.js";
import {Chart} from "./chart.js";
import {el, setText} from "./dom.js";
import {moment} from "./format.js";
import {PageParts} from "./page_parts.js";
import {runLink} from "./run_cells.js";

const plans = [
  ["Training loss", "train_cross_entropy"], ["Dev loss", "dev_cross_entropy"], ["BLEU", "dev_bleu"],
  ["Throughput", "target_tokens_per_second"]
];

export function showComparison(main, parameters, signal) {
  const names = parameters.getAll("run");
  const parts = new PageParts(), age = el("p", {class: "hint"});
  let by = "step";
  const axis =
      el("fieldset", {class: "axis"}, el("legend", null, "Curves by"), ["step", "time", "tokens"].map((one) => {
        const radio = el("input", {
          type: "radio",
          name: "by",
          id: "by-" + one,
          onchange: () => {
            by = one;
            charts.forEach((chart) => chart.zoom(null));
          }
        });
        radio.checked = one === by;
        return el("label", {"for": "by-" + one}, radio, one);
      }));
  const charts = plans.map(
      ([title, key]) => new Chart({
        title,
        by: () => by,
        points: key.startsWith("dev_") ? names : [],
        load: async (from, to, buckets) => {
          const range = from === null ? [] : [["from", from], ["to", to]];
          const answers = await Promise.all(names.map(
              (name) =>
                  ask("curves", [["run", name], ["key", key], ["by", by], ["buckets", buckets], ...range], signal)));
          return {
            marks: [],
            series: answers.map((answer, i) => ({...answer.curves[0], name: names[i], colour: i % 8 + 1}))
          };
        }
      }));
  main.replaceChildren(
      el("p", {class: "kind"}, `Comparison of ${names.length} runs`),
      el("h1", null, names.map((name, i) => [i ? " · " : "", el("a", {href: runLink(name)}, name)])), axis,
      el("div", {class: "charts"}, charts.map((chart) => chart.node)),
      el("p", null, "Translations side by side: ",
         names.slice(1).map(
             (name, i) =>
                 [i ? ", " : "",
                  el("a", {href: runLink(names[0], "translations", [["with", name]])}, `${names[0]} and ${name}`)])),
      el("section", {id: "answers"}, el("h2", null, "Answers"), parts.node, age));
  signal.addEventListener("abort", () => {
    charts.forEach((chart) => chart.close());
    parts.close();
  }, {once: true});
  let shownAt = null;
  return repeat(async () => {
    await Promise.all(charts.map((chart) => chart.refresh()));
    const answer = await ask("comparison", names.map((name) => ["run", name]), signal);
    if (answer.made_at === shownAt) return;
    shownAt = answer.made_at;
    parts.show(answer.page);
    setText(age, `As of ${moment(answer.made_at)}. ${(answer.page.notes || []).join(" ")}`);
  }, 10, signal);
}
