/** What tests of the documentation need to know of a Markdown file. */

export interface CodeBlock {
  readonly language: string
  readonly text: string
  /** What an HTML comment right before the block says of it: `file`, `contract`. */
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

export function withoutCode(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '')
}

/** Targets of links and images that are not addresses. */
export function relativeLinks(markdown: string): string[] {
  const targets = [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(match => match[1] ?? '')
  return targets.filter(target => !/^[a-z]+:/.test(target))
}

/** The anchors that GitHub gives to headings. */
export function anchors(markdown: string): string[] {
  const headings = markdown.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  )
}

/** Every command line that begins with one of our commands, in shell blocks and in running text. */
export function commandLines(markdown: string): string[] {
  const shell = codeBlocks(markdown)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.replaceAll('\\\n', ' ').split('\n'))
  const inline = [...markdown.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]*)`/g)].map(
    match => match[1] ?? '',
  )
  return [...shell, ...inline]
    .flatMap(line => line.replace(/(^|\s)#.*$/, '').split(/&&|\||>/))
    .map(line => line.trim().replace(/^(\w+=\S+\s+)*(npx )?/, ''))
    .filter(line => /^skillopt \S/.test(line))
}

/** The cells of all table rows, without heads and rules. */
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
