/** Names of the input and output file in a program's working folder. */
export const inputFile = 'input.xlsx'
export const outputFile = 'output.xlsx'

/**
 * The program in the first code block of a reply. A block that is not closed extends to the end; if code is
 * missing, running it shows that.
 */
export function programIn(reply: string): string | undefined {
  const [, , code] = /^[ \t]*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)(?:^[ \t]*\1|$(?![\s\S]))/m.exec(reply) ?? []
  return code === undefined || code.trim() === '' ? undefined : code
}

/** The last program in any of the agent's replies. */
export function lastProgram(
  messages: readonly { readonly role: string; readonly text: string }[],
): string | undefined {
  return messages
    .filter(({ role }) => role === 'assistant')
    .map(({ text }) => programIn(text))
    .findLast(program => program !== undefined)
}

const paths = '(?:INPUT_PATH|OUTPUT_PATH)'
const assignment = new RegExp(
  `^([ \\t]*)${paths}[ \\t]*(?:,[ \\t]*${paths}[ \\t]*)?(?::[^=\\n]*)?=(?!=).*$`,
  'gm',
)
const futureImport = /^from __future__ import .*\n?/gm

/**
 * Sets the program's paths to ours. Its own assignments become `pass` with the same indentation, because such
 * a line may be the only one of its block.
 */
export function withPaths(program: string): string {
  const future = (program.match(futureImport) ?? []).map(line => line.trimEnd())
  const body = program.replaceAll(futureImport, '').replaceAll(assignment, '$1pass')
  const ours = [`INPUT_PATH = ${JSON.stringify(inputFile)}`, `OUTPUT_PATH = ${JSON.stringify(outputFile)}`]
  return [...future, ...ours, body].join('\n')
}
