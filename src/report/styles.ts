/** The report's only style sheet: light or dark by the system's preference, black on white in print. */
export const styles = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf8; --card: #ffffff; --ink: #1d1c1a; --soft: #5f5b55; --faint: #8a857d; --line: #e5e1da; --rule: #eeebe5;
  --good: #0b7a5c; --good-back: #e3f3ed; --bad: #b5412f; --bad-back: #fbeae6;
  --unsure: #946000; --unsure-back: #faf0db; --calm: #44618c; --calm-back: #e9eef6;
  --train: #b9b3a8; --seed: #5f5b55;
  --deep-1: #dfe6f2; --deep-2: #b5c5e0; --deep-3: #7d97c4; --deep-4: #365a99;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #161614; --card: #1e1e1b; --ink: #ecebe7; --soft: #b3afa6; --faint: #8d897f; --line: #35342f; --rule: #2a2925;
    --good: #4cc39a; --good-back: #17302a; --bad: #f08a75; --bad-back: #3a211c;
    --unsure: #e0ac4b; --unsure-back: #35290f; --calm: #9db6e0; --calm-back: #212a38;
    --train: #5d5a52; --seed: #b3afa6;
    --deep-1: #27303f; --deep-2: #36486a; --deep-3: #5878b0; --deep-4: #93b3ec;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  font-variant-numeric: tabular-nums;
}
main { max-width: 920px; margin: 0 auto; padding: 48px 24px 64px; }
header h1 { margin: 0; font-size: 34px; line-height: 1.15; letter-spacing: -0.02em; overflow-wrap: anywhere; }
.badges { display: flex; flex-wrap: wrap; gap: 6px; margin: 0 0 10px; padding: 0; list-style: none; }
.badges li {
  padding: 2px 10px; border: 1px solid var(--line); border-radius: 99px;
  font-size: 13px; color: var(--soft); background: var(--card);
}
.subtitle { margin: 6px 0 0; color: var(--soft); }
.lead { margin: 28px 0 0; font-size: 21px; line-height: 1.45; letter-spacing: -0.01em; text-wrap: pretty; }
.notice { margin: 24px 0 0; padding: 12px 16px; border-radius: 8px; overflow-wrap: anywhere; }
.notice.good { background: var(--good-back); color: var(--good); }
.notice.bad { background: var(--bad-back); color: var(--bad); }
.notice.unsure { background: var(--unsure-back); color: var(--unsure); }
.notice.calm { background: var(--calm-back); color: var(--calm); }
.facts {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(136px, 1fr)); gap: 1px;
  margin: 28px 0 0; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; background: var(--card);
}
.facts div { padding: 14px; outline: 1px solid var(--line); }
.facts dt { font-size: 13px; color: var(--soft); }
.facts dd { margin: 0; }
.facts .value { font-size: 19px; font-weight: 600; letter-spacing: -0.02em; overflow-wrap: anywhere; }
.facts .note { font-size: 13px; color: var(--faint); }
nav { margin: 28px 0 0; font-size: 14px; }
nav ul { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0; padding: 0; list-style: none; }
a { color: var(--calm); text-decoration: underline; text-decoration-color: var(--line); text-underline-offset: 3px; }
a:hover { text-decoration-color: currentColor; }
section { margin: 56px 0 0; }
h2 { margin: 0 0 12px; font-size: 22px; letter-spacing: -0.015em; }
section > p { margin: 0 0 16px; color: var(--soft); overflow-wrap: anywhere; }
figure { margin: 20px 0 24px; padding: 16px 18px 14px; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
figcaption { margin: 0 0 10px; font-size: 14px; font-weight: 600; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 4px 0 0; padding: 0; list-style: none; font-size: 13px; font-weight: 400; color: var(--soft); }
.legend li { display: inline-flex; align-items: center; gap: 6px; }
svg { display: block; }
figure svg.plot { width: 100%; height: auto; }
.narrow { display: none !important; }
svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--soft); }
svg text.faint { fill: var(--faint); font-size: 11px; }
svg text.name, svg text.value { fill: var(--ink); font-size: 13px; }
svg .rule { stroke: var(--rule); }
svg .axis { stroke: var(--faint); }
svg .epoch { stroke: var(--line); stroke-dasharray: 3 4; }
svg .whisker { stroke: var(--faint); stroke-opacity: 0.75; }
svg path.best, svg line.best { fill: none; stroke: var(--good); stroke-width: 2.5; stroke-linejoin: round; }
svg path.train, svg line.train { fill: none; stroke: var(--train); stroke-width: 1.5; stroke-linejoin: round; }
svg path.budget, svg line.budget { fill: none; stroke: var(--unsure); stroke-width: 2; stroke-dasharray: 5 3; }
svg .mark { stroke-width: 1.8; }
svg .mark.seed { fill: var(--seed); }
svg .mark.good { fill: var(--good); }
svg .mark.bad { fill: var(--bad); stroke: var(--bad); }
svg .mark.unsure { fill: var(--unsure); stroke: var(--unsure); }
svg .mark.calm { fill: var(--calm); stroke: var(--calm); }
svg .mark.hollow { fill: var(--card); }
svg .mark.stroked { fill: none; stroke-linecap: round; }
svg .bar { fill-opacity: 0.28; } svg .bar.dense { fill-opacity: 0.9; }
svg .bar.good { fill: var(--good); } svg .bar.bad { fill: var(--bad); }
svg .bar.unsure { fill: var(--unsure); } svg .bar.calm { fill: var(--calm); }
svg .edit.proposed { fill: var(--deep-1); } svg .edit.merged { fill: var(--deep-2); }
svg .edit.selected { fill: var(--deep-3); } svg .edit.applied { fill: var(--deep-4); }
svg .edit.lost { fill: var(--bad); }
svg .part.cached { fill: var(--deep-2); } svg .part.input { fill: var(--deep-3); } svg .part.output { fill: var(--deep-4); }
svg .part.cost { fill: var(--good); } svg .part.tries { fill: var(--unsure); } svg .part.attempts { fill: var(--bad); }
svg .part.optimizer { fill: var(--calm); } svg .part.edits { fill: var(--train); }
svg .range { fill: var(--deep-2); } svg .dot { fill: var(--deep-4); }
svg .strong .range { fill: var(--good); fill-opacity: 0.3; } svg .strong .dot { fill: var(--good); }
svg .strong text.name, svg .strong text.value { font-weight: 600; }
.scroll { overflow-x: auto; margin: 0 0 20px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
caption { padding: 0 0 6px; text-align: left; font-size: 13px; color: var(--faint); }
th { font-weight: 500; color: var(--soft); text-align: left; vertical-align: bottom; }
th, td { padding: 7px 14px 7px 0; border-bottom: 1px solid var(--rule); }
thead th { border-bottom-color: var(--line); }
td { vertical-align: top; min-width: 3.2em; }
tr > :last-child { padding-right: 0; }
.right { text-align: right; }
.right, .short, .short code { white-space: nowrap; }
.wide-text { min-width: 15em; overflow-wrap: anywhere; }
.tone-good { color: var(--good); } .tone-bad { color: var(--bad); } .tone-unsure { color: var(--unsure); }
code { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
details { margin: 0 0 20px; }
summary { cursor: pointer; font-size: 14px; color: var(--calm); padding: 4px 0; }
details[open] > summary { margin-bottom: 10px; }
.diff { border: 1px solid var(--line); border-radius: 10px; overflow: hidden; background: var(--card); margin: 0 0 24px; }
.diff { padding: 6px 0; font-size: 13px; line-height: 1.5; }
.diff div { display: grid; grid-template-columns: 26px minmax(0, 1fr) auto; align-items: baseline; padding: 0 14px 0 0; }
.diff .sign { text-align: center; color: var(--faint); user-select: none; }
.diff code { white-space: pre-wrap; min-height: 1.5em; }
.diff .origin { padding-left: 18px; font-size: 12px; color: var(--faint); text-align: right; max-width: 17em; overflow-wrap: anywhere; }
.diff .added { background: var(--good-back); } .diff .added .sign { color: var(--good); }
.diff .removed { background: var(--bad-back); } .diff .removed .sign { color: var(--bad); }
.diff ins, .diff del { text-decoration: none; }
.diff .gap { padding: 2px 14px 2px 26px; font-style: italic; color: var(--faint); display: block; }
footer { margin: 64px 0 0; padding: 16px 0 0; border-top: 1px solid var(--line); font-size: 13px; color: var(--faint); }
@media (max-width: 640px) {
  main { padding: 28px 16px 48px; }
  header h1 { font-size: 27px; }
  .lead { font-size: 18px; }
  .facts { grid-template-columns: 1fr 1fr; }
  .facts div { padding: 11px 13px; }
  section { margin-top: 44px; }
  figure { padding: 12px 10px 10px; }
  .wide { display: none !important; }
  .narrow { display: block !important; }
  .diff div { grid-template-columns: 22px minmax(0, 1fr); padding-right: 10px; }
  .diff .origin { grid-column: 2; padding-left: 0; text-align: left; max-width: none; }
}
@media print {
  :root {
    --paper: #fff; --card: #fff; --ink: #000; --soft: #333; --faint: #666; --line: #ccc; --rule: #e4e4e4;
    --good: #0b7a5c; --good-back: #eef7f3; --bad: #a83524; --bad-back: #fcf1ee; --unsure: #7d5200; --unsure-back: #fdf7ea;
    --calm: #2f4a75; --calm-back: #f1f4f9; --train: #aaa; --seed: #444;
    --deep-1: #dfe6f2; --deep-2: #b5c5e0; --deep-3: #7d97c4; --deep-4: #365a99;
  }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { font-size: 11pt; }
  main { max-width: none; padding: 0; }
  nav { display: none; }
  .wide { display: block !important; }
  .narrow { display: none !important; }
  section { margin-top: 28px; }
  h2 { break-after: avoid; }
  figure, tr, .facts { break-inside: avoid; }
  .scroll { overflow: visible; }
  table { font-size: 8.5pt; }
  th, td { padding: 4px 8px 4px 0; }
  .wide-text { min-width: 0; }
  details::details-content { content-visibility: visible; display: block; }
}
`
