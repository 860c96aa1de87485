// SPDX-License-Identifier: Apache-2.0
// Elements of the page. Text from runs becomes text nodes and attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on"))
      node.addEventListener(name.slice(2), value);
    else
      node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

// el("a", {href: "#", onclick: go}, "text", other)
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// Changes the text only if it differs, so that a selection and a screen reader are left in peace.
export function setText(node, text) {
  const shown = String(text);
  if (node.textContent !== shown) node.textContent = shown;
}

// The same sign as in the report.
export function findingIcon(finding) {
  const kind = finding === "cannot tell" ? "unknown" : finding;
  const paths = {good: "M5.5 10.5l3 3 6-6.5", bad: "M7 7l6 6M13 7l-6 6", neutral: "M10 10h.01", unknown: "M6 10h8"};
  return svg(
      "svg", {class: "finding " + kind, viewBox: "0 0 20 20", role: "img", "aria-label": finding},
      svg("circle", {cx: 10, cy: 10, r: 9}), svg("path", {d: paths[kind] || paths.neutral}));
}

// A curve of some values, for a cell of a table.
export function smallCurve(values, name) {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return el("span", {class: "soft"}, "–");
  const low = Math.min(...known), high = Math.max(...known), width = 110, height = 26;
  const points = values.map(
      (value, i) => value === null ? null :
                                     `${(2 + i * (width - 4) / (values.length - 1)).toFixed(1)},${
                                         (2 + (high - value) / (high - low || 1) * (height - 4)).toFixed(1)}`);
  return svg(
      "svg", {class: "small-curve c1", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": name},
      svg("polyline", {points: points.filter(Boolean).join(" ")}));
}
