import { contentHash } from '../../../core/text/hash.js'
import { withoutComments } from './pddl.js'

/**
 * The simulation covers the rules and the wording of one release. Every game file contains both, so a game
 * with different ones is detected and rejected: under these rules it would be a different game.
 */

/** The release's rules, and a version without one line about a kind of sink that no house has. */
const knownRules = new Set(['54e29bce2933d7dc48c8665e02d86add', 'da18d44ab1bcf831f61e90b88a99ad57'])
/** The release's wording, excluding the task and the help text. */
const knownWording = 'fc7847522f8acdd4f90658704e86e8c7'

const release = 'json_2.1.3_tw-pddl, the release of ALFWorld that is simulated'

/** Throws an `Error` for rules that the simulation does not support. */
export function checkRules(domain: string): void {
  if (!knownRules.has(fingerprint(withoutComments(domain))))
    throw new Error(`plays by other rules than ${release}`)
}

const taskRule = /"Your task is to: ((?:[^"\\]|\\.)*)"/
const helpRule = /"(?:\\n|\s)*(Available commands:[^"]*?)(?:\\n|\s)*"/

/**
 * The task and help texts from the game file. Throws an `Error` if the remaining wording differs from the
 * release.
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
