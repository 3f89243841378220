import { expect, it } from 'vitest'
import { fakeIo } from '../../../test/support/fake-io.js'
import type { Forecast } from '../../trainer/forecast/forecast.js'
import type { Library } from '../library.js'
import { renderForecast } from '../output/forecast-text.js'
import { confirmTraining } from './confirm.js'

const range = { low: 1, likely: 1, high: 2 }
const forecast: Forecast = {
  rows: [],
  total: { calls: range, tokens: range, cost: range },
  onTop: ['images', 'documents'],
  measured: [],
  assumptions: [],
  guessesLengths: true,
}

it('says what the figures exclude, in interactive and non-interactive terminals', async () => {
  const io = fakeIo<Library>()
  const shown = renderForecast(forecast, io.colors)
  expect(shown).toContain('Not included: images, whose tokens are unknown.')
  expect(shown).toContain('Not included: documents')
  await expect(confirmTraining(io, {})(forecast)).rejects.toMatchObject({
    hint: expect.stringContaining('plus images and documents, whose tokens are unknown'),
  })
  expect(renderForecast({ ...forecast, onTop: [] }, io.colors)).not.toContain('Not in these figures')
})
