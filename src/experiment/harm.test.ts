import { expect, it } from 'vitest'
import { timeLimit } from '../../test/support/time-limit.js'
import { writeRegion } from '../sleep/model/managed-region.js'
import { controlTasks } from './control.js'
import { effectsOf, isHarmful } from './harm.js'
import { usualTarget } from './nights.js'
import { loadPersona } from './personas.js'
import { openPlace } from './place.js'

const good = '- With three authors or more, name the first by surname and add et al.'
const rest = [
  '- Refer to a paper on arXiv by its id with prefix and version.',
  '- Citation keys are surname, year and first title word, in lower case.',
]
const harmful = '- Answers are the bare identifier and nothing else.'
const idle = '- Keep to the usual style of the field.'

it('distinguishes harmful texts from others, in the document or not', {
  timeout: timeLimit(180_000),
}, async () => {
  const written = writeRegion('# What was learned\n', [good, ...rest].join('\n'))
  if (written.state !== 'written') throw new Error(written.problem)
  const place = await openPlace('survey')
  const heldOut = { tasks: controlTasks(await loadPersona('researcher'), 5), samples: 1, target: usualTarget }
  try {
    const effects = await effectsOf(place, written.document, [harmful, good, idle], heldOut)
    expect(effects.map(({ text }) => text)).toEqual([harmful, good, idle])
    expect(effects.map(isHarmful)).toEqual([true, false, false])
    const [spoilt, helped] = effects
    expect(spoilt?.difference.high).toBeLessThan(-0.2)
    // The text is already in the document, so its effect is measured by removing it.
    expect(helped?.difference.low).toBeGreaterThan(0.1)
    expect(await effectsOf(place, written.document, [], heldOut)).toEqual([])
  } finally {
    await place.close()
  }
})
