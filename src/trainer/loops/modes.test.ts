import { jsonrepair } from 'jsonrepair'
import { describe, expect, it } from 'vitest'
import { worldRun, worldSetup } from '../../../test/world.js'
import type { ConfigInput, UpdateMode } from '../../core/config/config.js'
import type { EventOf, EventType, RunEvent } from '../../core/log/event.js'
import type { Model } from '../../core/ports/model.js'
import { appendixNotes } from '../../core/skill/appendix.js'
import { lineOrigins } from '../../core/skill/document.js'
import { parseSkill, skillHash } from '../../core/skill/skill.js'
import { contentHash } from '../../core/text/hash.js'
import { createGate as always } from '../gates/always.js'
import { train } from './steps.js'

const modes: readonly UpdateMode[] = ['patch', 'rewrite_from_suggestions', 'full_rewrite_minibatch']

const of = <T extends EventType>(events: readonly RunEvent[], type: T) =>
  events.filter((event): event is EventOf<T> => event.type === type)

const setupOf = (mode: UpdateMode, config: Omit<ConfigInput, 'models' | 'environment'> = {}, models = {}) =>
  worldSetup({ config: { optimizer: { mode }, train: { epochs: 2, batchSize: 20 }, ...config }, models })

async function trained(setup: Awaited<ReturnType<typeof setupOf>>) {
  const { run, events } = worldRun(setup)
  const state = await train(run, setup)
  return { state, events }
}

describe.each(modes)('training in mode %s', mode => {
  it('improves the skill, and every line of it can be traced', async () => {
    const setup = await setupOf(mode)
    const { state, events } = await trained(setup)
    const [none, best] = ['none', 'best'].map(
      which => of(events, 'test.finished').find(({ body }) => body.which === which)?.body.hard ?? 0,
    )
    expect(best).toBeGreaterThan((none ?? 1) + 0.2)
    const ids = new Set<string>(['seed'])
    for (const { body } of of(events, 'select.finished')) for (const edit of body.edits) ids.add(edit.id)
    for (const { body } of of(events, 'rewrite.finished')) if (body.edit) ids.add(body.edit.id)
    for (const { origins } of lineOrigins(state.best.document)) {
      for (const origin of origins) expect(ids.has(origin) || origin.startsWith('slow-update:')).toBe(true)
    }
    expect(parseSkill(state.best.document.text).frontmatter).toBe(parseSkill(setup.skill).frontmatter)
  })

  it('never gives a text a score from another text, reminders included', async () => {
    const skillAware = { enabled: true, successes: true, notes: 2 }
    const setup = await setupOf(mode, { reflect: { minibatchSize: 5, skillAware } })
    const { state, events } = await trained(setup)
    const measured = new Map(
      of(events, 'evaluation.finished')
        .filter(({ body }) => body.split === 'val')
        .map(({ body }) => [body.skill, body.score]),
    )
    const scores = [...of(events, 'best.changed'), ...of(events, 'skill.version')]
    for (const { body } of scores)
      if (body.score !== undefined) expect(measured.get(body.skill)).toBe(body.score)
    expect(measured.get(skillHash(state.best.document.text))).toBe(state.best.score)
  })
})

it('full rewrites ignore the edit budget and leave one text to judge', async () => {
  const { events } = await trained(await setupOf('full_rewrite_minibatch'))
  for (const { body } of of(events, 'select.finished')) {
    expect(body.edits.length).toBeLessThanOrEqual(1)
    expect(body.edits.every(edit => edit.op === 'rewrite')).toBe(true)
  }
})

/** An optimizer that reports a lapse in every minibatch, each in different words. */
function reminding(model: Model): Model {
  return {
    ...model,
    async generate(request, signal) {
      const reply = await model.generate(request, signal)
      if (!request.messages[0]?.text.includes('"lapses"')) return reply
      const mark = contentHash(request.messages[1]?.text ?? '').slice(0, 8)
      const lapses = [{ reminder: `Remember ${mark}.` }]
      const text = JSON.stringify({
        ...(JSON.parse(
          jsonrepair(reply.text.slice(reply.text.indexOf('{'), reply.text.lastIndexOf('}') + 1)),
        ) as object),
        lapses,
      })
      return { ...reply, text }
    },
  }
}

describe('skill-aware reflection', () => {
  it('keeps reminders in the appendix, and consolidates it when it has grown too long', async () => {
    const config = { reflect: { minibatchSize: 5, skillAware: { enabled: true, notes: 2 } } }
    const plain = await setupOf('patch', config)
    const optimizer = reminding(plain.models.optimizer)
    const { state, events } = await trained({
      ...(await setupOf('patch', config, { optimizer })),
      gate: always,
    })
    const notes = appendixNotes(state.current.text)
    expect(notes.length).toBeGreaterThan(0)
    expect(notes.length).toBeLessThanOrEqual(2)
    expect(of(events, 'appendix.consolidated').length).toBeGreaterThan(0)
    const lines = lineOrigins(state.current).filter(({ line }) => notes.includes(line.replace('- ', '')))
    for (const { origins } of lines) expect(origins[0]).toMatch(/^consolidation:|lapse/)
    expect(lines).toHaveLength(notes.length)
  })

  it('does nothing when disabled', async () => {
    const { events } = await trained(await setupOf('patch'))
    for (const { body } of of(events, 'reflect.finished'))
      expect(body.patches.every(patch => patch.reminders === undefined)).toBe(true)
  })
})

/** An optimizer whose replies to one kind of prompt are unusable. */
function spoiling(model: Model, phrase: string): Model {
  return {
    ...model,
    async generate(request, signal) {
      const reply = await model.generate(request, signal)
      return request.messages[0]?.text.includes(phrase) ? { ...reply, text: '{"reasoning": "none"}' } : reply
    },
  }
}

describe.each([
  ['rewrite_from_suggestions', 'so that it follows a list of suggestions'],
  ['rewrite_from_suggestions', 'The patch is a list of suggestions'],
  ['full_rewrite_minibatch', 'The patch is the whole skill'],
  ['full_rewrite_minibatch', 'several rewritten versions'],
] as const)('in mode %s, garbage where "%s" was asked', (mode, phrase) => {
  it('is reported as a failure, never as nothing to learn', async () => {
    const plain = await setupOf(mode)
    const optimizer = spoiling(plain.models.optimizer, phrase)
    const { events } = await trained(await setupOf(mode, {}, { optimizer }))
    expect(of(events, 'optimizer.failed').length).toBeGreaterThan(0)
    const outcomes = of(events, 'step.finished').map(({ body }) => body.outcome)
    expect(outcomes).not.toContain('no-edits')
  })
})
