import { describe, expect, it } from 'vitest'
import { fakeRun, scoredAttempt, userText } from '../../../test/fake-run.js'
import { tokenLimit } from '../../core/skill/skill-limit.js'
import type { Comparison } from './compare.js'
import { loadPrompts } from './prompts.js'
import { writeGuidance } from './slow-update.js'

const prompts = await loadPrompts()
const place = { stage: 'slow-update', epoch: 3, step: 6 } as const

/** A run with a fixed optimizer reply, and one known pair of attempts. */
function answering(reply: object | string) {
  const run = fakeRun(() => ({ text: typeof reply === 'string' ? reply : JSON.stringify(reply) }))
  const comparison: Comparison = {
    outcome: 'improved',
    before: scoredAttempt(run, 'a', 0, 'five'),
    after: scoredAttempt(run, 'a', 1, 'four'),
  }
  return { run, comparisons: [comparison] }
}

describe('writeGuidance', () => {
  const current = '# Now\n\n<!-- SLOW_UPDATE_START -->\nkeep units\n<!-- SLOW_UPDATE_END -->\n'

  it('shows both skills, the guidance so far, the length and the pairs, and takes the trimmed reply', async () => {
    const { run, comparisons } = answering({ slow_update_content: '  be exact \n', reasoning: 'it helped' })
    const limit = tokenLimit(90, () => 12)
    const answer = await writeGuidance(
      run,
      { previous: '# Before', current, comparisons, place },
      { prompts, limit },
    )
    expect(answer).toEqual({ ok: true, value: { guidance: 'be exact', reasoning: 'it helped' } })
    const shown = userText(run.effects[0])
    for (const part of [
      '<previous_skill>\n# Before\n</previous_skill>',
      `<current_skill>\n${current}\n</current_skill>`,
      '<current_guidance>\nkeep units\n</current_guidance>',
      '<skill_length>\nThe skill has about 12 tokens.',
      '<pair number="1" type="kind" outcome="improved">',
    ])
      expect(shown).toContain(part)
    expect(run.effects[0]).toMatchObject({ role: 'optimizer', scope: 'epoch 3' })
  })

  it('leaves out what is not there, and takes a reply without reasoning', async () => {
    const { run } = answering({ slow_update_content: 'be exact' })
    const answer = await writeGuidance(
      run,
      { previous: '# Before', current: '# Now', comparisons: [], place },
      { prompts },
    )
    expect(answer).toEqual({ ok: true, value: { guidance: 'be exact', reasoning: '' } })
    expect(userText(run.effects[0])).not.toMatch(/current_guidance|skill_length|comparisons/)
  })

  it("includes the user's preferences and how to apply them", async () => {
    const { run, comparisons } = answering({ slow_update_content: 'be exact' })
    const told = { prompts, preferences: 'No jargon.' }
    await writeGuidance(run, { previous: '# Before', current: '# Now', comparisons, place }, told)
    expect(userText(run.effects[0])).toContain('<preferences>\nNo jargon.\n</preferences>')
    const system = `${prompts['slow-update'].text}\n\n${prompts.preferences.text}`
    expect(run.effects[0]).toMatchObject({ request: { messages: [{ text: system }, {}] } })
  })

  it('reports a reply that stays unusable', async () => {
    const { run } = answering({ guidance: 'a wrong key' })
    expect(
      await writeGuidance(run, { previous: 'a', current: 'b', comparisons: [], place }, { prompts }),
    ).toMatchObject({ ok: false })
    expect(run.emitted).toMatchObject([{ type: 'optimizer.failed', body: { epoch: 3 } }])
  })
})
