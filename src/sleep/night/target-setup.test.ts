import { describe, expect, it } from 'vitest'
import { configSchema } from '../../core/config/config.js'
import type { LoadedProject } from '../../project/load.js'
import { documentWith, frameOf, withNightModels } from './target-setup.js'

const start = '<!-- SKILLOPT-SLEEP:LEARNED START -->'
const end = '<!-- SKILLOPT-SLEEP:LEARNED END -->'
const document = `# Notes\n\nMine.\n\n${start}\n- Old.\n${end}\n\nMine too.\n`

describe('the frame of what is trained', () => {
  const frame = frameOf({ frame: document }, ['# The project\n\nIts notes.'])

  it('shows the agent the whole document and the optimizer the fixed part', () => {
    const shown = frame.fill('- New.\n')
    expect(shown).toBe(`# The project\n\nIts notes.\n\n${document.replace('- Old.', '- New.')}`)
    expect(frame.around).toContain('Its notes.')
    expect(frame.around).toContain('Mine too.')
    expect(frame.around).not.toContain('Old.')
    expect(frame.around).not.toContain('SKILLOPT-SLEEP')
  })

  it('round-trips a text of several lines', () => {
    const rules = '- One,\n  on two lines.\n\n```sh\nnpm test\n```\n\n- Two.'
    expect(frame.fill(rules)).toContain(`${start}\n${rules}\n${end}`)
    expect(frame.limit.objection('- Old.', rules)).toBeUndefined()
  })

  it.each([
    ['a marker', `- New.\n${end}\n- Outside.`, /comment/],
    ['a comment', '- New. <!-- unseen -->', /comment/],
    ['a code block that is not closed', '- New.\n```\n', /code block/],
    ['a letter that nobody sees', '- New\u200b.', /U\+200B/],
    ['frontmatter', '---\nname: other\n---\n- New.', /frontmatter/],
  ])('objects to %s', (_name, text, objection) => {
    expect(frame.limit.objection('- Old.', text)).toMatch(objection)
  })

  it('rejects text that this document cannot hold, although another could', () => {
    // A line of dashes in the region would turn the text above it into frontmatter.
    const dashes = frameOf({ frame: '---\nMine.\n' }, [])
    expect(frame.limit.objection('', '- New.\n\n---\n\n- More.')).toBeUndefined()
    expect(dashes.limit.objection('', '- New.\n\n---\n\n- More.')).toMatch(
      /could not be told from what stands/,
    )
  })

  it('throws if an accepted text cannot be written', () => {
    expect(() => documentWith(document, `x\n${end}`)).toThrow('A region was accepted that cannot be written')
  })
})

describe('the models of a night', () => {
  const loadedWith = (models: Record<string, unknown>): LoadedProject =>
    ({
      config: configSchema.parse({ environment: { use: 'sleep-tasks' }, models }),
    }) as unknown as LoadedProject
  const modelsOf = (models: Record<string, unknown>, chosen: Record<string, string>) =>
    withNightModels(loadedWith(models), chosen, '/nights/007').config.models

  it('are the configured ones, otherwise those of the plan', () => {
    const none = { target: 'none/none', optimizer: 'openai/gpt-5' }
    expect(modelsOf(none, { target: 'codex/default', optimizer: 'codex/default' })).toEqual({
      target: 'codex/default',
      optimizer: 'openai/gpt-5',
    })
    expect(modelsOf(none, { target: 'a/b', optimizer: 'a/b', judge: 'c/d' })).toHaveProperty('judge', 'c/d')
  })

  it("put handoff prompts into the night's folder unless one is configured", () => {
    const models = { target: 'handoff/me', optimizer: { model: 'handoff/me', endpoint: '/mine' } }
    expect(modelsOf(models, {})).toMatchObject({
      target: { model: 'handoff/me', endpoint: '/nights/007/handoff' },
      optimizer: { endpoint: '/mine' },
    })
  })

  it('use the endpoint of the role that they fall back to', () => {
    const here = { model: 'openai-compatible/m', endpoint: 'http://127.0.0.1:8000/v1', apiKeyEnv: 'MINE' }
    const there = { ...here, endpoint: 'http://127.0.0.1:9000/v1' }
    const same = 'openai-compatible/m'
    const alone = modelsOf(
      { target: here, optimizer: 'none/none' },
      { target: same, optimizer: same, judge: same },
    )
    expect(alone.optimizer).toMatchObject(here)
    expect(alone.judge).toMatchObject(here)
    const apart = modelsOf({ target: here, optimizer: there }, { target: same, optimizer: same, judge: same })
    expect(apart.judge).toMatchObject(there)
  })
})
