// SPDX-License-Identifier: Apache-2.0
// The address after # names the page: view=run&run=NAME. Each page is shown by a module, until another one is.
import {showComparison} from "./compare.js";
import {el} from "./dom.js";
import {showHosts} from "./hosts.js";
import {showRun} from "./run.js";
import {runLink} from "./run_cells.js";
import {showRuns} from "./runs.js";
import {showTranslations} from "./translations.js";
import {showTry} from "./try.js";

const pages = {
  runs: showRuns,
  run: showRun,
  translations: showTranslations,
  hosts: showHosts,
  compare: showComparison,
  try: showTry
};
const tabs = [["run", "Run"], ["translations", "Translations"], ["hosts", "Hosts"], ["try", "Try it"]];
let open = null;

function show() {
  if (location.hash === "#content") return;
  if (open) open.abort();
  open = new AbortController();
  const parameters = new URLSearchParams(location.hash.slice(1));
  const view = parameters.get("view") in pages ? parameters.get("view") : "runs";
  const name = view === "compare" ? null : parameters.get("run");
  document.title = (name ? name + " · " : "") + "Verbund";
  document.getElementById("tabs").replaceChildren(
      el("a", {href: "#", "aria-current": view === "runs" ? "page" : null}, "Runs"),
      ...(name ? tabs.map(
                     ([key, text]) =>
                         el("a", {href: runLink(name, key), "aria-current": key === view ? "page" : null}, text)) :
                 []));
  const main = document.getElementById("content");
  main.className = view;
  main.dataset.view = view;
  pages[view](main, parameters, open.signal);
  window.scrollTo(0, 0);
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("content").focus();
});
window.addEventListener("hashchange", show);
show();
