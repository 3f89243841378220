import picocolors from 'picocolors'
import { describe, expect, it } from 'vitest'
import { bestText, seedText } from '../../../test/support/sample-run.js'
import { testTrials, trialsLog } from '../../../test/support/trials-run.js'
import { testedPairs } from '../../app/evaluation-details.js'
import { plainLines } from './plain.js'
import { renderFrame } from './progress.js'
import { endReport } from './run-report.js'
import { trialEditsBlock } from './trial-edits.js'

const colors = picocolors.createColors(false)

describe('edits of a training by trials', () => {
  const log = testTrials(trialsLog())
  const view = log.view()

  it('are shown with their evidence, accepted ones first', () => {
    expect(trialEditsBlock(view, colors, seedText).split('\n').slice(0, 7)).toEqual([
      'edits  1 accepted, 2 dropped, 2 taken back, 1 undecided',
      '  + s1.f0.0 add “Round to two decimals.”',
      '      helps, +62 points on the tasks it concerns (95% interval +35 to +89), 9 trials on 5 tasks',
      '      cause: digits',
      '  − s1.f0.2 add “Be brief.”',
      '      pruned: cannot tell whether it helps, +8 points on the tasks it concerns (95% interval −12 to +28), 9 trials on 5 tasks',
      '      cause: length',
    ])
  })

  it('are said line by line while the run goes on', () => {
    const lines = log.events.flatMap((event, index) => plainLines(log.view(index + 1), event, colors))
    for (const line of [
      'round 2/2 (epoch 2/2): 4 attempts with 2 variants of the skill',
      '  6 edits on trial from round 2 on',
      '    accepted: helps, +62 points on the tasks it concerns (95% interval +35 to +89), 9 trials on 5 tasks',
      '    dropped: probably does not help, −3 points on the tasks it concerns (95% interval −40 to +34), 4 trials on 2 tasks',
      'final test against the seed: accept new best, validation 93.0% (was 20.0%): Better than chance explains: 12 better and 1 worse of 15 tasks.',
    ])
      expect(lines).toContain(line)
  })

  it('are the latest decisions of the live view', () => {
    const frame = renderFrame(view, { width: 100, now: view.lastAt, colors })
    expect(frame).toMatch(/\+ add “Round to two decimals.” +accepted \+62 points · round 2/)
  })

  it('end with one sentence on unseen tasks', async () => {
    const tested = await testedPairs(view, ref => log.reader().get(ref))
    const tokens = { seed: 9, best: 14 }
    const text = endReport(view, { colors, directory: 'd', seed: seedText, best: bestText, tokens, tested })
    expect(text).toContain('finished · 2 rounds; edits: 1 accepted, 2 dropped, 2 taken back, 1 undecided')
    expect(text).toContain('Better: +80 points on 10 unseen test tasks (95% interval')
    expect(text.match(/unseen|held-out/g)).toHaveLength(1)
  })
})
