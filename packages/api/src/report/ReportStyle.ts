/** The style of a report: light and dark, on screens of any width and on paper. */

/** Styles of the markup of `ReportPage.shown`. Colours are custom properties of the surrounding page. */
export const partsStyle = `
.report .summary { font-size: 1.125rem; }
.report .decision { font-size: 1.375rem; line-height: 1.35; font-weight: 600; }
.report details { margin: .75rem 0; } .report details > summary { padding: .25rem 0; cursor: pointer; color: var(--soft); }
.report .soft, .report figcaption, .report caption { color: var(--soft); font-size: .875rem; }
.report .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .75rem; }
.report .figures div { padding: .75rem; border: 1px solid var(--line); border-radius: .5rem; break-inside: avoid; }
.report .figures .value { font-size: 1.5rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.report .right, .report .wrong { display: block; margin: -.375rem -.625rem; padding: .375rem .625rem; color: var(--good); font-weight: 600; }
.report .wrong { color: var(--bad); }
.report .scroll { overflow-x: auto; }
.report table { border-collapse: collapse; width: 100%; margin: .75rem 0; font-variant-numeric: tabular-nums; }
.report caption { text-align: left; padding-bottom: .25rem; }
.report th, .report td { text-align: right; padding: .375rem .625rem; border-bottom: 1px solid var(--line); vertical-align: top; }
.report th:first-child, .report td:first-child { text-align: left; overflow-wrap: anywhere; min-width: 8rem; }
.report thead th { font-size: .8125rem; color: var(--soft); font-weight: 600; }
.report tbody th { font-weight: 500; }
.report figure { margin: 1rem 0; }
.report svg { display: block; max-width: 100%; height: auto; font: 12px system-ui, sans-serif; }
.report svg text { fill: var(--ink); }
.report svg .soft { fill: var(--soft); }
.report .axis { stroke: var(--line); stroke-width: 1; }
.report .ideal { stroke: var(--even); stroke-width: 1; stroke-dasharray: 4 4; }
.report .student { stroke: var(--student); fill: var(--student); }
.report .teacher { stroke: var(--teacher); fill: var(--teacher); }
.report .range { fill-opacity: .35; }
.report .wins { fill: var(--good); } .report .ties { fill: var(--even); } .report .losses { fill: var(--bad); }
.report .whisker { stroke-width: 2; }
.report dl { display: grid; grid-template-columns: minmax(9rem, max-content) 1fr; gap: .25rem 1rem; margin: .75rem 0; }
.report dt { color: var(--soft); } .report dd { margin: 0; overflow-wrap: anywhere; }
.report pre { margin: 0; padding: .625rem .75rem; background: var(--tint); border-radius: .375rem; font: .8125rem/1.5 ui-monospace, monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
.report article { margin: 1rem 0 1.5rem; break-inside: avoid; }
@media screen and (max-width: 560px) {
  .report td + td, .report th + td { white-space: nowrap; }
  .report .figures > :last-child:nth-child(odd) { grid-column: 1 / -1; }
}
@media print {
  .report h2 { break-after: avoid; }
  .report details::details-content { content-visibility: visible; block-size: auto; }
  .report figure, .report table { break-inside: avoid; } .report .scroll { overflow: visible; }
}
`

/** Of the page that stands by itself. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --ink: #1a1d23; --soft: #5b6270; --paper: #ffffff; --line: #d9dde4; --tint: #f4f6f9;
  --student: #1769c4; --teacher: #b4610a; --good: #2c7a4b; --bad: #b3372f; --even: #8a919e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e9ef; --soft: #9aa3b2; --paper: #14171c; --line: #333a45; --tint: #1c2027;
    --student: #6aaef5; --teacher: #eba45c; --good: #67bd88; --bad: #e8837b; --even: #7d8594;
  }
}
* { box-sizing: border-box; }
body { margin: 0; overflow-wrap: break-word; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
p { margin: .5rem 0; }
code { font: .8125rem ui-monospace, monospace; overflow-wrap: anywhere; }
bdi, code, span { unicode-bidi: isolate; }
.notice { padding: .625rem .75rem; background: var(--tint); border-left: 3px solid var(--teacher); }
@media print {
  :root { --ink: #000; --soft: #444; --paper: #fff; --line: #bbb; --tint: #f4f4f4; --student: #1769c4; --teacher: #b4610a; }
  body { font-size: 11pt; } main { max-width: none; padding: 0; }
}
${partsStyle}`
