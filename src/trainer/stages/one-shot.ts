import type { EventBody, Place } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { hiddenTextObjection } from '../../core/skill/hidden-text.js'
import { skillHash, stripMarkers } from '../../core/skill/skill.js'
import type { Attempt } from '../../core/task/task.js'
import { ask } from './ask.js'
import { oneShotReply as contract } from './contracts.js'
import type { Prompts } from './prompts.js'
import { section, sections, trajectorySection } from './render.js'

/** Input of the optimizer: the agent's instructions, and a few train tasks attempted without a skill. */
export interface OneShotInput {
  readonly instructions: string
  readonly attempts: readonly Attempt[]
  readonly tokenLimit?: number | undefined
}

/**
 * Asks the optimizer model for a skill without any training. An unusable reply yields no skill, and is
 * reported.
 */
export function writeOneShot(
  run: Run,
  { instructions, attempts, tokenLimit, place }: OneShotInput & { readonly place: Place },
  prompts: Prompts,
): Promise<EventBody<'one-shot.finished'>> {
  return run.once('one-shot.finished', 'one-shot', async () => {
    const scored = attempts.filter(({ outcome }) => outcome.status === 'scored').map(attempt => ({ attempt }))
    const content = sections(
      section('instructions', instructions),
      await trajectorySection(run, scored),
      section('token_limit', tokenLimit === undefined ? undefined : String(tokenLimit)),
    )
    const answer = await ask(run, prompts, {
      prompt: 'one-shot',
      content,
      schema: contract,
      scope: 'one-shot',
      skill: '',
      place,
    })
    if (!answer.ok) return { summary: answer.problem }
    const { new_skill, change_summary } = answer.value
    const text = `${stripMarkers(new_skill).trim()}\n`
    const refusal = hiddenTextObjection('', text)
    if (refusal !== undefined) return { summary: `Skill rejected: ${refusal}` }
    return { skill: skillHash(text), text: run.put(text), summary: [change_summary ?? ''].flat().join(' ') }
  })
}
