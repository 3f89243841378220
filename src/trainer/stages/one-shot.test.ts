import { describe, expect, it } from 'vitest'
import { fakeRun, scoredAttempt, userText } from '../../../test/fake-run.js'
import { skillHash } from '../../core/skill/skill.js'
import type { Attempt } from '../../core/task/task.js'
import { writeOneShot } from './one-shot.js'
import { loadPrompts } from './prompts.js'

const prompts = await loadPrompts()
const place = { stage: 'rollout', epoch: 0, step: 0 } as const

const writing = (reply: object) => fakeRun(() => ({ text: JSON.stringify(reply) }))

describe('writeOneShot', () => {
  it('shows the instructions, what was scored and the limit, and keeps the skill without markers', async () => {
    const run = writing({
      new_skill: '\n# Skill\n<!-- APPENDIX_START -->\nName units.\n',
      change_summary: ['one', 'two'],
    })
    const lost: Attempt = {
      ...scoredAttempt(run, 'lost', 0),
      outcome: { status: 'failed', failure: { kind: 'timeout', message: 'silence' } },
    }
    const briefing = {
      instructions: 'Answer in a word.',
      attempts: [lost, scoredAttempt(run, 'a', 0)],
      tokenLimit: 300,
    }
    const { skill, text, summary } = await writeOneShot(run, { ...briefing, place }, prompts)
    expect(await run.get(text ?? '')).toBe('# Skill\n\nName units.\n')
    expect(skill).toBe(skillHash('# Skill\n\nName units.\n'))
    expect(summary).toBe('one two')
    const shown = userText(run.effects[0])
    expect(shown).toContain('<instructions>\nAnswer in a word.\n</instructions>')
    expect(shown).toContain('question of a')
    expect(shown).not.toContain('lost')
    expect(shown).toContain('<token_limit>\n300\n</token_limit>')
  })

  it('does without a limit and a summary, and asks once a run', async () => {
    const run = writing({ new_skill: '# Skill' })
    const briefing = { instructions: 'Answer.', attempts: [] }
    expect(await writeOneShot(run, { ...briefing, place }, prompts)).toMatchObject({ summary: '' })
    await writeOneShot(run, { ...briefing, place }, prompts)
    expect(run.effects).toHaveLength(1)
    expect(userText(run.effects[0])).toBe('<instructions>\nAnswer.\n</instructions>')
  })

  it('takes a summary in one piece', async () => {
    const run = writing({ new_skill: '# Skill', change_summary: 'all new' })
    const written = await writeOneShot(run, { instructions: '', attempts: [], place }, prompts)
    expect(written.summary).toBe('all new')
  })

  it('yields no skill, with the reason, if the reply stays unusable', async () => {
    const run = writing({ new_skill: ' \n' })
    const written = await writeOneShot(run, { instructions: '', attempts: [], place }, prompts)
    expect(written).toEqual({ summary: expect.stringContaining('it has no text') })
    expect(run.emitted).toMatchObject([{ type: 'optimizer.failed' }])
  })
})
