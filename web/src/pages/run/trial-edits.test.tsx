import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { trialsLog } from '../../../../test/support/trials-run.js'
import { TrialEdits } from './trial-edits.js'

it('lists every edit on trial with its decision and its evidence', () => {
  const html = renderToStaticMarkup(<TrialEdits trialEdits={trialsLog().view().trialEdits} />)
  expect(html).toContain('1 accepted, 2 dropped, 2 taken back, 1 undecided')
  expect(html).toContain(
    'helps, +62 points on the tasks it concerns (95% interval +35 to +89), 9 trials on 5 tasks',
  )
  expect(html).toContain(
    'dropped: probably does not help, −3 points on the tasks it concerns (95% interval −40 to +34), 4 trials on 2 tasks',
  )
  expect(html.indexOf('Round to two decimals.')).toBeLessThan(html.indexOf('Write all digits.'))
})

it('says that there are none yet', () => {
  expect(renderToStaticMarkup(<TrialEdits trialEdits={[]} />)).toContain('No edits proposed yet.')
})
