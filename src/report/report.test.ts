import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { reportSource, tagsOf } from '../../test/support/report-source.js'
import { finish, LogBuilder, sampleLog, seedHash, seedText } from '../../test/support/sample-run.js'
import { renderHtml } from './html.js'
import { renderMarkdown } from './markdown.js'

const html = async (log: LogBuilder, given = {}) => renderHtml(await reportSource(log, given))
const markdown = async (log: LogBuilder, given = {}) => renderMarkdown(await reportSource(log, given))

describe('the HTML file', () => {
  it('asks for nothing outside of itself, and its policy would refuse it', async () => {
    const page = await html(finish(sampleLog()))
    expect(page).not.toMatch(/<(script|link|img|iframe|object|embed|form|base)\b/i)
    expect(page).not.toMatch(/\b(src|srcset|action|on\w+)=/i)
    expect(page).not.toMatch(/https?:|@import|url\(|javascript:/i)
    const hrefs = [...page.matchAll(/href="([^"]*)"/g)].map(match => match[1] ?? '')
    expect(hrefs.length).toBeGreaterThan(4)
    for (const href of hrefs) expect(page).toContain(`<section id="${href.slice(1)}"`)
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? []
    expect(policy?.replaceAll('&#39;', "'")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    )
    // The CSP would silently drop style attributes.
    expect(page).not.toContain(' style=')
  })

  it('is well formed, with one heading of the first level and ids that occur once', async () => {
    const page = await html(finish(sampleLog()))
    const tags = tagsOf(page)
    expect(tags.filter(tag => tag === 'h1')).toHaveLength(1)
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(match => match[1])
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('says in words what each plot shows', async () => {
    const page = await html(finish(sampleLog()))
    const plots = [...page.matchAll(/<svg class="plot [^>]*aria-labelledby="(\S+) (\S+)"/g)]
    expect(plots.length).toBeGreaterThanOrEqual(12)
    for (const [, title, description] of plots) {
      expect(page).toMatch(
        new RegExp(`<title id="${title}">[^<]+</title><desc id="${description}">[^<]{20,}</desc>`),
      )
    }
  })

  it('has every plot for a desk and for a phone', async () => {
    const page = await html(finish(sampleLog()))
    const count = (size: string) => page.split(`<svg class="plot ${size}"`).length - 1
    expect(count('wide')).toBe(count('narrow'))
    expect(page).toMatch(/viewBox="0 0 880 /)
    expect(page).toMatch(/viewBox="0 0 336 /)
  })
})

describe('what a run did', () => {
  it('is shown in figures, plots and tables', async () => {
    const page = await html(finish(sampleLog()))
    for (const part of [
      'Cannot tell: +50 points on the test split',
      'Seed skill: 25.0% (4.6% to 69.9%)',
      'Step 1, accepted: 75.0% (30.1% to 95.4%)',
      'Step 2, rejected: 0.0%',
      'step 2: rejected, 75.0% to 0.0%, −75.0 points',
      'Step 1: 3 proposed, 3 merged, 2 selected, 1 applied, 1 unmatched; budget 2 edits',
      'The gate rejected 1 that did worse on validation, the worst by −75.0 points (step 2).',
      'two answers had too many digits',
      'unmatched: the target was not found',
      'Small edits help.',
      'All models were simulated: no money was spent.',
    ]) {
      expect(page).toContain(part)
    }
    expect(page).toMatch(/<div class="added">.*Round to two decimals\..*<span class="origin">1\.0<\/span>/)
    expect(page).toMatch(/<code>train\.epochs<\/code>.*?<code>2<\/code>.*?flag/)
  })

  it('is the same in Markdown', async () => {
    const text = await markdown(finish(sampleLog()))
    for (const part of [
      '# sample-run\n\n**finished** · **simulated** · Training',
      '| best | 10 | 70.0% | 50.0% to 90.0% | +50.0 |',
      '| step 1 | accepted, new best | 25.0% | 75.0% | +50.0 | – | higher |',
      '+Round to two decimals.   <- 1.0',
      '| `1.0` | 1 | two answers had too many digits | 3 | t1, t2 |',
      '| unmatched edit | 2 |',
      '| `train.epochs` | `2` | flag |',
    ]) {
      expect(text).toContain(part)
    }
  })

  it('includes the reason of each stop', async () => {
    const stopped = sampleLog().add('run.stopped', {
      reason: 'paused',
      message: 'The key was refused.',
      hint: 'Set another.',
    })
    const page = await html(stopped)
    expect(page).toContain('The run is not finished (paused). The key was refused. Set another.')
    const failed = sampleLog().add('run.stopped', { reason: 'failed', message: 'A bug.' })
    expect(await html(failed)).toMatch(/<p class="notice bad">The run is not finished \(failed\)\. A bug\./)
    expect(await html(sampleLog())).toContain('The run is still in progress.')
    expect(await html(sampleLog(), { state: 'killed' })).toContain('was killed')
  })
})

describe('runs of all kinds and lengths', () => {
  it('one that has only begun', async () => {
    const log = new LogBuilder().start()
    const page = await html(log)
    tagsOf(page)
    expect(page).toContain('No skill has been evaluated yet.')
    expect(page).toContain('No steps yet.')
    expect(page).not.toMatch(/NaN|undefined|Infinity/)
    expect(await markdown(log)).not.toMatch(/NaN|undefined|Infinity/)
  })

  it('one of a single step that is under way', async () => {
    const log = sampleLog()
    const first = log.events.findIndex(event => event.type === 'rollout.finished')
    log.events.length = first + 1
    const page = await html(log)
    tagsOf(page)
    expect(page).toContain('in progress')
    expect(page).not.toMatch(/NaN|undefined|Infinity/)
  })

  it('one without tests', async () => {
    const page = await html(sampleLog().add('run.finished', { best: 1, last: 2, score: 0.75 }))
    expect(page).not.toContain('<section id="test"')
    expect(page).toContain(
      'Cannot tell: not tested on unseen tasks. Validation, which chose the skill, rose from',
    )
    expect(page).toContain('not tested on unseen tasks')
  })

  it('one whose best skill is the seed', async () => {
    const log = sampleLog()
    const seedBest = log.events.findIndex(event => event.type === 'best.changed')
    log.events.length = seedBest + 1
    expect(await html(log)).toContain('The best skill is the seed skill')
  })

  it('one with unknown cost and usage, which are not shown as zero', async () => {
    const log = new LogBuilder().start({ simulated: false })
    log.call('rollout', 1, 1, { usage: {}, cost: undefined })
    const page = await html(log)
    expect(page).toMatch(/<dt>Cost<\/dt><dd class="value">unknown<\/dd>/)
    expect(page).toMatch(/<dt>Tokens<\/dt><dd class="value">unknown<\/dd>/)
    expect(page).toContain('1 call without usage')
    expect(page).not.toContain('Tokens by stage</')
  })

  it('one that cost money: by stage and by model', async () => {
    const log = new LogBuilder().start({ simulated: false })
    log.call('rollout', 1, 1, { cost: 0.5 }).call('reflect', 1, 1, { cost: 1.25 })
    const text = await html(log)
    expect(text).toContain('rollout $0.50, reflect $1.25.')
    expect(text).toContain('target $0.50, optimizer $1.25.')
  })

  it('one of 200 steps, which fits its plot and a reasonable file size', async () => {
    const log = new LogBuilder().start({ epochs: 10, stepsPerEpoch: 20 })
    for (let step = 1; step <= 200; step += 1) {
      const at = { epoch: Math.ceil(step / 20), step }
      log.add('step.started', { ...at, budget: 4, tasks: ['t'], skill: seedHash })
      log.add('rollout.finished', { ...at, round: 0, hard: 0.5, soft: 0.5, scored: 4, failed: 0 })
      log.add('gate.decided', {
        ...at,
        what: 'step',
        candidate: seedHash,
        current: 0.5,
        score: 0.4,
        best: 0.5,
        action: 'reject',
        verdict: { decision: 'reject', complete: true, reason: 'lower' },
      })
      log.add('step.finished', { ...at, outcome: 'rejected', skill: seedHash })
    }
    const page = await html(log)
    tagsOf(page)
    expect(page.length).toBeLessThan(600_000)
    const [plot = ''] =
      /<svg class="plot narrow"[\s\S]*?<\/svg>/.exec(page.slice(page.indexOf('Scores by step'))) ?? []
    const xs = [...plot.matchAll(/ (?:x|x1|x2|cx)="([-\d.]+)"/g)].map(match => Number(match[1]))
    expect(xs.length).toBeGreaterThan(10)
    expect(Math.min(...xs)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...xs)).toBeLessThanOrEqual(336)
    const labels = [...plot.matchAll(/text-anchor="middle">(\d+)</g)].map(match => Number(match[1]))
    expect(labels.length).toBeGreaterThan(2)
    expect(labels.length).toBeLessThan(8)
  })

  it('an evaluation', async () => {
    const log = new LogBuilder().start({ kind: 'eval', epochs: 0, stepsPerEpoch: 0 })
    const whole = { scored: 9, failed: 1, score: 0.6, interval: { mean: 0.6, low: 0.3, high: 0.8 } }
    const types = ['sum', ''].map(type => ({ ...whole, type, scored: 4 }))
    const split = { ...whole, split: 'test', skill: 'SKILL.md', types } as const
    const page = await html(log, { state: 'finished', splits: [split] })
    expect(page).toContain('60.0% on 9 test tasks')
    expect(page).toContain('9 (1 failed)')
    expect(page).toContain('– (no type)')
    expect(page).not.toContain('not tested on unseen tasks')
    expect(await html(log)).toContain('No split has been fully scored yet.')
  })

  it('a mining of tasks', async () => {
    const log = new LogBuilder().start({ kind: 'mine', epochs: 0, stepsPerEpoch: 0 })
    expect(await markdown(log)).not.toContain('No skill has been evaluated')
    log.add('mining.finished', { written: 2, skipped: 1, failed: 0 })
    const text = await markdown(log)
    expect(text).toContain('Mined from agent sessions: 2 tasks written, 1 left out.')
    expect(text).not.toContain('test tasks')
  })

  it('a comparison of baselines, with or without its one-shot skill', async () => {
    const log = new LogBuilder().start({ kind: 'baseline', epochs: 0, stepsPerEpoch: 0 })
    log.add('one-shot.finished', {
      skill: seedHash,
      text: log.put('# Be brief\n'),
      summary: 'Eight attempts.',
    })
    const difference = { mean: 0.125, low: 0.041, high: 0.209 }
    const pair = {
      which: 'trained',
      against: 'one-shot',
      tasks: 40,
      better: 7,
      worse: 2,
      difference,
    } as const
    log.add('comparison.finished', { trained: 'my-001@v3', pairs: [pair] })
    const page = await html(log)
    expect(page).toContain('Better than the one-shot skill: +13 points')
    expect(page).toContain('# Be brief')
    const without = new LogBuilder().start({ kind: 'baseline' })
    without.add('one-shot.finished', { summary: 'it holds no JSON object' })
    expect(await html(without)).toContain('was unusable: it holds no JSON object')
  })
})

it('tells decisions apart by shape, not by colour alone', async () => {
  const log = new LogBuilder().start()
  const decisions = [
    ['accept', 'accept_new_best'],
    ['reject', 'reject'],
    ['underpowered', 'reject'],
    ['abstain', 'abstain'],
  ] as const
  decisions.forEach(([decision, action], index) => {
    const at = { epoch: 1, step: index + 1 }
    log.add('step.started', { ...at, budget: 4, tasks: ['t'], skill: seedHash })
    log.add('update.finished', { ...at, skill: seedHash, text: log.put(seedText), reports: [] })
    log.add('gate.decided', {
      ...at,
      what: 'step',
      candidate: seedHash,
      current: 0.5,
      score: 0.6,
      best: 0.5,
      action,
      verdict: {
        decision,
        complete: decision !== 'reject',
        reason: 'r',
        effect: { mean: 0.1, low: -0.1, high: 0.3 },
      },
    })
  })
  const page = await html(log)
  const shape = (name: string) =>
    new RegExp(`<svg[^>]*aria-hidden="true">(<[^>]*>)[^<]*</[a-z]+></svg>${name}</li>`).exec(page)?.[1]
  const shapes = ['accepted', 'rejected', 'underpowered', 'abstained'].map(shape)
  expect(new Set(shapes.map(each => each?.replace(/class="[^"]*"/, ''))).size).toBe(4)
  expect(page).toContain('4 candidates: 1 accepted, 1 rejected, 1 underpowered, 1 abstained.')
  expect(page).toContain('about 60.0% (40.0% to 80.0%)')
  expect(page).not.toContain('≤ 60.0%')
  expect(page).toContain('−10.0 to +30.0')
})
