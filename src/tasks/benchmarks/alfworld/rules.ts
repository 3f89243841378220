import { contentHash } from '../../../core/text/hash.js'
import { withoutComments } from './pddl.js'

/**
 * Recognises the release that is simulated. Every game file contains its rules and wording. A game with other
 * rules would be a different game here, so it is rejected.
 */

/** Hashes of the release's rules, and of a version that lacks one line about a sink that no house has. */
const knownRules = new Set(['54e29bce2933d7dc48c8665e02d86add', 'da18d44ab1bcf831f61e90b88a99ad57'])
/** Hash of the release's wording without the task and the help text. */
const knownWording = 'fc7847522f8acdd4f90658704e86e8c7'

const release = 'json_2.1.3_tw-pddl, the release of ALFWorld that is simulated'

/** Throws an `Error` if the simulation does not support a game's rules. */
export function checkRules(domain: string): void {
  if (!knownRules.has(fingerprint(withoutComments(domain))))
    throw new Error(`plays by other rules than ${release}`)
}

const taskRule = /"Your task is to: ((?:[^"\\]|\\.)*)"/
const helpRule = /"(?:\\n|\s)*(Available commands:[^"]*?)(?:\\n|\s)*"/

/**
 * The task and the help text of a game file. Throws an `Error` if its other wording differs from the release.
 */
export function readTexts(grammar: string): { readonly task: string; readonly help: string } {
  const [wording = '', helpPart = ''] = grammar.split(/^(?=action help\b)/m)
  const task = taskRule.exec(wording)?.[1]
  const help = helpRule.exec(helpPart)?.[1]
  if (task === undefined) throw new Error('says no task: its `grammar` has no sentence "Your task is to: …"')
  if (help === undefined || fingerprint(wording.replace(taskRule, '')) !== knownWording)
    throw new Error(`words its commands and answers otherwise than ${release}`)
  return { task: JSON.parse(`"${task}"`) as string, help: `\n${help.replaceAll('\\n', '\n')}\n` }
}

function fingerprint(text: string): string {
  return contentHash(text.toLowerCase().replace(/\s+/g, ' ').trim())
}
