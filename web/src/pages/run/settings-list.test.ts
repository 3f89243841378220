import { describe, expect, it } from 'vitest'
import { settingsOf } from '../../../../src/core/view/settings-list.js'
import { settingSections, shortValue, shownSettings } from './settings-list.js'

const settings = settingsOf({
  config: { name: 'desk', train: { epochs: 4, batchSize: 20 }, evaluation: { gate: 'strict' } },
  sources: { name: 'file skillopt.yaml:3', 'evaluation.gate': 'flag --set evaluation.gate' },
})
const pathsOf = (given: Partial<Parameters<typeof shownSettings>[1]>) =>
  shownSettings(settings, { words: '', onlyChosen: false, named: null, ...given }).map(({ path }) => path)

describe('settings that are shown', () => {
  it('are all of them, unless something is asked for', () => {
    expect(pathsOf({})).toEqual(['name', 'train.epochs', 'train.batchSize', 'evaluation.gate'])
  })

  it('have every word somewhere: in name, value or origin', () => {
    expect(pathsOf({ words: 'TRAIN 20' })).toEqual(['train.batchSize'])
    expect(pathsOf({ words: 'yaml' })).toEqual(['name'])
    expect(pathsOf({ words: 'train strict' })).toEqual([])
  })

  it('can be those that differ from the defaults', () => {
    expect(pathsOf({ onlyChosen: true })).toEqual(['name', 'evaluation.gate'])
  })

  it('have the one that the address names among them, whatever is asked for', () => {
    expect(pathsOf({ onlyChosen: true, words: 'strict', named: 'train.epochs' })).toEqual([
      'train.epochs',
      'evaluation.gate',
    ])
  })
})

describe('sections', () => {
  it('are by the first part of a name; what stands alone is the project’s', () => {
    expect(settingSections(settings).map(section => [section.name, section.settings.length])).toEqual([
      ['project', 1],
      ['train', 2],
      ['evaluation', 1],
    ])
  })
})

describe('a long value', () => {
  it('is cut, and says so', () => {
    expect(shortValue('abcdef', 3)).toBe('abc…')
    expect(shortValue('abc', 3)).toBe('abc')
  })
})
