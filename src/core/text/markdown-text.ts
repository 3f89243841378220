import { clean, oneLine } from './format.js'

/** What models and tasks say is text in a report: no markup, no HTML, no link, no new line. */
export function markdownText(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_[\]|~#]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/:(?=\/\/)|(?<=www)\.|@/gi, '\\$&')
}

/** A block of code whose fence is longer than any run of backticks inside: no text can end it. */
export function fencedLines(language: string, lines: readonly string[]): string {
  const shown = lines.map(clean)
  const longest = Math.max(2, ...shown.flatMap(line => [...line.matchAll(/`+/g)].map(([run]) => run.length)))
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, ...shown, fence].join('\n')
}
