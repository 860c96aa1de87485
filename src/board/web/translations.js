// SPDX-License-Identifier: Apache-2.0
// The dev sentences of an evaluation beside those of another one, of the same run or of another run: searched, the
// worst first, those that changed most; the history of one. The address has all that was chosen.
import {ask, repeat} from "./api.js";
import {marked} from "./difference.js";
import {el, setText} from "./dom.js";
import {number} from "./format.js";

const orders = [
  ["worst", "worst first"], ["changed", "biggest change"], ["improved", "most improved"],
  ["forgotten", "most forgotten"], ["longest", "longest first"], ["first", "in order"]
];

function chrf(value) {
  return value === null ? "–" : value.toFixed(1);
}

function change(sentence) {
  if (sentence.chrf === null || sentence.chrf_other === null) return "";
  const difference = sentence.chrf - sentence.chrf_other;
  return ` (${difference >= 0 ? "+" : "−"}${Math.abs(difference).toFixed(1)})`;
}

// What the figures of an answer mean, in a sentence or two.
function account(answer, name, other) {
  for (const [steps, run] of [[answer.steps, name], [answer.against_steps, other]]) {
    if (steps.length === 0) return `No evaluation of ${run} has translations yet.`;
  }
  for (const [count, run] of [[answer.here, name], [answer.there, other]]) {
    if (count === 0) return `The dev sentences of ${run} cannot be read (evaluations/dev.jsonl).`;
  }
  if (answer.shared === 0) {
    return `${name} and ${other} have no dev sentence in common: their dev sets differ, and nothing can be compared.`;
  }
  let text = `${number(answer.found)} ${answer.found === 1 ? "sentence" : "sentences"}.`;
  const [one, second] =
      other !== name ? [name, other] : [`step ${number(answer.step)}`, `step ${number(answer.against)}`];
  if (one !== second) {
    text += ` By chrF, ${one} is better than ${second} in ${number(answer.better)} and worse in ${
        number(answer.worse)} of them.`;
  }
  if (other !== name && (answer.shared < answer.here || answer.shared < answer.there)) {
    text += ` The dev sets differ: only the ${number(answer.shared)} sentences in both can be shown, of ${
        number(answer.here)} of ${name} and ${number(answer.there)} of ${other}.`;
  }
  return text;
}

// The box of one translation, with its own name.
function translation(title, score, text, reference, other) {
  return el(
      "div", {class: "side"}, el("dt", null, title, el("span", {class: "number"}, score)),
      el("dd", null, marked(text, reference, other)));
}

export function showTranslations(main, parameters, signal) {
  const name = parameters.get("run");
  const chosen = {};  // what is not there is left to the server
  for (const key of ["with", "step", "against", "order", "search"]) chosen[key] = parameters.get(key) || "";
  if (chosen.with === name) chosen.with = "";
  if (!chosen.order) chosen.order = chosen.with ? "changed" : "worst";

  const step = el("select", {
    id: "step",
    onchange: () => {
      const newest = step.selectedIndex === step.options.length - 1;  // follows the run
      choose({step: newest ? "" : step.value});
    }
  });
  const other = el("select", {
    id: "with",
    onchange: () => {
      const order = other.value && chosen.order === "worst" ? "changed" : chosen.order;
      choose({with: other.value, against: "", order});
    }
  });
  const against = el("select", {id: "against", onchange: () => choose({against: against.value})});
  const order =
      el("select", {id: "order", onchange: () => choose({order: order.value})},
         orders.map(([key, text]) => el("option", {value: key}, text)));
  const search = el("input", {
    type: "search",
    id: "words",
    placeholder: "words",
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(() => choose({search: search.value}), 200);
    }
  });
  const found = el("p", {class: "soft", role: "status"}), list = el("ol", {class: "sentences"});
  const more = el("button", {type: "button", hidden: true, onclick: () => show(true)}, "Show more");
  let timer = 0, shown = 0, asked = 0;
  main.replaceChildren(
      el("p", {class: "kind"}, "Translations of the dev set"), el("h1", null, name),
      el("form", {class: "tools", onsubmit: (event) => event.preventDefault()},
         el("span", {class: "tool"}, el("label", {"for": "step"}, "Evaluation of step"), step),
         el("span", {class: "tool"}, el("label", {"for": "with"}, "beside"), other,
            el("label", {"for": "against"}, "at step"), against),
         el("span", {class: "tool"}, el("label", {"for": "order"}, "Order"), order),
         el("span", {class: "tool"}, el("label", {"for": "words"}, "Search"), search)),
      found,
      el("p", {class: "hint"},
         "Marked words are not in the reference at that place; underlined words are not in the other translation. The " +
             "score is the sentence's chrF, from 0 to 100, and in brackets its difference to the other one."),
      list, more);
  order.value = chosen.order;
  search.value = chosen.search;

  function choose(changes) {
    if (signal.aborted) return;  // the page was left while a search waited
    Object.assign(chosen, changes);
    order.value = chosen.order;
    const set = Object.entries(chosen).filter(([, value]) => value);
    history.replaceState(null, "", "#" + new URLSearchParams([["view", "translations"], ["run", name], ...set]));
    show();
  }

  async function showHistory(sentence, place) {
    const answer = await ask("sentences", [["run", name], ["number", sentence.number]], signal);
    place.replaceChildren(
        el("table", null,
           el("thead", null,
              el("tr", null, ["step", "chrF", "translation"].map((text) => el("th", {scope: "col"}, text)))),
           el("tbody", null,
              answer.history.map(
                  (one) =>
                      el("tr", null, el("td", {class: "number"}, number(one.step)),
                         el("td", {class: "number"}, chrf(one.chrf)),
                         el("td", null, marked(one.translation, answer.reference)))))));
  }

  function item(sentence, answer) {
    const place = el("div", {class: "wide"});
    const details =
        el("details", {
          ontoggle: () => {
            if (details.open && !place.firstChild)
              showHistory(sentence, place).catch((error) => setText(place, error.message));
          }
        },
           el("summary", null, `Over the evaluations of ${name}`), place);
    const sides = sentence.other !== undefined;
    const title = (run, at) => chosen.with ? `${run}, step ${number(at)}` : `step ${number(at)}`;
    return el(
        "li", null,
        el("dl", {class: sides ? "sentence beside" : "sentence"},
           el("div", {class: "source"}, el("dt", null, `sentence ${number(sentence.number + 1)}`),
              el("dd", {dir: "auto", class: "prose"}, sentence.source)),
           el("div", {class: "side"}, el("dt", null, "reference"),
              el("dd", {dir: "auto", class: "prose"}, sentence.reference)),
           translation(
               title(name, answer.step), `chrF ${chrf(sentence.chrf)}${sides ? change(sentence) : ""}`,
               sentence.translation, sentence.reference, sentence.other),
           sides ? translation(
                       title(chosen.with || name, answer.against), `chrF ${chrf(sentence.chrf_other)}`, sentence.other,
                       sentence.reference, sentence.translation) :
                   null),
        details);
  }

  function fill(select, options, value) {
    const key = JSON.stringify(options);
    if (select.dataset.options !== key) {
      select.dataset.options = key;
      select.replaceChildren(...options.map(([one, text]) => el("option", {value: one}, text)));
    }
    select.value = String(value);
  }

  async function load(further) {
    const own = ++asked;
    const answer = await ask(
        "sentences",
        [
          ["run", name], ["offset", further ? shown : 0], ["count", 25],
          ...Object.entries(chosen).filter(([, value]) => value)
        ],
        signal);
    if (own !== asked) return;  // something else was chosen in the meantime
    const steps = (list) => list.map((one) => [one, number(one)]);
    fill(step, steps(answer.steps), answer.step);
    fill(against, steps(answer.against_steps), answer.against);
    const items = answer.sentences.map((sentence) => item(sentence, answer));
    further ? list.append(...items) : list.replaceChildren(...items);
    shown = (further ? shown : 0) + answer.sentences.length;
    more.hidden = shown >= answer.found;
    setText(found, account(answer, name, chosen.with || name));
  }

  function show(further = false) {
    return load(further).catch((error) => {
      if (error.name === "AbortError") return;
      list.replaceChildren();
      setText(found, error.message);
    });
  }

  // Shows a new evaluation when it is there, and leaves the reader in peace otherwise.
  let seen = "";
  return repeat(async () => {
    const names = (await ask("runs", [], signal)).runs.map((run) => run.name).filter((one) => one !== name);
    const gone = chosen.with && !names.includes(chosen.with);
    if (gone) names.push(chosen.with);
    fill(other, [["", "this run"], ...names.map((one) => [one, one])], chosen.with);
    if (gone) {
      seen = "";
      list.replaceChildren();
      setText(found, `There is no run ${chosen.with}.`);
      return;
    }
    const query = [["run", name], ["count", 0]];
    if (chosen.with) query.push(["with", chosen.with]);
    const answer = await ask("sentences", query, signal);
    const now = JSON.stringify([answer.steps, answer.against_steps, chosen.with]);
    if (now === seen) return;
    seen = now;
    await load(false);
  }, 10, signal);
}
