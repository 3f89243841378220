/** Markdown parsing for the documentation's tests. */

export interface CodeBlock {
  readonly language: string
  readonly text: string
  /** Marks in an HTML comment right before the block: `file`, `contract`. */
  readonly marks: Readonly<Record<string, string>>
}

export function codeBlocks(markdown: string): CodeBlock[] {
  const fence = /(?:<!-- (\w+): (\S+) -->\n)?^```(\w*)\n([\s\S]*?)^```$/gm
  return [...markdown.matchAll(fence)].map(([, mark, value = '', language = '', text = '']) => ({
    language,
    text,
    marks: mark === undefined ? {} : { [mark]: value },
  }))
}

/** Our own command lines in running text: `skillopt …` and `npm run …`. */
export function inlineCommands(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/`([^`\n]*)`/g)]
    .flatMap(([, code = '']) => code.split(/&&|\||>/))
    .map(code => code.trim().replace(/^(\w+=\S+\s+)*(npx )?/, ''))
    .filter(code => /^(skillopt|npm run) [a-z]/.test(code))
}

/** Cells of all table rows, without headers and rules. */
export function tableRows(markdown: string): string[][] {
  const lines = markdown.split('\n')
  return lines.flatMap((line, index) => {
    const isRow = line.startsWith('|') && !/^[\s|-]*$/.test(line)
    const isHead = lines[index + 1]?.startsWith('| ---') === true
    return isRow && !isHead
      ? [
          line
            .split('|')
            .slice(1, -1)
            .map(cell => cell.trim()),
        ]
      : []
  })
}
