import { isLocation, isPlaceholder, isReference, isScrambled, wrappedEnd } from './opaque.js'
import { type Rule, type Span, spellings } from './rule.js'
import { type SecretName, secretName } from './secret-names.js'
import { readValue, type Value } from './values.js'

const words = [
  'key',
  'token',
  'secret',
  'pass',
  'pwd',
  'cred',
  'auth',
  'signature',
  'kennwort',
  'psk',
  'bindpw',
]

/**
 * Values whose name marks them as secret: variables, keys in JSON, YAML and TOML, headers, URL and
 * command-line parameters, XML elements, and sentences that state a secret.
 */
export const namedValueRule: Rule = {
  anchors: [...words.flatMap(spellings), 'sig='],
  find(text, at) {
    const name = secretName(text, at)
    if (name === undefined) return undefined
    const value = readValue(text, name)
    if (value === undefined || !isSecret(name, value)) return undefined
    return span(name, text, value)
  },
}

function span(name: SecretName, text: string, value: Value): Span {
  const { start, end } = value
  return { kind: name.kind, start, end: wrappedEnd(text, start, end), certainty: 1 }
}

function isSecret(name: SecretName, { text: value, form, followedBy }: Value): boolean {
  if (isPlaceholder(value) || isLocation(value) || sayTheSame(name.text, value)) return false
  // The signature of a commit or a package is public; the signature in a URL grants access to it.
  if (name.kind === 'signature' && form !== 'assigned') return false
  if (isScrambled(value)) return true
  if (name.strength === 'weak') return false
  switch (form) {
    case 'quoted':
      return (
        isPasswordLike(value) ||
        (/phrase$/i.test(name.text) && /^\S+(?: \S+){2,}$/.test(value)) ||
        (name.kind === 'password' && isPassphrase(value))
      )
    // Plain words in call arguments and after an arrow are names of other things.
    case 'argument':
      return false
    case 'told':
      return value.length >= 6 && /^(?!v?\d+[.\d]*$)(?=.*\d)(?=.*\p{L})/u.test(value)
    case 'assigned':
      return isAssignedSecret(name, value, followedBy)
    case 'spaced':
      return value.length >= 4 && !isReference(value) && !/[(){}]/.test(`${value}${followedBy}`)
    case 'listed':
      return isListedSecret(name, value, followedBy)
  }
}

/**
 * Whether `password=value` without spaces assigns a secret: a variable, a parameter or a connection string.
 * It may also be an argument in code.
 */
function isAssignedSecret(name: SecretName, value: string, followedBy: string): boolean {
  if (value.length < 3) return false
  const inCode = /^[,)([.]/.test(followedBy) && !name.isUpperCase
  return !(inCode && isReference(value)) && !/^[A-Za-z_$.]+[([]/.test(value) && !value.includes('.env.')
}

/** Whether `password: value` assigns a secret, as in YAML. It may also be a type, a property or prose. */
function isListedSecret(name: SecretName, value: string, followedBy: string): boolean {
  if (value.length < 4) return false
  if (/^[\d.]{1,3}$|^0x/i.test(value) || (value.includes('.') && isReference(value))) return false
  if (/^[A-Za-z_$]+$/.test(value)) return name.isUpperCase && /^\s*(?:$|\n|\\n)/.test(followedBy)
  return !/[(){}<>|[\]]/.test(value) && (/\d/.test(value) || !/^ ?\p{L}/u.test(followedBy))
}

/** Whether a value looks like a password: one word, or several of which one is scrambled. */
function isPasswordLike(value: string): boolean {
  if (value.length < 3 || value.length > 4096) return value.length > 4096
  if (!/\s/.test(value))
    return !/^(?:process\.env|os\.environ|import\.meta|env\.|secrets\.|vars\.)/.test(value)
  return (
    value.length <= 80 &&
    value.split(/\s+/).some(word => /\d\p{L}+\d|\p{L}\d\p{L}|[!@#$%^&]\w+\d/u.test(word))
  )
}

/** Words found in sentences, labels and messages about passwords. */
const sentenceWord =
  /^(?:the|and|for|not|you|your|are|was|has|have|must|should|can|will|with|from|that|this|than|least|please|enter|type|again|new|old|current|confirm|reset|forgot|forgotten|change|changed|required|invalid|wrong|incorrect|missing|empty|here|password|passwords|passphrase|user|username|email|login|account|field|value|characters|character|letters|digits|long|short|too|least|one|stored|hashed|set|see|use|used|using|only|when|where|which|does|did|match|matches|same|different|hidden|show|hide|toggle|save|saved|expired|expires|updated|successfully)$/

/** Four or more lower-case words that do not form a sentence, as in passphrases that people choose. */
function isPassphrase(value: string): boolean {
  if (value.length > 120 || !/^[a-z0-9-]{3,14}(?:[ .][a-z0-9-]{3,14}){3,9}$/.test(value)) return false
  return !value.split(/[ .]/).some(word => sentenceWord.test(word))
}

/** Whether name and value are the same words, as in the label `"password": "Password"`. */
function sayTheSame(name: string, value: string): boolean {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\d]/gu, '')
  return plain(value) !== '' && plain(name).endsWith(plain(value))
}
