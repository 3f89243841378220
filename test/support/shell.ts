import { codeBlocks } from './markdown.js'

/** One command of a shell block: `A=1 npx skillopt train x --yes > out` has the words from `npx` to `--yes`. */
export interface ShownCommand {
  /** As written, without its comment. */
  readonly line: string
  readonly env: Readonly<Record<string, string>>
  readonly words: readonly string[]
}

/** The commands of all shell blocks of a page, in order. */
export function shownCommands(markdown: string): ShownCommand[] {
  return codeBlocks(markdown)
    .filter(({ language }) => ['sh', 'bash', 'shell', 'console'].includes(language))
    .flatMap(({ language, text }) => {
      const lines = text.replaceAll('\\\n', ' ').split('\n')
      // In a console block, lines without a prompt are output.
      const typed = language === 'console' ? lines.filter(line => line.startsWith('$ ')) : lines
      return typed.flatMap(line => commandsOf(line.replace(/^\$ /, '')))
    })
}

function commandsOf(line: string): ShownCommand[] {
  const commands: string[][] = [[]]
  for (const token of tokens(line)) {
    if (['&&', ';', '|'].includes(token)) commands.push([])
    else commands.at(-1)?.push(token)
  }
  return commands.map(withoutRedirection).flatMap(words => {
    const assignments = words.findIndex(word => !/^[A-Z_]+=/.test(word))
    if (assignments < 0) return []
    const env = Object.fromEntries(
      words
        .slice(0, assignments)
        .map(word => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
    )
    return [{ line: words.join(' '), env, words: words.slice(assignments) }]
  })
}

/** Words and operators; quotes group words, and a `#` at the start of a word starts a comment. */
function tokens(line: string): string[] {
  const found: string[] = []
  const pattern = /\s+|(&&|\||;|>>?)|(#.*$)|((?:"[^"]*"|'[^']*'|[^\s"'&|;>])+)/gy
  for (const [, operator, comment, word] of line.matchAll(pattern)) {
    if (comment !== undefined) break
    if (operator !== undefined) found.push(operator)
    if (word !== undefined) found.push(word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
  }
  return found
}

function withoutRedirection(words: readonly string[]): string[] {
  const at = words.findIndex(word => word.startsWith('>'))
  return at < 0 ? [...words] : words.toSpliced(at, 2)
}
