import { expect, it } from 'vitest'
import { reportSource } from '../../test/support/report-source.js'
import { testTrials, trialsLog } from '../../test/support/trials-run.js'
import { renderHtml } from './html.js'
import { renderMarkdown } from './markdown.js'

it('reports a training by trials with the evidence for each edit, answer first', async () => {
  const source = await reportSource(testTrials(trialsLog()))
  const text = renderMarkdown(source)
  expect(text.match(/unseen test tasks|never saw/g)).toHaveLength(1)
  const verdict = /Better: \+80 points on 10 unseen test tasks \(95% interval .*\), 8 fixed, 0 broken\./
  expect(text.search(verdict)).toBeGreaterThan(-1)
  expect(text.search(verdict)).toBeLessThan(text.indexOf('## Edits'))
  expect(text).toContain('6 edits tried: 1 accepted, 2 dropped, 2 taken back, 1 undecided.')
  expect(text).toMatch(
    /add “Round to two decimals\.” \| digits \| \+62 points \| \+35 to \+89 \| 9 \| 5 \| .*accepted, round 2/,
  )
  expect(text).toMatch(/add “Write all digits\.” .*dropped, round 2.*Probably does not help\./)
  expect(text).toMatch(/final test \| /)
  expect(renderHtml(source)).toContain('helps, +62 points on the tasks it concerns (95% interval +35 to +89)')
})

it('says that the seed ships where nothing was accepted', async () => {
  const text = renderMarkdown(
    await reportSource(trialsLog('none').add('run.finished', { best: 0, last: 0, score: 0 })),
  )
  expect(text).toContain('No change: no edit was accepted; the seed skill ships.')
})
