// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them: at most four digits that count.

export const UNKNOWN = "–";

export function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN;
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e9))
    return value.toExponential(2).replace("e+", "e");
  if (Number.isInteger(value)) return value.toLocaleString("en-US");
  return value.toLocaleString("en-US", {maximumSignificantDigits: 4});
}

export function score(value) {
  return value === null || value === undefined ? UNKNOWN : value.toFixed(2);
}

export function percent(share) {
  return share === null || share === undefined ? UNKNOWN : (100 * share).toFixed(share < 0.1 ? 1 : 0) + " %";
}

export function duration(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return UNKNOWN;
  if (seconds < 60) return Math.round(seconds) + " s";
  if (seconds < 3600) return Math.round(seconds / 60) + " min";
  const hours = Math.floor(seconds / 3600), minutes = Math.round(seconds % 3600 / 60);
  if (hours < 48) return `${hours} h ${String(minutes).padStart(2, "0")} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function bytes(value) {
  if (value === null || value === undefined) return UNKNOWN;
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (Math.abs(value) >= 1000 && unit + 1 < units.length) value /= 1000, ++unit;
  return value.toLocaleString("en-US", {maximumSignificantDigits: 3}) + " " + units[unit];
}

export function moment(seconds) {
  if (seconds === null || seconds === undefined) return UNKNOWN;
  return new Date(seconds * 1000).toLocaleString([], {dateStyle: "medium", timeStyle: "medium", hour12: false});
}
