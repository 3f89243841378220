import { expect, it } from 'vitest'
import { readCorpus, requestsOfCorpus, type Style } from '../bench/sleep-corpus.js'

/** The rules were not written from the style `held-out`. */
it.each<Style>(['terse', 'bilingual', 'held-out'])(
  'hears the corrections of the style %s',
  { timeout: 60_000 },
  async style => {
    const sessions = await readCorpus(style)
    const requests = await requestsOfCorpus(sessions)
    const heard = requests.flatMap(({ evidence }) =>
      evidence.filter(({ kind }) => kind !== 'praise').map(({ text }) => text.trim()),
    )
    const labels = new Map(
      sessions.flatMap(({ turns }) => turns.map(({ text, label }) => [text.trim(), label])),
    )
    const right = heard.filter(text => labels.get(text)?.kind === 'correction').length
    const corrections = [...labels.values()].filter(({ kind }) => kind === 'correction').length
    expect(corrections).toBeGreaterThan(10)
    expect(right / corrections).toBeGreaterThanOrEqual(0.9)
    expect(right / heard.length).toBeGreaterThanOrEqual(0.75)
  },
)

it('never keeps an answer that was rejected', { timeout: 60_000 }, async () => {
  const sessions = await readCorpus('terse')
  const rejected = new Set(
    sessions.flatMap(({ turns }) =>
      turns.flatMap(({ label }, index) =>
        label.kind === 'correction' ? (turns[index - 1]?.answer ?? []) : [],
      ),
    ),
  )
  const requests = await requestsOfCorpus(sessions)
  expect(requests.filter(({ answer = '' }) => rejected.has(answer))).toEqual([])
})
