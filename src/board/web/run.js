// SPDX-License-Identifier: Apache-2.0
// The page of a run, live: its state, alerts, curves that grow, the phases of a step, and the answers of the report.
import {ask, repeat} from "./api.js";
import {Chart} from "./chart.js";
import {el, setText} from "./dom.js";
import {duration, moment, number, percent, score} from "./format.js";
import {PageParts} from "./page_parts.js";

const marksShown = {
  resume: "resumed",
  roll_back: "rolled back",
  best: "best",
  diverged: "diverged",
  lost_worker: "lost worker",
  early_stop: "stopped early"
};

// Charts of a run's metrics: those whose keys the run has are shown.
const plans = [
  {
    title: "Loss",
    hint: "Cross-entropy per target token. Dev loss that rises while training loss falls is overfitting.",
    curves: [
      ["train_cross_entropy", "train", 1], ["dev_cross_entropy", "dev", 2], ["probe_cross_entropy", "training probe", 3]
    ],
    otherwise: [["train_loss", "train", 1], ["dev_loss", "dev", 2]],
    points: ["dev"]
  },
  {
    title: "BLEU and chrF",
    hint: "Of real translations of the dev set. A flat end: more of the same steps add little.",
    curves: [["dev_bleu", "BLEU", 1], ["dev_chrf", "chrF", 3]],
    points: ["BLEU", "chrF"]
  },
  {title: "Learning rate", hint: "As the schedule has it.", curves: [["learning_rate", "learning rate", 4]]},
  {
    title: "Throughput",
    hint: "Target tokens per second of all workers. It should be flat.",
    curves: [["target_tokens_per_second", "tokens/s", 7]]
  },
  {
    title: "Gradient norm",
    hint: "Before clipping. Spikes that grow often come before divergence.",
    curves: [["gradient_norm", "norm", 5]],
    log: true
  },
];

// Charts of all dev sets, if the run has others beside the main one: keys such as dev-general_bleu.
function devSetPlans(keys) {
  const curves = (metric) => [["dev_" + metric, "dev", 1]].concat(
      keys.filter((key) => key.startsWith("dev-") && key.endsWith("_" + metric))
          .map((key, i) => [key, key.slice(4, -metric.length - 1), 2 + i % 7]));
  return [
    ["BLEU of each dev set", "Of real translations. “dev” is the set that decides.", curves("bleu")],
    ["Loss of each dev set", "Cross-entropy per target token.", curves("cross_entropy")],
  ].filter(([, , all]) => all.length > 1)
      .map(([title, hint, all]) => ({title, hint, curves: all, points: all.map(([, shown]) => shown)}));
}

export function fact(name, node) {
  return el("div", null, el("dt", null, name), el("dd", null, node));
}

export function showRun(main, parameters, signal) {
  const name = parameters.get("run");
  const state = el("span", {class: "state"}), title = el("h1", null, name);
  const facts = el("dl", {class: "facts"}), alerts = el("ul", {class: "alerts", "aria-label": "Alerts", role: "alert"});
  const summary = el("p", {class: "summary"});
  const bar = el("progress", {max: 1, "aria-label": "progress"});
  let by = "step";
  const axis =
      el("fieldset", {class: "axis"}, el("legend", null, "Curves by"), ["step", "time", "tokens"].map((one) => {
        const radio = el("input", {
          type: "radio",
          name: "by",
          id: "by-" + one,
          value: one,
          onchange: () => {
            by = one;
            charts.forEach((chart) => chart.zoom(null));
          }
        });
        radio.checked = one === by;
        return el("label", {"for": "by-" + one}, radio, one);
      }));
  const strip = el("div", {class: "charts"}), happened = el("ul", {class: "happened"});
  const parts = new PageParts(), age = el("p", {class: "hint"});
  main.replaceChildren(
      el("p", {class: "kind"}, "Training run ", state), title, summary, bar, facts, alerts, axis, strip,
      el("section", {id: "answers", "aria-label": "Answers"}, el("h2", null, "Answers"), parts.node, age),
      el("section", {id: "events", "aria-label": "Events"}, el("h2", null, "What happened"), happened));
  let run = null;
  const charts = [];

  function marks() {
    return run.marks.map(
        (mark) =>
            ({x: by === "step" ? mark.step : mark[by], label: marksShown[mark.kind] || mark.kind, text: mark.text}));
  }

  function chartOf(plan) {
    const has = ([key]) => run.keys.includes(key);
    const curves = () => (plan.curves.some(has) ? plan.curves : plan.otherwise || []).filter(has);
    if (!curves().length) return null;
    return new Chart({
      title: plan.title,
      hint: plan.hint,
      log: plan.log,
      points: plan.points,
      by: () => by,
      load: async (from, to, buckets) => {
        const known = curves();  // a run may get further ones
        const query = [["run", name], ["by", by], ["buckets", buckets], ...known.map(([key]) => ["key", key])];
        if (from !== null) query.push(["from", from], ["to", to]);
        const answer = await ask("curves", query, signal);
        return {
          marks: marks(),
          series: answer.curves.map((curve, i) => ({...curve, name: known[i][1], colour: known[i][2]}))
        };
      }
    });
  }

  let phases = null;
  function phasesChart() {
    const names = ["forward and backward", "waiting for the exchange", "waiting for data", "update", "other"];
    const chart = new Chart({
      title: "Step time by phase",
      hint: "Seconds of a step, mean over the workers; the longest step of each stretch is the highest line.",
      load: async (from, to, buckets) => {
        const query = [["run", name], ["buckets", Math.min(buckets, 150)]];
        if (from !== null) query.push(["from", Math.max(0, Math.floor(from))], ["to", Math.max(0, Math.ceil(to))]);
        const workers = (await ask("phases", query, signal)).workers.filter((worker) => worker.step.length);
        if (!workers.length) return {series: [], marks: []};
        const first = workers[0];
        const mean = (key) =>
            first.step.map((_, i) => workers.reduce((sum, worker) => sum + (worker[key][i] ?? 0), 0) / workers.length);
        const series = names.map((key, i) => ({name: key, x: first.step, last: mean(key), colour: [1, 2, 5, 3, 8][i]}));
        series.push({name: "longest step", x: first.step, last: first.longest, colour: 6});
        return {
          series,
          marks: run.marks.map((mark) => ({x: mark.step, label: marksShown[mark.kind] || mark.kind, text: mark.text}))
        };
      }
    });
    return chart;
  }

  function head() {
    state.className = "state " + run.state;
    setText(state, run.state);
    bar.hidden = run.progress === null;
    if (run.progress !== null) bar.value = run.progress;
    document.title = `${run.state === "training" ? percent(run.progress) + " " : ""}${name} · Verbund`;
    facts.replaceChildren(
        fact("step", run.last_step ? `${number(run.step)} of ${number(run.last_step)}` : number(run.step)),
        run.running ? fact("time left", duration(run.seconds_left)) : fact("ended", run.reason || "not on record"),
        fact(
            "best BLEU",
            run.best_bleu === null ? "–" : `${score(run.best_bleu)} at step ${number(run.best_bleu_step)}`),
        fact("loss, train / dev", `${number(run.loss)} / ${number(run.dev_loss)}`),
        fact("tokens per second", number(run.tokens_per_second)),
        fact(
            "workers",
            run.workers === null ? "–" : `${run.workers}${run.hosts.length ? " on " + run.hosts.join(", ") : ""}`),
        fact("last sign of life", moment(run.last_sign)));
    const texts = run.alerts.map((alert) => alert.text);
    if (alerts.dataset.shown !== JSON.stringify(texts)) {
      alerts.dataset.shown = JSON.stringify(texts);
      alerts.replaceChildren(...run.alerts.map((alert) => el("li", {class: "alert " + alert.kind}, alert.text)));
    }
    happened.replaceChildren(
        ...(run.marks.length ? run.marks.map(
                                   (mark) =>
                                       el("li", null, `Step ${number(mark.step)}: ${mark.text}`,
                                          mark.time ? el("span", {class: "soft"}, " " + moment(mark.time)) : null)) :
                               [el("li", null, "Nothing out of the ordinary is on record.")]));
  }

  let version = null, asked = 0, shownAt = null;
  async function answers() {
    asked = Date.now();
    const answer = await ask("page", [["run", name]], signal);
    if (answer.made_at !== shownAt) {
      shownAt = answer.made_at;
      parts.show(answer.page);
      setText(summary, answer.page.summary || "");
    }
    setText(
        age,
        `As of ${moment(answer.made_at)}${answer.current ? "" : "; the run has gone on since"}. ${
            (answer.page.notes || []).join(" ")}`);
  }

  signal.addEventListener("abort", () => {
    charts.forEach((chart) => chart.close());
    parts.close();
  }, {once: true});
  return repeat(async () => {
    run = await ask("run", [["run", name]], signal);
    if (signal.aborted) return;
    head();
    if (version !== run.version) {
      version = run.version;
      const shown = [...plans.slice(0, 2), ...devSetPlans(run.keys), ...plans.slice(2)];
      shown.forEach((plan) => {  // again and again: the key of a chart may appear later
        if (charts.some((chart) => chart.options.title === plan.title)) return;
        const chart = chartOf(plan);
        if (!chart) return;
        charts.push(chart);
        const later = shown.slice(shown.indexOf(plan) + 1)
                          .map((other) => charts.find((one) => one.options.title === other.title))
                          .find(Boolean);
        strip.insertBefore(chart.node, (later || phases)?.node || null);
      });
      if (!phases) {
        phases = phasesChart();
        charts.push(phases);
        strip.append(phases.node);
      }
      await Promise.all(charts.map((chart) => chart.refresh()));
      if (Date.now() - asked > 10000) await answers();
    } else if (shownAt === null) {
      await answers();
    }
  }, 2, signal);
}
