/**
 * Formats and parses the command lines of each system. The texts contain no control characters, because
 * `checkJob` refuses them.
 */

/**
 * Quotes a word for a crontab line, which cron parses before the shell does. Versions of cron disagree on a
 * backslash before a backslash or a percent sign. A percent sign is therefore escaped outside of quotes,
 * where the shell removes the backslash if cron has not. A backslash is never followed by either character.
 */
export function cronWord(text: string): string {
  const parts: Readonly<Record<string, string>> = { "'": `'"'"'`, '\\': `\\''`, '%': `'\\%'` }
  return `'${text.replace(/['\\%]/g, character => parts[character] ?? character)}'`
}

export function readCronWords(text: string): readonly string[] | undefined {
  const piece = /'([^']*)'|"([^"\\$`]*)"|\\(.)|([^\s'"\\]+)|(\s+)/suy
  const words: string[] = []
  let word: string | undefined
  while (piece.lastIndex < text.length) {
    const found = piece.exec(text)
    if (found === null) return undefined
    const [, single, double, escaped, bare, gap] = found
    if (gap === undefined) word = (word ?? '') + (single ?? double ?? escaped ?? bare ?? '')
    else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  return word === undefined ? words : [...words, word]
}

/**
 * Formats ExecStart= of a systemd unit: quoted as in C, %% for a percent sign, and $$ for a dollar sign
 * except in the program's path.
 */
export function systemdWords([program, ...rest]: readonly [string, ...string[]]): string {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`
  return [quoted(program), ...rest.map(text => quoted(text).replaceAll('$', () => '$$'))].join(' ')
}

export function readSystemdWords(text: string): readonly string[] | undefined {
  if (!/^"(?:[^"\\]|\\.)*"(?: "(?:[^"\\]|\\.)*")*$/su.test(text)) return undefined
  const words = [...text.matchAll(/"((?:[^"\\]|\\.)*)"/gsu)].map(([, inner = '']) =>
    inner.replace(/\\(.)/gsu, '$1').replaceAll('%%', '%'),
  )
  return words.map((word, index) => (index === 0 ? word : word.replaceAll('$$', () => '$')))
}

/** Quotes one argument according to the Windows command line rules. */
export function windowsWord(text: string): string {
  return `"${text.replace(/(\\*)("|$)/g, (_match, slashes: string, quote: string) => slashes + slashes + (quote === '' ? '' : '\\"'))}"`
}

export function readWindowsWords(text: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let isQuoted = false
  for (const [piece, slashes] of text.matchAll(/(\\*)"|\\+|\s+|[^\s"\\]+/gu)) {
    if (slashes !== undefined) {
      // Before a quotation mark, each pair of backslashes stands for one. A single one left over makes the
      // mark literal.
      const isLiteral = slashes.length % 2 === 1
      word = (word ?? '') + slashes.slice(0, Math.floor(slashes.length / 2)) + (isLiteral ? '"' : '')
      if (!isLiteral) isQuoted = !isQuoted
    } else if (isQuoted || !/^\s/u.test(piece)) word = (word ?? '') + piece
    else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  if (isQuoted) return undefined
  return word === undefined ? words : [...words, word]
}

/** Matches characters in a path that some system may change. */
const passedOn = /[^A-Za-z0-9 \\/:._()~+,-]/gu

/**
 * Encodes a path in characters that no system changes, so that `Jörg` becomes `J{f6}rg`. Windows reports
 * tasks in an old code page and expands names between percent signs.
 */
export function encodePath(path: string): string {
  return path.replace(passedOn, character => `{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

export function decodePath(text: string): string {
  return text.replace(/\{([0-9a-f]{1,6})\}/g, (whole, digits: string) => {
    const code = Number.parseInt(digits, 16)
    return code > 0x10ffff ? whole : String.fromCodePoint(code)
  })
}
