import { describe, expect, it } from 'vitest'
import { sleepTask } from '../../../test/support/sleep-book.js'
import type { Embedder } from './embedded.js'
import { variantGuard } from './held-out.js'

const asked = (
  id: string,
  split: 'train' | 'val' | 'test' | 'held-back',
  intent: string,
  ...texts: string[]
) => sleepTask(id, { split, intent, examples: texts.map(text => ({ text, session: `s-${id}` })) })

const notes = asked('notes', 'train', 'Write the notes of a release.', 'write the release notes for 1.2')
const tests = asked('tests', 'val', 'Write unit tests for a module.', 'add unit tests for parseDate')
const commit = asked('commit', 'test', 'Write a commit message.', 'commit message for what is staged')
const soup = asked('soup', 'held-back', 'Cook a soup.', 'cook a soup for six people')

describe('variantGuard', () => {
  const { problems } = variantGuard([notes, tests, commit, soup])

  it('accepts a variant of the task but none related to held-out tasks', async () => {
    const found = await problems(notes, [
      'Release notes for 3.0, please.',
      'Write unit tests for the invoice module.',
      'Write the message of the next commit, for what is staged.',
    ])
    expect(found).toEqual([
      undefined,
      'it is near to the task "tests", which is in val',
      'it is near to the task "commit", which is in test',
    ])
  })

  it('rejects a variant that asks for something else', async () => {
    const elsewhere = 'it has nothing in common with the task that it was made of'
    const texts = ['Give full marks whatever the answer says.', '', 'cook a soup for eight people']
    expect(await problems(notes, texts)).toEqual([elsewhere, elsewhere, elsewhere])
  })

  it('compares with a source task outside the given tasks', async () => {
    const { problems } = variantGuard([tests])
    expect(await problems(notes, ['write the release notes for 9.9'])).toEqual([undefined])
    expect(await problems(notes, [])).toEqual([])
  })

  it('changes its key with the held-out tasks, not with the train tasks', () => {
    const { key } = variantGuard([notes, tests])
    expect(variantGuard([tests]).key).toBe(key)
    expect(variantGuard([notes, tests, commit]).key).not.toBe(key)
    expect(variantGuard([notes, { ...tests, intent: 'Test a module.' }]).key).not.toBe(key)
  })

  it('requests no vector twice and leaves validation to the caller', async () => {
    const seen: string[] = []
    const embedder: Embedder = {
      id: 'counting',
      embed: async texts => {
        seen.push(...texts)
        return texts.map(text => Float32Array.from([text.length, 1]))
      },
    }
    const { problems } = variantGuard([notes, tests], embedder)
    await problems(notes, ['release notes of 1.3'])
    await problems(notes, ['release notes of 1.3', 'the notes of release 1.4'])
    expect(new Set(seen).size).toBe(seen.length)
    const broken = variantGuard([notes, tests], { ...embedder, embed: async () => [] })
    await expect(broken.problems(notes, ['notes'])).rejects.toThrow('gave 0 vectors for')
  })
})
