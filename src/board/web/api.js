// SPDX-License-Identifier: Apache-2.0
// Questions to the server, and asking again while the page is looked at.

export async function ask(what, parameters = [], signal = undefined) {
  const query = new URLSearchParams(parameters).toString();
  const response = await fetch("/api/" + what + (query ? "?" + query : ""), {signal});
  const answer = await response.json().catch(() => ({error: "the answer is damaged"}));
  if (!response.ok) throw Object.assign(new Error(answer.error || response.statusText), {status: response.status});
  return answer;
}

export async function post(what, body, signal) {
  const response = await fetch("/api/" + what, {
    method: "POST",
    headers: {"Content-Type": "application/json"},
    body: JSON.stringify(body),
    signal,
  });
  const answer = await response.json().catch(() => ({error: "the answer is damaged"}));
  if (!response.ok) throw Object.assign(new Error(answer.error || response.statusText), {status: response.status});
  return answer;
}

const connection = document.getElementById("connection");

// Calls `work` at once and then after every `seconds` until `signal` ends it; less often while the page is hidden.
// What goes wrong is told in the head of the page, until it goes well again.
export async function repeat(work, seconds, signal) {
  while (!signal.aborted) {
    let pause = seconds;
    try {
      await work();
      connection.textContent = "";
    } catch (error) {
      if (signal.aborted || error.name === "AbortError") return;
      connection.textContent = error.status ? error.message : "The server does not answer. Trying again.";
      pause = Math.max(pause, 3);
    }
    await new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, 1000 * pause * (document.hidden ? 5 : 1));
      signal.addEventListener("abort", end);
    });
  }
}
