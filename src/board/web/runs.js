// SPDX-License-Identifier: Apache-2.0
// The table of all runs: sorted, filtered, searched; with those settings as columns in which runs differ, and runs that
// differ in their seed alone together; selected runs are compared.
import {ask, repeat} from "./api.js";
import {el, setText, smallCurve} from "./dom.js";
import {number, UNKNOWN} from "./format.js";
import {cell, columns} from "./run_cells.js";
import {meanText, seedGroups} from "./seeds.js";

// What the user has chosen stays while the page is open.
const chosen = {
  sort: "began",
  down: true,
  state: "",
  search: "",
  seeds: false,
  selected: new Set()
};

function value(run, key) {
  return key.startsWith("setting ") ? run.settings[key.slice(8)] : run[key];
}

function compare(a, b, key) {
  const first = value(a, key), second = value(b, key);
  if (first === second) return a.name < b.name ? -1 : 1;
  if (first === null || first === undefined) return 1;
  if (second === null || second === undefined) return -1;
  const order = typeof first === "string" ? String(first).localeCompare(String(second)) : first - second;
  return chosen.down ? -order : order;
}

export function showRuns(main, parameters, signal) {
  const count = el("p", {class: "soft", role: "status"});
  const head = el("tr"), body = el("tbody");
  const search = el("input", {
    type: "search",
    id: "search",
    value: chosen.search,
    placeholder: "name or setting",
    oninput: () => {
      chosen.search = search.value;
      draw();
    }
  });
  const state = el("select", {
    id: "state",
    onchange: () => {
      chosen.state = state.value;
      draw();
    }
  });
  const seeds = el("input", {
    type: "checkbox",
    id: "seeds",
    onchange: () => {
      chosen.seeds = seeds.checked;
      draw();
    }
  });
  seeds.checked = chosen.seeds;
  const compareButton =
      el("button", {
        type: "button",
        disabled: true,
        onclick: () => {
          location.hash =
              new URLSearchParams([["view", "compare"], ...selectedNames().map((name) => ["run", name])]).toString();
        }
      },
         "Compare");
  const empty = el("p", {class: "note", hidden: true});
  main.replaceChildren(
      el("h1", null, "Runs"),
      el("form", {class: "tools", onsubmit: (event) => event.preventDefault()},
         el("label", {"for": "search"}, "Search"), search, el("label", {"for": "state"}, "State"), state, seeds,
         el("label", {"for": "seeds"}, "Seeds together"), compareButton),
      count, empty,
      el("div", {class: "wide", tabindex: 0, role: "region", "aria-label": "Table of runs"},
         el("table", {class: "runs"}, el("thead", null, head), body)));
  let answer = null, shown = "";

  function headers(settings) {
    const all = [...columns, ...settings.map((key) => ({key: "setting " + key, name: key, text: true, setting: true}))];
    head.replaceChildren(
        el("th", {scope: "col"}, el("span", {class: "hidden"}, "Selected")), ...all.slice(0, 8).map(header),
        el("th", {scope: "col"}, "Loss curve"), ...all.slice(8).map(header));
    function header(column) {
      const sorted = chosen.sort === column.key;
      return el(
          "th", {
            scope: "col",
            class: column.text ? null : "number",
            "aria-sort": sorted ? (chosen.down ? "descending" : "ascending") : "none"
          },
          el("button", {
            type: "button",
            class: "sort" + (column.setting ? " setting" : ""),
            onclick: () => {
              chosen.down = sorted ? !chosen.down : !column.text;
              chosen.sort = column.key;
              draw();
              const again = [...head.querySelectorAll("button")].find((button) => button.dataset.key === column.key);
              if (again) again.focus();
            },
            "data-key": column.key
          },
             column.name, sorted ? (chosen.down ? " ↓" : " ↑") : ""));
    }
  }

  function row(run, settings) {
    const box = el("input", {
      type: "checkbox",
      "aria-label": "select " + run.name,
      onchange: () => {
        if (box.checked)
          chosen.selected.add(run.name);
        else
          chosen.selected.delete(run.name);
        tellSelected();
      }
    });
    box.checked = chosen.selected.has(run.name);
    return el(
        "tr", null, el("td", null, box),
        columns.map(
            (column) =>
                el(column.key === "name" ? "th" : "td", {
                  scope: column.key === "name" ? "row" : null,
                  class: column.text ? null : "number",
                  "data-label": column.name
                },
                   el("span", null, cell(run, column.key)))),
        el("td", {"data-label": "Loss curve"}, smallCurve(run.curve, "loss of " + run.name)),
        settings.map(
            (key) =>
                el("td", {"data-label": key, class: "setting"},
                   run.settings[key] === undefined ? UNKNOWN : String(run.settings[key]))));
  }

  function groupRow(group, settings) {
    const means = ["best_bleu", "loss", "tokens_per_second"];
    return el(
        "tr", {class: "group"}, el("td"),
        columns.map(
            (column) =>
                el(column.key === "name" ? "th" : "td", {
                  scope: column.key === "name" ? "row" : null,
                  class: column.text ? null : "number",
                  "data-label": column.name
                },
                   column.key === "name" ? `${group.length} seeds` :
                       means.includes(column.key) ? meanText(group.map((run) => run[column.key])) :
                                                    "")),
        el("td"),
        settings.map(
            (key) =>
                el("td", {"data-label": key, class: "setting"},
                   key === "seed" ? "" : String(group[0].settings[key] ?? UNKNOWN))));
  }

  function selectedNames() {
    const known = answer ? answer.runs.map((run) => run.name) : [];
    return [...chosen.selected].filter((name) => known.includes(name));
  }

  function tellSelected() {
    const selected = selectedNames().length;
    compareButton.disabled = selected < 2;
    setText(compareButton, selected < 2 ? "Compare" : `Compare ${selected} runs`);
  }

  function draw() {
    if (!answer) return;
    const states = [...new Set(answer.runs.map((run) => run.state))].sort();
    if (shown !== states.join()) {
      shown = states.join();
      state.replaceChildren(
          el("option", {value: ""}, "all"), ...states.map((name) => el("option", {value: name}, name)));
      state.value = states.includes(chosen.state) ? chosen.state : chosen.state = "";
    }
    const wanted = chosen.search.toLowerCase();
    const matches = (run) => (!chosen.state || run.state === chosen.state) &&
        (!wanted || run.name.toLowerCase().includes(wanted) ||
         Object.entries(run.settings).some(([key, value]) => `${key}=${value}`.toLowerCase().includes(wanted)));
    const runs = answer.runs.filter(matches).sort((a, b) => compare(a, b, chosen.sort));
    const focused = document.activeElement && body.contains(document.activeElement) ?
        document.activeElement.getAttribute("aria-label") || document.activeElement.textContent :
        null;
    headers(answer.settings);
    const groups = chosen.seeds ? seedGroups(runs) : runs.map((run) => [run]);
    body.replaceChildren(...groups.flatMap(
        (group) =>
            [...(group.length > 1 ? [groupRow(group, answer.settings)] : []),
             ...group.map((run) => row(run, answer.settings))]));
    if (focused) {
      const again = [...body.querySelectorAll("a, input")].find(
          (node) => (node.getAttribute("aria-label") || node.textContent) === focused);
      if (again) again.focus();
    }
    setText(
        count,
        `${
            runs.length === answer.runs.length ? number(runs.length) :
                                                 `${number(runs.length)} of ${number(answer.runs.length)}`} ${
            answer.runs.length === 1 ? "run" : "runs"} below ${answer.folder}`);
    empty.hidden = answer.runs.length > 0 && answer.refused.length === 0;
    setText(
        empty,
        answer.runs.length === 0 && answer.refused.length === 0 ?
            "There is no run yet. Runs appear here as soon as `verbund train` writes them." :
            answer.refused.length ?
            `Not read, because a link in them leads outside of the folder: ${answer.refused.join(", ")}.` :
            "");
    tellSelected();
  }

  let before = "";
  return repeat(async () => {
    const next = await ask("runs", [], signal);
    const now = JSON.stringify([next.runs.map((run) => ({...run, last_sign: 0})), next.refused]);
    answer = next;
    if (now === before) return;
    before = now;
    const typing = document.activeElement === search;
    draw();
    if (typing) search.focus();
  }, 2, signal);
}
