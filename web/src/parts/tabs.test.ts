import { describe, expect, it } from 'vitest'
import { placeOf } from './tabs.js'

const items = ['~/runs/a', '~/runs/a/gate', '~/runs/a/skill?to=v1'].map(href => ({ href, name: href }))

describe('the tab that a page belongs to', () => {
  it.each([
    ['/runs/a', '~/runs/a'],
    ['/runs/a/gate', '~/runs/a/gate'],
    ['/runs/a/gate/3', '~/runs/a/gate'],
    ['/runs/a/skill', '~/runs/a/skill?to=v1'],
    ['/runs/a/gates', '~/runs/a'],
  ])('of %s is %s', (path, href) => {
    expect(placeOf(items, path)?.href).toBe(href)
  })

  it('is none for a page elsewhere', () => {
    expect(placeOf(items, '/runs/ab')).toBeUndefined()
  })
})
