import { expect, it } from 'vitest'
import { nameAll } from './names.js'

it('gives the first id of a kind the highest number, and tells a basin from its sink', () => {
  const ids = ['mug_bar_b', 'sink_bar_1_bar_sinkbasin', 'mug_bar_c', 'sink_bar_1', 'mug_bar_a', 'mug_bar_a']
  expect(Object.fromEntries(nameAll(ids))).toEqual({
    mug_bar_a: 'mug 3',
    mug_bar_b: 'mug 2',
    mug_bar_c: 'mug 1',
    sink_bar_1: 'sink 1',
    sink_bar_1_bar_sinkbasin: 'sinkbasin 1',
  })
})
