import { clean, oneLine } from './format.js'

/** Escapes text from models and tasks for a report: no markup, no HTML, no links, no line breaks. */
export function markdownText(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_[\]|~#]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/:(?=\/\/)|(?<=www)\.|@/gi, '\\$&')
}

/** A code block whose fence is longer than any run of backticks inside, so that its text cannot close it. */
export function fencedLines(language: string, lines: readonly string[]): string {
  const shown = lines.map(clean)
  const longest = Math.max(2, ...shown.flatMap(line => [...line.matchAll(/`+/g)].map(([run]) => run.length)))
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, ...shown, fence].join('\n')
}
