import { isPlaceholder, isScrambled } from './opaque.js'
import { matchAt, type Rule, type Span } from './rule.js'

const slashes = '(?::\\/\\/|:\\\\\\/\\\\\\/)'

/** Matches a user name and a password before the host of a URL, but not a port and a path with an `@`. */
const nameAndPassword = new RegExp(
  `${slashes}([^\\s:/@"'\`<>\\\\]{0,128}):(?!\\d{1,5}[/\\\\])([^\\s"'\`<>\\\\/]{1,128}|[^\\s"'\`<>\\\\]{1,128}(?=@[\\w.-]{1,128}[:/]))@(?=[\\w.\\[$-])`,
  'y',
)
const nameOnly = new RegExp(`${slashes}([^\\s:/@"'\`<>\\\\]{16,256})@`, 'y')
const isWeb = /(?:https?|wss?)$/

const addressRule: Rule = {
  anchors: ['://', ':\\/\\/'],
  find(text, at) {
    const both = matchAt(nameAndPassword, text, at)
    if (both !== undefined) {
      const password = both[2] ?? ''
      if (password.includes('/') && isWeb.test(text.slice(Math.max(0, at - 5), at))) return undefined
      if (isPlaceholder(password)) return undefined
      const end = at + both[0].length - 1
      return { kind: 'password in an address', start: end - password.length, end, certainty: 2 }
    }
    const name = matchAt(nameOnly, text, at)?.[1]
    if (name === undefined || !isScrambled(name)) return undefined
    const start = text.indexOf(name, at)
    return { kind: 'token in an address', start, end: start + name.length, certainty: 2 }
  },
}

const oracle = /thin:[\w.-]{1,64}\/([^\s@"'\\]{1,128})@/y

const oracleRule: Rule = {
  anchors: ['thin:'],
  find(text, at) {
    const match = matchAt(oracle, text, at)
    return match && credential(match, at)
  },
}

/** Password options by program, because an option's name means something else in other programs. */
const programs: readonly { readonly program: RegExp; readonly option: RegExp }[] = [
  {
    program: /(?:\b|\\[nrt])(?:curl|wget|http|https|xh)\b[^\n;|]*$/,
    option: /-(?:[a-zA-Z]{0,6}u[ =]{0,2}|-user[ =]{1,2})["']?[\w.@-]{1,64}:([^\s"'\\]{3,128})/y,
  },
  {
    program:
      /(?:\b|\\[nrt])(?:sshpass|(?:docker|podman|az|helm registry) login|mongosh?|smbclient)\b[^\n;|]*$/,
    option: /-p[ =]{0,2}["']?([^\s"'\\]{3,128})/y,
  },
  {
    program: /(?:\b|\\[nrt])(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n;|]*$/,
    option: /-p["']?([^\s"'\\]{3,128})/y,
  },
  { program: /\bredis-cli\b[^\n;|]*$/, option: /-(?:a|-pass)[ =]{1,2}["']?([^\s"'\\]{3,128})/y },
]

const longestCommand = 300

const commandRule: Rule = {
  anchors: [
    '-u',
    '-su',
    '-ku',
    '-vu',
    '-iu',
    '-Lu',
    '-sSu',
    '-fsSu',
    '-fsSLu',
    '-sku',
    '-skLu',
    '--user ',
    '--user=',
    '-p',
    '-a ',
    '--pass ',
  ],
  find(text, at) {
    if (!/\s/.test(text[at - 1] ?? '')) return undefined
    const before = text.slice(Math.max(0, at - longestCommand), at)
    for (const { program, option } of programs) {
      const match = matchAt(option, text, at)
      if (match !== undefined && program.test(before)) return credential(match, at)
    }
    return undefined
  },
}

function credential(match: RegExpExecArray, at: number): Span | undefined {
  const value = match[1] ?? ''
  if (isPlaceholder(value)) return undefined
  const start = at + match[0].lastIndexOf(value)
  return { kind: 'password', start, end: start + value.length, certainty: 2 }
}

export const addressRules: readonly Rule[] = [addressRule, oracleRule, commandRule]
