import { matchAt } from './rule.js'

/** A name in the text that marks its value as secret. */
export interface SecretName {
  readonly text: string
  readonly kind: string
  /** `strong`: any value counts. `weak`: only a value that looks random. */
  readonly strength: 'strong' | 'weak'
  readonly isUpperCase: boolean
  readonly start: number
  /** Exclusive end of the name. */
  readonly end: number
}

/**
 * The secret word must end the name: `password`, but not `passwordField`, `tokenCount` or `keyboard`. A
 * plural matches only before a list.
 */
const ending =
  /(key|token|secret|pass(?:word|wort|wd|phrase|code)?|pwd|psk|bindpw|cred(?:ential)?s?|auth|signature|sig|kennwort)(s(?=\\{0,7}["'`]?\s{0,4}[:=]\s{0,4}\[))?(?:_?(?:base|value|base64|b64|old|new|prod|dev|staging|live|test|\d{1,3}))?(?![A-Za-z0-9_])/iy

const longestBeginning = 48

export function secretName(text: string, at: number): SecretName | undefined {
  const match = matchAt(ending, text, at)
  if (match === undefined) return undefined
  const before = text.slice(Math.max(0, at - longestBeginning), at)
  const beginning = nameBeginning(before)
  const name = `${beginning}${match[0]}`
  const isUpperCase = /^[A-Z][A-Z0-9_]{3,}$/.test(name)
  const word = (match[1] ?? '').toLowerCase()
  const meaning = meaningOf(word, { name, before, beginning, isUpperCase })
  if (meaning === undefined) return undefined
  return { text: name, ...meaning, isUpperCase, start: at - beginning.length, end: at + match[0].length }
}

/**
 * The part of the name before its last word. The letter of an escape such as `\n` or of a colour code does
 * not belong to it.
 */
function nameBeginning(before: string): string {
  const coloured = /\[[0-9;]{0,12}m([\w$-]*)$/.exec(before)?.[1]
  if (coloured !== undefined) return coloured
  const beginning = /[\w$-]*$/.exec(before)?.[0] ?? ''
  const isEscaped = /^[nrt]/.test(beginning) && before.at(-beginning.length - 1) === '\\'
  return isEscaped ? beginning.slice(1) : beginning
}

type Meaning = Pick<SecretName, 'kind' | 'strength'>

const surelySecretKey =
  /(?:api|secret|private|access|encryption|signing|auth|master|license|subscription|webhook|deploy)[-_. ]?$/i
const maybeSecretKey =
  /(?:account|client|app|application|session|service|server|admin|storage|ssh|hmac|jwt|aes|host|functions?)[-_. ]?$/i

/** Beginnings of names in which "token" is a token of language models, paging or grammars. */
const otherTokens =
  /(?:next|prev|page|paging|continuation|eos|bos|pad|unk|sep|cls|mask|stop|start|end|special|prompt|per|cancel|cancellation|syntax|design|sync|input|output)[-_ ]?$/i

interface Surroundings {
  readonly name: string
  /** The text before the secret word, including the beginning of the name. */
  readonly before: string
  readonly beginning: string
  readonly isUpperCase: boolean
}

function meaningOf(word: string, surroundings: Surroundings): Meaning | undefined {
  const { name, before, beginning, isUpperCase } = surroundings
  switch (word) {
    case 'key':
      return keyMeaning(before, isUpperCase)
    case 'token':
      if (otherTokens.test(before)) return undefined
      return {
        kind: 'token',
        strength: isSurelyToken(beginning, isUpperCase) ? 'strong' : 'weak',
      }
    case 'secret':
      return { kind: 'secret', strength: 'strong' }
    case 'pwd':
      // `PWD` is the shell's working directory, except in a connection string.
      if (/^(?:OLD)?PWD$/.test(name) && !/;\s*$/.test(before)) return undefined
      return { kind: 'password', strength: 'strong' }
    case 'pass':
      return { kind: 'password', strength: isUpperCase || /[_-]$/.test(beginning) ? 'strong' : 'weak' }
    case 'auth':
      return {
        kind: 'credentials',
        strength: /(?:^|[^A-Za-z])_$|basic[-_]?$/i.test(before) ? 'strong' : 'weak',
      }
    case 'sig':
    case 'signature':
      return { kind: 'signature', strength: 'weak' }
    default:
      return word.startsWith('cred')
        ? { kind: 'credentials', strength: 'weak' }
        : { kind: 'password', strength: 'strong' }
  }
}

/** Whether a name with "token" is surely a secret: a variable, an option, or a header. */
function isSurelyToken(beginning: string, isUpperCase: boolean): boolean {
  return (
    (isUpperCase && beginning !== '') ||
    beginning.startsWith('--') ||
    /^(?:x-[\w-]{1,40}|private|job|deploy)-$/i.test(beginning)
  )
}

function keyMeaning(before: string, isUpperCase: boolean): Meaning | undefined {
  if (/public[-_. ]?$/i.test(before)) return undefined
  if (/aws[\w-]{0,20}$|secret[-_. ]?access[-_. ]?$/i.test(before))
    return { kind: 'aws secret key', strength: 'strong' }
  if (/(?:account|shared[-_ ]?access)[-_ ]?$/i.test(before))
    return { kind: 'azure storage key', strength: 'weak' }
  if (/private[-_. ]?$/i.test(before)) return { kind: 'private key', strength: 'strong' }
  if (surelySecretKey.test(before)) return { kind: 'api key', strength: 'strong' }
  if (maybeSecretKey.test(before) || (isUpperCase && before.endsWith('_')))
    return { kind: 'api key', strength: 'weak' }
  return undefined
}
