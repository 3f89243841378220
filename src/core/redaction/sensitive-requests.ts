import type { SensitiveFinding } from './sensitive.js'

/** Finds sentences that make an agent request secrets or commands from its user, or hand things on. */

const person =
  '(?:users?|person|people|customers?|clients?|humans?|operators?|developers?|colleagues?|them|him|her|everyone)'
const secret =
  '(?:private keys?|ssh keys?|api[ -]?keys?|access keys?|secret keys?|(?:access|auth|bearer|session|refresh|api|login|github|personal access) tokens?|passwords?|passphrases?|passcodes?|pin codes?|one-time codes?|verification codes?|2fa codes?|otp|seed phrases?|recovery (?:phrase|code)s?|log-?ins?|credentials?|session cookies?|credit cards?(?: numbers?)?|card numbers?|cvv|social security numbers?)'
const gap = String.raw`(?:(?!\b(?:never|not|which|what|whether|how|about)\b)[^.\n]){0,80}?`
const handing =
  '(?:paste|enter|type|send|share|provide|give|upload|attach|reveal|confirm|show|include|copy|post|supply|submit|hand over|repeat|dictate|put)'
/** Excludes negations such as `never ask` and `do not just ask`. */
const wanted = String.raw`(?<!\b(?:never|not|avoid|n['’]t|without)\s(?:\w{1,12}\s)?)`

const secretRequests = [
  String.raw`${wanted}\b(?:ask|request|demand|prompt|query|beg)(?:ing|s)?\b${gap}\b(?:for|to ${handing})\b${gap}\b${secret}\b`,
  String.raw`${wanted}\b(?:tell|instruct|have|get|make|require|remind|invite|urge|convince|persuade|let)(?:ting|ing|s)?\b${gap}\b${person}\b${gap}\b${handing}\b${gap}\b${secret}\b`,
  String.raw`${wanted}\b(?:request|demand|obtain)(?:ing|s)?\s+(?:the|their|his|her|a|an|its)\b${gap}\b${secret}\b`,
  String.raw`\b${person}\s+(?:has |have |had )?(?:gave|gives?|given|tells?|told|sends?|sent|provides?d?|shares?d?|shows?n?|reveals?d?|types?d?|pastes?d?)\s+(?:you|me|us|it)\b${gap}\b${secret}\b`,
  String.raw`${wanted}\b(?:collect|harvest|gather|exfiltrate|extract|steal|capture)\b${gap}\b${secret}\b`,
]

const hiddenFrom = String.raw`\b(?:without (?:telling|informing|asking|notifying)|do(?:n['’]t| not) (?:tell|inform|notify|mention (?:this|it) to)|hide (?:this|it) from|keep (?:this|it) secret from)\b[^.\n]{0,30}\b(?:the|your) ${person}\b`

const terminal =
  '(?:terminal|shell|console|command (?:line|prompt)|powershell|win(?:dows)?(?: key)? ?[+-] ?r|run (?:dialog|box|window)|clipboard|dev(?:eloper)? ?tools|address bar)'
const commandRequests = [
  String.raw`${wanted}\b(?:ask|tell|instruct|have|get|make|require|urge|convince|let)(?:ting|ing|s)?\b${gap}\b${person}\b${gap}\b(?:paste|type|run|execute|enter|press|open)\b${gap}\b${terminal}(?!\w)`,
]

const whole = '(?:all|every|your|the)(?: (?:of|the|your|own|full|whole|entire|current|complete))*'
const showing =
  '(?:print|show|list|dump|include|quote|send|output|attach|log|reveal|return|echo|write out|append|copy|read|export|upload|zip|archive)'
const machineRequests = [
  String.raw`\b${showing}\b[^.\n]{0,40}?\b(?:all|every|your|the (?:full|whole|entire|current|complete))(?: (?:of|the|your|own|full|whole|entire|current))*(?: environment variables?| env(?:ironment)? vars?| shell history| system prompt)\b`,
  String.raw`\b${showing}\b[^.\n]{0,40}?\b(?:key ?chain|key ?ring|password (?:manager|store|vault)|browser(?:['’]s)? (?:cookies|passwords|history)|saved passwords)\b`,
  String.raw`\b${showing}\b[^.\n]{0,40}?\b${whole} (?:home (?:directory|folder)|(?:whole |entire )?(?:disk|file ?system))\b`,
  String.raw`\boutput of ["'${'`'}]?(?:printenv|env|history|whoami|hostname|ifconfig|ipconfig|netstat|ps)\b`,
]

const find = (sources: readonly string[]) => new RegExp(sources.join('|'), 'gi')
const kinds: readonly (readonly [SensitiveFinding['kind'], RegExp])[] = [
  ['secret', find(secretRequests)],
  ['shell command', find([...commandRequests, hiddenFrom])],
  ['credential path', find(machineRequests)],
]

export function requestsIn(text: string): SensitiveFinding[] {
  return kinds.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].map(([found]) => ({
      kind,
      text: kind === 'secret' ? `asked for in “${found.trim()}”` : found.trim(),
    })),
  )
}
