// SPDX-License-Identifier: Apache-2.0
// The words of a translation: marked if the reference, underlined if another translation does not have them at that
// place.
import {el} from "./dom.js";

function words(text) {
  return text.split(/\s+/).filter(Boolean).slice(0, 300);
}

// Which words of `a` belong to the longest common subsequence with `b`.
function common(a, b) {
  const length = Array.from({length: a.length + 1}, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; --i) {
    for (let j = b.length - 1; j >= 0; --j) {
      length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const kept = new Array(a.length).fill(false);
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j])
      kept[i++] = true, ++j;
    else if (length[i + 1][j] >= length[i][j + 1])
      ++i;
    else
      ++j;
  }
  return kept;
}

// `other`: a translation to compare with; words that it does not have at that place are underlined.
export function marked(text, reference, other = undefined) {
  const own = words(text), kept = common(own, words(reference));
  const shared = other === undefined ? null : common(own, words(other));
  return el("span", {class: "prose", dir: "auto"}, own.map((word, i) => {
    const alone = shared && !shared[i] ? "alone" : null;
    if (!kept[i]) return [i ? " " : "", el("mark", {class: alone}, word)];
    return [i ? " " : "", alone ? el("span", {class: alone}, word) : word];
  }));
}
