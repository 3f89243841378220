import { describe, expect, it } from 'vitest'
import type { SkillVersion } from '../../../../src/dashboard/contract/skill.js'
import { comparedWith, findVersion } from './versions.js'

function version(id: string, more: Partial<SkillVersion> = {}): SkillVersion {
  const about = { id, name: id, kind: 'version', skill: `hash of ${id}` } as const
  return { ...about, because: '', isBest: false, hasText: true, ...more }
}

const list = [
  version('v0'),
  version('c1', { kind: 'candidate' }),
  version('v1', { sameAs: 'v0' }),
  version('v2', { isBest: true }),
  version('c3', { kind: 'candidate' }),
]

describe('a version by what people call it', () => {
  it.each([
    ['v2', 'v2'],
    ['seed', 'v0'],
    ['best', 'v2'],
    ['last', 'v2'],
    ['c3', 'c3'],
    ['hash of c1', 'c1'],
  ])('%s', (name, id) => {
    expect(findVersion({ versions: list, best: 'v2' }, name)?.id).toBe(id)
  })

  it('is undefined if there is none', () => {
    expect(findVersion({ versions: list, best: 'v2' }, 'v9')).toBeUndefined()
    expect(findVersion({ versions: [] }, 'seed')).toBeUndefined()
  })
})

describe('what a version is compared with', () => {
  const against = (id: string, versions = list) => {
    const to = versions.find(each => each.id === id)
    return to && comparedWith(versions, to)
  }

  it('is the seed, for the seed what came next, and for a candidate what it was made of', () => {
    expect([against('v2'), against('v0'), against('c3'), against('c1')]).toEqual(['v0', 'c1', 'v2', 'v0'])
  })

  it('is one that has a text', () => {
    expect(against('b', [version('a', { hasText: false }), version('b'), version('c')])).toBe('c')
  })

  it('is itself where it is alone', () => {
    expect(against('a', [version('a')])).toBe('a')
  })
})
