import type { EventBody, Place } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { type Check, checkSchema } from '../../core/task/check.js'
import { stripControls } from '../../core/text/format.js'
import { contentHash } from '../../core/text/hash.js'
import { ask } from '../../trainer/stages/ask.js'
import { mineReply as contract } from '../../trainer/stages/contracts.js'
import type { Prompts } from '../../trainer/stages/prompts.js'
import { clusterText, type MiningCluster } from './mining-cluster.js'

export type MinedTask = EventBody<'task.mined'>

export interface MiningOptions {
  readonly prompts: Prompts
  /**
   * Returns the problem of a check that is well-formed but cannot work, such as a pattern that does not
   * compile.
   */
  checkProblem(check: Check): string | undefined
}

/**
 * Asks the optimizer to turn recurring requests into a task: intent, rubric and checks. A repeated call for
 * the same requests reads the answer from the log. If the reply stays unusable, the call fails without a
 * fallback.
 */
export function mineTask(
  run: Run,
  cluster: MiningCluster,
  { prompts, checkProblem }: MiningOptions,
  place: Place,
): Promise<MinedTask> {
  const content = clusterText(cluster)
  const scope = miningKey(cluster)
  return run.once('task.mined', scope, async (): Promise<MinedTask> => {
    const { key } = cluster
    const answer = await ask(run, prompts, { prompt: 'mine', content, schema: contract, scope, place })
    if (!answer.ok) return { status: 'failed', cluster: key, problem: answer.problem }
    const { intent, rubric, checks, skip } = answer.value
    if (skip !== '') return { status: 'skipped', cluster: key, reason: skip }
    return { status: 'written', cluster: key, intent, rubric, ...usable(checks, checkProblem) }
  })
}

/**
 * Cache key over everything the optimizer is shown, so that the same requests with the same evidence are paid
 * for once.
 */
export function miningKey(cluster: MiningCluster): string {
  return `${cluster.key} ${contentHash(clusterText(cluster)).slice(0, 16)}`
}

type ProposedCheck = { readonly op: string; readonly arg?: string | number | boolean | null | undefined }

function usable(
  proposed: readonly ProposedCheck[],
  checkProblem: MiningOptions['checkProblem'],
): { readonly checks: Check[]; readonly dropped: string[] } {
  const checks: Check[] = []
  const dropped: string[] = []
  for (const { op, arg } of proposed) {
    const parsed = checkSchema.safeParse({ op, ...(arg === null || arg === undefined ? {} : { arg }) })
    const problem = parsed.success
      ? (isWonByWriting(parsed.data) ?? checkProblem(parsed.data))
      : 'it is not in the form of a check'
    if (parsed.success && problem === undefined) checks.push(parsed.data)
    else dropped.push(stripControls(`${op} ${JSON.stringify(arg ?? null)}: ${problem}`))
  }
  return { checks, dropped }
}

/**
 * Detects checks for a single word. Optimizers tend to write them, but any answer that contains the word
 * passes.
 */
function isWonByWriting({ op, arg }: Check): string | undefined {
  const isLiteral = op === 'contains' || (op === 'regex' && !/[\\^$.*+?()[\]{}|]/.test(arg))
  return isLiteral ? 'an answer passes it by writing these words' : undefined
}
