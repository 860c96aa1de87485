// SPDX-License-Identifier: Apache-2.0
// The dev sentences over the evaluations: searched, the worst, the most improved and forgotten first; the history of
// one.
import {ask, repeat} from "./api.js";
import {marked} from "./difference.js";
import {el, setText} from "./dom.js";
import {number} from "./format.js";

const orders = [
  ["worst", "worst first"], ["improved", "most improved"], ["forgotten", "most forgotten"],
  ["longest", "longest first"], ["first", "in order"]
];

function change(sentence) {
  if (sentence.chrf_before === undefined || sentence.chrf_before === null || sentence.chrf === null) return "";
  const difference = sentence.chrf - sentence.chrf_before;
  return `${difference >= 0 ? "+" : "−"}${Math.abs(difference).toFixed(1)}`;
}

export function showTranslations(main, parameters, signal) {
  const name = parameters.get("run");
  const step = el("select", {id: "step", onchange: () => chooseStep()});
  const against = el("select", {id: "against", onchange: load});
  const order =
      el("select", {id: "order", onchange: load}, orders.map(([key, text]) => el("option", {value: key}, text)));
  const search = el("input", {
    type: "search",
    id: "words",
    placeholder: "words",
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(load, 200);
    }
  });
  const found = el("p", {class: "soft", role: "status"}), list = el("ol", {class: "sentences"});
  const more = el("button", {type: "button", hidden: true, onclick: () => load(true)}, "Show more");
  let timer = 0, shown = 0, newest = true;
  main.replaceChildren(
      el("p", {class: "kind"}, "Translations of the dev set"), el("h1", null, name),
      el("form", {class: "tools", onsubmit: (event) => event.preventDefault()},
         el("label", {"for": "step"}, "Evaluation of step"), step, el("label", {"for": "against"}, "against step"),
         against, el("label", {"for": "order"}, "Order"), order, el("label", {"for": "words"}, "Search"), search),
      found, list, more,
      el("p", {class: "hint"},
         "Marked words differ from the reference. The score is the sentence's chrF, and its change since the other " +
             "evaluation."));

  async function history(sentence, place) {
    const answer = await ask("sentences", [["run", name], ["number", sentence.number]], signal);
    place.replaceChildren(
        el("table", null,
           el("thead", null,
              el("tr", null, ["step", "chrF", "translation"].map((text) => el("th", {scope: "col"}, text)))),
           el("tbody", null,
              answer.history.map(
                  (one) =>
                      el("tr", null, el("td", {class: "number"}, number(one.step)),
                         el("td", {class: "number"}, one.chrf === null ? "–" : one.chrf.toFixed(1)),
                         el("td", null, marked(one.translation, answer.reference)))))));
  }

  function item(sentence) {
    const place = el("div", {class: "wide"});
    const details =
        el("details", {
          ontoggle: () => {
            if (details.open && !place.firstChild)
              history(sentence, place).catch((error) => setText(place, error.message));
          }
        },
           el("summary", null, "Over the evaluations"), place);
    return el(
        "li", null,
        el("p", {class: "sentence-head"}, el("span", {class: "soft"}, `Sentence ${number(sentence.number + 1)}`), " ",
           el("strong", null, `chrF ${sentence.chrf === null ? "–" : sentence.chrf.toFixed(1)}`), " ",
           el("span", {class: "soft"}, change(sentence))),
        el("dl", {class: "sentence"}, el("dt", null, "source"),
           el("dd", {dir: "auto", class: "prose"}, sentence.source), el("dt", null, "reference"),
           el("dd", {dir: "auto", class: "prose"}, sentence.reference), el("dt", null, "translation"),
           el("dd", null, marked(sentence.translation, sentence.reference)),
           sentence.before !== undefined ?
               [el("dt", null, "before"), el("dd", {class: "soft"}, marked(sentence.before, sentence.reference))] :
               null),
        details);
  }

  function fillSteps(select, steps, chosen) {
    const texts = steps.join();
    if (select.dataset.steps !== texts) {
      select.dataset.steps = texts;
      select.replaceChildren(...steps.map((one) => el("option", {value: one}, number(one))));
    }
    select.value = String(chosen);
  }

  function chooseStep() {
    newest = step.selectedIndex === step.options.length - 1;
    load();
  }

  async function load(further = false) {
    const query = [
      ["run", name], ["order", order.value], ["search", search.value], ["offset", further === true ? shown : 0],
      ["count", 25]
    ];
    if (step.value && !newest) query.push(["step", step.value]);
    if (against.value) query.push(["against", against.value]);
    const answer = await ask("sentences", query, signal);
    fillSteps(step, answer.steps, answer.step);
    fillSteps(against, answer.steps, answer.against);
    const items = answer.sentences.map(item);
    if (further === true)
      list.append(...items);
    else
      list.replaceChildren(...items);
    shown = (further === true ? shown : 0) + answer.sentences.length;
    more.hidden = shown >= answer.found;
    setText(
        found,
        answer.steps.length === 0 ? "No evaluation of this run has translations yet." :
                                    `${number(answer.found)} sentences`);
  }

  let steps = -1;
  return repeat(async () => {  // shows a new evaluation when it is there, and leaves the reader in peace otherwise
    const answer = await ask("sentences", [["run", name], ["count", 0]], signal);
    if (answer.steps.length === steps) return;
    steps = answer.steps.length;
    await load();
  }, 10, signal);
}
