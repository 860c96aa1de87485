// SPDX-License-Identifier: Apache-2.0
// The columns of the table of runs, and the cells of a run in them.
import {el} from "./dom.js";
import {duration, number, percent, score, UNKNOWN} from "./format.js";

export const columns = [
  {key: "name", name: "Run", text: true},
  {key: "state", name: "State", text: true},
  {key: "progress", name: "Progress"},
  {key: "seconds_left", name: "Time left"},
  {key: "best_bleu", name: "Best BLEU"},
  {key: "loss", name: "Loss"},
  {key: "tokens_per_second", name: "Tokens/s"},
  {key: "workers", name: "Workers"},
];

export function runLink(name, view = "run", more = []) {
  return "#" + new URLSearchParams([["view", view], ["run", name], ...more]);
}

export function cell(run, key) {
  if (key === "name") return el("a", {href: runLink(run.name)}, run.name);
  if (key === "state") {
    return [
      el("span", {class: "state " + run.state}, run.state),
      run.alerts.length ?
          el("span",
             {class: "alert-sign", title: run.alerts.join("\n"), role: "img", "aria-label": run.alerts.join(" ")},
             "!") :
          null
    ];
  }
  if (key === "progress") {
    if (run.progress === null) return number(run.step);
    return [
      el("progress", {value: run.progress, max: 1, "aria-label": "progress of " + run.name}), " ",
      percent(run.progress), el("small", {class: "soft"}, `${number(run.step)} of ${number(run.last_step)}`)
    ];
  }
  if (key === "seconds_left") return run.running ? duration(run.seconds_left) : UNKNOWN;
  if (key === "best_bleu")
    return [
      score(run.best_bleu),
      run.best_bleu_step !== null ? el("small", {class: "soft"}, `at ${number(run.best_bleu_step)}`) : null
    ];
  return number(run[key]);
}
