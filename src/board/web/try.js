// SPDX-License-Identifier: Apache-2.0
// A box to try the model: it translates as you type, with other translations, scores, and lines between aligned pieces.
import {ask, post} from "./api.js";
import {el, setText, svg} from "./dom.js";

function pieces(list, id) {
  return el(
      "p", {class: "pieces", dir: "auto"},
      list.map((piece, i) => el("span", {class: "piece", id: id + i}, piece.replaceAll("▁", " ") || " ")));
}

// The lines lie between the two rows of pieces, from the middle of one to the middle of the other.
function alignment(answer) {
  const best = answer.translations[0];
  const source = pieces(answer.source_pieces, "source-"), target = pieces(best.pieces, "target-"),
        lines = svg("svg", {class: "lines c1", role: "img", "aria-label": "alignment of source and translation"});
  const node =
      el("div", {class: "alignment", tabindex: 0, role: "region", "aria-label": "Alignment"},
         el("div", {class: "aligned"}, source, lines, target));
  requestAnimationFrame(() => {
    const frame = lines.getBoundingClientRect();
    lines.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
    for (const [from, to] of best.alignment) {
      const a = source.children[from], b = target.children[to];
      if (!a || !b) continue;
      const first = a.getBoundingClientRect(), second = b.getBoundingClientRect();
      lines.append(svg("line", {
        x1: first.left + first.width / 2 - frame.left,
        y1: first.bottom - frame.top,
        x2: second.left + second.width / 2 - frame.left,
        y2: second.top - frame.top
      }));
    }
  });
  return node;
}

export async function showTry(main, parameters, signal) {
  const name = parameters.get("run");
  const text = el("textarea", {
    id: "text",
    rows: 3,
    maxlength: 600,
    dir: "auto",
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(translate, 300);
    }
  });
  const checkpoint = el("select", {id: "checkpoint", onchange: () => translate()});
  const status = el("p", {class: "soft", role: "status"}),
        list = el("ol", {class: "nbest", "aria-label": "Translations"}), place = el("div");
  let timer = 0, asked = null;
  main.replaceChildren(
      el("p", {class: "kind"}, "Try the model"), el("h1", null, name),
      el("form", {class: "tools", onsubmit: (event) => event.preventDefault()},
         el("label", {"for": "checkpoint"}, "Checkpoint"), checkpoint),
      el("p", null, el("label", {"for": "text"}, "Sentence in the source language")), text, status, list, place);
  signal.addEventListener("abort", () => clearTimeout(timer), {once: true});

  async function translate() {
    if (asked) asked.abort();
    const wanted = text.value.trim();
    if (!wanted || !checkpoint.value) return list.replaceChildren(), place.replaceChildren(), setText(status, "");
    asked = new AbortController();
    signal.addEventListener("abort", () => asked.abort(), {once: true});
    setText(status, "translating");
    try {
      const answer = await post(
          "translate", {run: name, checkpoint: checkpoint.value, text: wanted.replaceAll("\n", " "), nbest: 4},
          asked.signal);
      list.replaceChildren(...answer.translations.map(
          (one) =>
              el("li", null, el("span", {class: "prose", dir: "auto"}, one.text), " ",
                 el("small", {class: "soft"}, one.score === null ? "" : one.score.toFixed(3)))));
      place.replaceChildren(alignment(answer));
      setText(status, `Translated by ${answer.checkpoint}. Numbers are scores: the higher, the better.`);
    } catch (error) {
      if (error.name !== "AbortError") setText(status, error.message);
    }
  }

  try {
    const names = (await ask("checkpoints", [["run", name]], signal)).checkpoints;
    checkpoint.replaceChildren(...names.map((one) => el("option", {value: one}, one)));
    if (names.includes("best")) checkpoint.value = "best";
    if (!names.length) setText(status, "This run has no checkpoint yet.");
  } catch (error) {
    if (!signal.aborted) setText(status, error.message);
  }
}
