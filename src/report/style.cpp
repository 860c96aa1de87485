// The style sheet of a report's page. Colours are variables, defined for light, dark and print.
#include "report/page.h"

namespace verbund {

std::string_view page_style() {
  return R"css(
:root {
  --paper: #ffffff; --ink: #1d2126; --soft: #59626d; --line: #e2e5e9; --wash: #f5f6f8; --link: #1a5fa8;
  --good: #1c7a45; --neutral: #5b6673; --bad: #b3261e; --unknown: #8a5a00;
  --c1: #1f66b0; --c2: #c25010; --c3: #1c7f5c; --c4: #7a3fb0; --c5: #94700a; --c6: #b3306b; --c7: #3f7f96; --c8: #6b7280;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --ink: #e6e9ed; --soft: #a0a9b4; --line: #2c323a; --wash: #1c2026; --link: #82b8f2;
    --good: #5cc98a; --neutral: #a0a9b4; --bad: #ff8a80; --unknown: #e0b050;
    --c1: #6fb1f5; --c2: #ff9a5c; --c3: #58c79d; --c4: #c39bf0; --c5: #d9b64a; --c6: #f28bb8; --c7: #7cc4dc; --c8: #a7b0bb;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-behavior: smooth; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
main { max-width: 58rem; margin: 0 auto; padding: 1.75rem 1.25rem 4rem; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
h1 { font-size: 1.75rem; line-height: 1.15; margin: 0 0 .7rem; overflow-wrap: anywhere; letter-spacing: -.015em; font-weight: 650; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 .6rem; letter-spacing: -.005em; font-weight: 650; }
h3 { font-size: 1rem; margin: 1.75rem 0 .5rem; font-weight: 650; }
p { margin: 0 0 .9rem; max-width: 44rem; }
.kind { color: var(--soft); margin: 0 0 .15rem; font-size: .875rem; }
.note { border-left: 3px solid var(--unknown); padding: .1rem 0 .1rem .8rem; margin: .6rem 0; font-size: .9rem; }

.facts { display: flex; flex-wrap: wrap; gap: .45rem 1.75rem; margin: 0 0 .8rem; font-size: .9375rem; line-height: 1.4; }
.facts dt { font-size: .75rem; color: var(--soft); }
.facts dd { margin: 0; font-weight: 500; }

.answers { list-style: none; margin: 1rem 0; padding: 0; border-top: 1px solid var(--line);
  font-size: .9375rem; line-height: 1.4; }
.answers li {
  display: grid; grid-template-columns: 1.25rem 11rem 1fr; gap: 0 .75rem; align-items: start;
  padding: .4rem 0; border-bottom: 1px solid var(--line);
}
.answers a { color: var(--soft); font-size: .8125rem; line-height: 1.6; text-decoration: none; }
.answers a:hover, .answers a:focus { color: var(--link); text-decoration: underline; }
.contents { font-size: .875rem; color: var(--soft); max-width: none; }
.contents a { margin-right: .6rem; white-space: nowrap; }

.finding { width: 1.25rem; height: 1.25rem; flex: none; margin-top: .125rem; fill: none; stroke-width: 2.2;
  stroke-linecap: round; stroke-linejoin: round; }
.finding circle { stroke: none; fill: currentColor; }
.finding path { stroke: var(--paper); }
.finding.good { color: var(--good); }
.finding.neutral { color: var(--neutral); }
.finding.bad { color: var(--bad); }
.finding.unknown { color: var(--unknown); }
.finding.neutral path { stroke-width: 4.5; }

section { border-top: 1px solid var(--line); margin-top: 2.75rem; padding-top: 1.5rem; scroll-margin-top: 1rem; }
.verdict h2 { color: var(--soft); font-size: 1rem; font-weight: 550; margin-bottom: .3rem; letter-spacing: 0; }
.answer { display: flex; gap: .6rem; font-size: 1.2rem; line-height: 1.4; margin-bottom: 1rem; max-width: 48rem; }
.answer .finding { margin-top: .2rem; }
.why { margin: 1rem 0 0; font-size: .875rem; color: var(--soft); display: grid; gap: .7rem 2rem;
  grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); }
.why dt { font-weight: 600; color: var(--ink); }
.why dd { margin: 0; }

.wide { overflow-x: auto; margin: 0 0 1rem; }
table { border-collapse: collapse; font-size: .9rem; line-height: 1.4; overflow-wrap: break-word; }
th, td { text-align: left; vertical-align: top; padding: .3rem 1.4rem .3rem 0; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--soft); font-weight: 550; font-size: .8125rem; vertical-align: bottom; }
tbody th, .figures th { font-weight: 400; }
.number { text-align: right; white-space: nowrap; }
.interval { color: var(--soft); }
.interval small { font-size: .8125rem; }
.prose { unicode-bidi: isolate; overflow: clip; overflow-wrap: anywhere; min-width: 11rem; max-width: 40rem; white-space: pre-wrap; }
pre { background: var(--wash); border-radius: 6px; padding: .8rem 1rem; margin: 0 0 1rem; overflow-x: auto;
  font: .85rem/1.5 ui-monospace, "SF Mono", "Cascadia Mono", "Liberation Mono", monospace; overflow-wrap: normal; }
details { margin: 0 0 1rem; }
summary { cursor: pointer; color: var(--link); font-size: .9rem; margin-bottom: .5rem; }

figure { margin: 1.25rem 0; container-type: inline-size; break-inside: avoid; }
figcaption { font-weight: 600; font-size: .9375rem; margin-bottom: .35rem; }
figure > svg { display: block; width: 100%; height: auto; overflow: visible; }
.hint { font-size: .875rem; color: var(--soft); margin: .35rem 0 0; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .15rem 1.1rem; margin: 0 0 .4rem; padding: 0; font-size: .8125rem; }
.legend li { display: flex; align-items: center; gap: .4rem; }
.swatch { width: 1.9rem; height: .75rem; flex: none; }
.swatch.number { width: 1.5rem; height: 1.1rem; }
figure .swatch text { font-size: 11px; }
svg text { font-size: 11.5px; fill: var(--soft); stroke: none; }
svg .grid { stroke: var(--line); fill: none; }
svg .axis, svg .tick { stroke: var(--soft); fill: none; }
.c1 { color: var(--c1); } .c2 { color: var(--c2); } .c3 { color: var(--c3); } .c4 { color: var(--c4); }
.c5 { color: var(--c5); } .c6 { color: var(--c6); } .c7 { color: var(--c7); } .c8 { color: var(--c8); }
.curve { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.raw { fill: none; stroke: currentColor; stroke-width: 1; stroke-opacity: .35; stroke-linejoin: round; }
.spread { fill: currentColor; fill-opacity: .16; stroke: currentColor; stroke-opacity: .3; stroke-width: .7; }
.band { fill: currentColor; fill-opacity: .16; stroke: none; }
.points { fill: currentColor; stroke: var(--paper); stroke-width: .8; }
.whisker { fill: none; stroke: currentColor; stroke-width: 1.4; }
.mark path { stroke: var(--soft); stroke-dasharray: 3 3; fill: none; }
.part rect { fill: currentColor; }
.part.again rect { fill-opacity: .55; }
.part text { fill: var(--paper); font-weight: 600; }
.part.again text { fill: var(--ink); }
.bar-name { font-size: 11.5px; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; font-size: .8125rem; color: var(--soft); }

@container (min-width: 700px) {
  svg text { font-size: 9.8px; }
}
@container (max-width: 520px) {
  svg text { font-size: 19px; }
  svg .bar-name { font-size: 17px; }
  .other { display: none; }
}
@media (max-width: 42rem) {
  main { padding: 1.25rem 1rem 3rem; }
  h1 { font-size: 1.55rem; }
  .facts { gap: .5rem 1.4rem; }
  .answers li { grid-template-columns: 1.25rem 1fr; }
  .answers span { grid-column: 2; }
  .answers a { line-height: 1.4; }
  .answer { font-size: 1.1rem; }
  section { margin-top: 2rem; padding-top: 1.25rem; }
  th, td { padding-right: .9rem; }
}
@media print {
  :root {
    --paper: #fff; --ink: #000; --soft: #444; --line: #ccc; --wash: #f4f4f4; --link: #000;
    --good: #1c7a45; --neutral: #5b6673; --bad: #b3261e; --unknown: #8a5a00;
    --c1: #1f66b0; --c2: #c25010; --c3: #1c7f5c; --c4: #7a3fb0; --c5: #94700a; --c6: #b3306b; --c7: #3f7f96; --c8: #6b7280;
  }
  @page { margin: 16mm 15mm; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  .contents { display: none; }
  section { margin-top: 1.4rem; padding-top: 1rem; }
  h2, h3, figcaption, .answer { break-after: avoid; }
  tr, figure, .answer, .why, pre { break-inside: avoid; }
  .verdict:first-of-type { break-before: page; border-top: none; margin-top: 0; }
  .wide { overflow: visible; }
  pre { white-space: pre-wrap; }
  summary { list-style: none; color: inherit; }
  details::details-content { content-visibility: visible; display: block; block-size: auto; }
}
)css";
}

}  // namespace verbund
