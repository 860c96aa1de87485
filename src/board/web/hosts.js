// SPDX-License-Identifier: Apache-2.0
// The hosts of a run: processors, memory, network and GPUs of every worker, and the share of a step in which each
// waits.
import {ask, repeat} from "./api.js";
import {Chart} from "./chart.js";
import {el} from "./dom.js";
import {bytes, number, percent} from "./format.js";

const shares = [
  ["compute", "forward and backward", 1], ["exchange", "waiting for the exchange", 2], ["data", "waiting for data", 5],
  ["update", "update", 3]
];

function waitingBar(waiting) {
  if (!waiting) return "–";
  return el(
      "span", {
        class: "bar-parts",
        role: "img",
        "aria-label": shares.map(([key, name]) => `${name} ${percent(waiting[key])}`).join(", ")
      },
      shares.map(([key, name, colour]) => {
        const part = el("span", {class: "bar-part c" + colour, title: `${name} ${percent(waiting[key])}`});
        part.style.flexGrow = String(waiting[key] || 0);
        return part;
      }));
}

export function showHosts(main, parameters, signal) {
  const name = parameters.get("run");
  const body = el("tbody"), place = el("div", {class: "charts"});
  const heads =
      ["Worker", "Host", "CPU, cores", "Memory", "Received", "Sent", "GPU", "Seconds a step", "Waits", "A step"];
  main.replaceChildren(
      el("p", {class: "kind"}, "Hosts and workers"), el("h1", null, name),
      el("ul", {class: "legend"},
         shares.map(([, text, colour]) => el("li", null, el("span", {class: "swatch c" + colour}), text))),
      el("div", {class: "wide", tabindex: 0, role: "region", "aria-label": "Workers"},
         el("table", {class: "workers"},
            el("thead", null,
               el("tr", null,
                  heads.map((text, i) => el("th", {scope: "col", class: i > 1 && i < 9 ? "number" : null}, text)))),
            body)),
      place,
      el("p", {class: "hint"},
         "Of the last ten minutes on record, once a second. Network is that of the host, without its loopback; " +
             "shares are of the last 200 steps."));
  let workers = [];
  const curve = (title, key, scale) => new Chart({
    title,
    zero: true,
    by: () => "time",
    load: async () => ({
      marks: [],
      series: workers.filter((worker) => worker[key]).map((worker, i) => ({
                                                            name: `worker ${worker.rank} on ${worker.host}`,
                                                            x: worker.time,
                                                            last: worker[key].map(
                                                                (value) => value === null ? null : value / scale),
                                                            colour: i % 8 + 1
                                                          }))
    })
  });
  const charts = [
    curve("CPU of the workers, cores", "cpu", 1), curve("Memory of the workers, GB", "memory", 1e9),
    curve("Network sent by the host, MB/s", "sent", 1e6), curve("GPU use", "gpu", 1)
  ];
  signal.addEventListener("abort", () => charts.forEach((chart) => chart.close()), {once: true});
  return repeat(async () => {
    workers = (await ask("hosts", [["run", name]], signal)).workers;
    body.replaceChildren(...workers.map((worker) => {
      const now = worker.now, waiting = worker.waiting;
      return el(
          "tr", null, el("th", {scope: "row"}, number(worker.rank)),
          el("td", null, worker.host, el("small", {class: "soft"}, worker.processor ? " " + worker.processor : "")),
          el("td", {class: "number"},
             `${now.cpu === undefined || now.cpu === null ? "–" : now.cpu.toFixed(2)} of ${
                 number(worker.allowed_cores ?? worker.cores)}`),
          el("td", {class: "number"}, bytes(now.memory)),
          el("td", {class: "number"}, now.received === undefined ? "–" : bytes(now.received) + "/s"),
          el("td", {class: "number"}, now.sent === undefined ? "–" : bytes(now.sent) + "/s"),
          el("td", {class: "number"}, now.gpu === undefined ? "–" : percent(now.gpu)),
          el("td", {class: "number"}, waiting ? number(waiting.seconds_per_step) : "–"),
          el("td", {class: "number"}, waiting ? percent((waiting.data || 0) + (waiting.exchange || 0)) : "–"),
          el("td", {class: "share"}, waitingBar(waiting)));
    }));
    for (const chart of charts) {
      const key = ["cpu", "memory", "sent", "gpu"][charts.indexOf(chart)];
      if (workers.some((worker) => worker[key] && worker[key].length) && !chart.node.isConnected)
        place.append(chart.node);
    }
    await Promise.all(charts.filter((chart) => chart.node.isConnected && !chart.range).map((chart) => chart.refresh()));
  }, 3, signal);
}
