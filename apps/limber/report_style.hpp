#pragma once

#include <string_view>

namespace limber::app {

/// The style sheet of a report: light or dark as the reader's system is, for screens of any width.
inline constexpr std::string_view report_style = R"css(
:root {
  color-scheme: light dark;
  --page: #f5f6f8; --card: #ffffff; --text: #1d232b; --quiet: #5a6472; --line: #dfe3e8;
  --accent: #1f6f8b; --good: #1a7f4b; --bad: #b3541e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101317; --card: #1a1d22; --text: #e4e8ed; --quiet: #9aa5b1; --line: #2d333b;
    --accent: #5db7d3; --good: #5cc98d; --bad: #e59a63;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
}
header, main, footer { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.25rem; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 2.75rem 0 .4rem; font-size: 1.3rem; line-height: 1.3; }
h3 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
p { margin: .4rem 0 1rem; max-width: 46rem; }
.kind { margin: 0 0 .2rem; color: var(--accent); font-size: .85rem; font-weight: 600; letter-spacing: .02em; }
.about { color: var(--quiet); overflow-wrap: anywhere; }
a { color: var(--accent); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; margin: 1rem 0 0; padding: 0; list-style: none; }
.tiles {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem;
  margin: 1.5rem 0 0;
}
.tiles div {
  padding: .8rem 1rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .6rem;
}
.tiles dt { color: var(--quiet); font-size: .85rem; }
.tiles dd {
  margin: 0; font-size: 1.45rem; font-weight: 600; line-height: 1.3;
  font-variant-numeric: tabular-nums;
}
.card {
  padding: .35rem 1.1rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .6rem; overflow-x: auto;
}
.columns {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem;
  align-items: start;
}
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { padding: .6rem 0 .3rem; text-align: left; font-weight: 600; }
th, td {
  padding: .45rem .9rem .45rem 0; text-align: left; vertical-align: top;
  border-top: 1px solid var(--line);
}
tr:first-child > * { border-top: 0; }
thead th { color: var(--quiet); font-size: .85rem; font-weight: 500; vertical-align: bottom; }
thead + tbody tr:first-child > * { border-top: 1px solid var(--line); }
tbody th { color: var(--quiet); font-weight: 400; }
tbody th.words { color: inherit; font-weight: 500; }
.number, .value { text-align: right; }
.number, .words { white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
tbody .total > * { border-top: 2px solid var(--line); font-weight: 600; }
.share { width: 45%; }
td.share { vertical-align: middle; }
.bar { height: .7rem; min-width: 2px; background: var(--accent); border-radius: .2rem; }
.figures {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr));
  gap: 1rem;
}
.plots {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr));
  gap: 1rem; align-items: start;
}
figure {
  margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  overflow: hidden;
}
figure img { display: block; width: 100%; height: auto; }
figcaption { padding: .5rem .9rem .6rem; font-size: .92rem; border-top: 1px solid var(--line); }
.plots figcaption { padding: .7rem .9rem .2rem; font-weight: 600; border-top: 0; }
.wide { margin-bottom: 1rem; }
.scale {
  display: flex; align-items: center; gap: .6rem; margin: .2rem 0 1rem; color: var(--quiet);
  font-size: .88rem;
}
.scale span { white-space: nowrap; }
.scale i { flex: 0 1 12rem; height: .7rem; border-radius: .2rem; }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
details { margin-top: 1rem; }
summary { cursor: pointer; color: var(--accent); }
details .card { margin-top: .6rem; }
.options {
  margin: 0; padding: .8rem 1.1rem; list-style: none;
  font: .88rem/1.6 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere;
}
footer { padding-top: 2.5rem; padding-bottom: 2.5rem; color: var(--quiet); font-size: .88rem; }
@media (prefers-color-scheme: dark) {
  .plots figure { background: #1a1a1a; }
  .plots img { filter: invert(.9) hue-rotate(180deg); }
  .pictures img { filter: brightness(.86); }
}
@media (max-width: 36rem) {
  header { padding-top: 1.4rem; }
  h1 { font-size: 1.6rem; }
  .tiles { grid-template-columns: 1fr 1fr; gap: .6rem; }
  .tiles div:last-child:nth-child(odd) { grid-column: 1 / -1; }
  .tiles dd { font-size: 1.2rem; }
  .figures { grid-template-columns: 1fr 1fr; gap: .6rem; }
  .figures figcaption { padding: .35rem .6rem .45rem; font-size: .85rem; }
  .share { width: 30%; }
}
@media print {
  body { background: none; }
  figure, tr { break-inside: avoid; }
}
)css";

}  // namespace limber::app
