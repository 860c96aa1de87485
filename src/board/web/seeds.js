// SPDX-License-Identifier: Apache-2.0
// Runs that differ in their seed alone are one group: its figures are means with their standard deviation.
import {number, UNKNOWN} from "./format.js";

// The runs in groups, each in the place of its first run. A run without such siblings is a group of one.
export function seedGroups(runs) {
  const groups = new Map();
  for (const run of runs) {
    const {seed, ...others} = run.settings;
    const key = seed === undefined ? "run " + run.name : JSON.stringify(others);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(run);
  }
  return [...groups.values()];
}

// "27.31 ± 0.12" of the values that are known.
export function meanText(values) {
  const known = values.filter((value) => value !== null && value !== undefined);
  if (!known.length) return UNKNOWN;
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  if (known.length < 2) return number(mean);
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return `${number(mean)} ± ${number(Number(Math.sqrt(squares / (known.length - 1)).toPrecision(2)))}`;
}
