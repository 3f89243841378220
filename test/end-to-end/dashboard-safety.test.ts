import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunSummary } from '../../src/core/dashboard/runs.js'
import { writeRun } from '../support/dashboard.js'
import { hostileEvaluation, hostileLine, hostileMining, hostileTraining } from '../support/hostile.js'
import { describeInBrowser, look, type Served, serve } from './dashboard-support.js'
import { expectInert, watchTexts } from './dashboard-watch.js'
import { temporaryFolder } from './support.js'

/** What others wrote, or try, stays without effect in a browser. */

type Window = Awaited<ReturnType<typeof look>>

describeInBrowser('a run whose every text is hostile', () => {
  const training = hostileTraining()
  let served: Served
  let page: Window
  let runs: Record<string, string>
  beforeAll(async () => {
    const cwd = await temporaryFolder()
    const env = { HOME: join(cwd, 'home'), SKILLOPT_HOME: join(cwd, 'home', '.skillopt') }
    // The name of a folder is anybody's words, too; only a slash cannot be in it.
    const folder = join(cwd, 'runs', `<img src=x onerror="ran.push('folder')">\u202E`)
    await mkdir(folder, { recursive: true })
    await writeRun(join(folder, 'train'), training.log)
    await writeRun(join(folder, 'eval'), hostileEvaluation())
    await writeRun(join(folder, 'mine'), hostileMining())
    served = await serve(cwd, env)
    page = await look(served.url)
    await watchTexts(page)
    const listed = await page.evaluate<RunSummary[]>(`fetch('/api/runs').then(answer => answer.json())`)
    runs = Object.fromEntries(listed.map(({ kind, id }) => [kind, `/runs/${id}`]))
  })
  afterAll(() => served?.end())

  const { attempt, failed, task, skills } = training
  const query = (given: Record<string, string>) => new URLSearchParams(given)
  const pages: Readonly<Record<string, readonly [path: string, marks: readonly string[]]>> = {
    'the list': ['/', ['run', 'environment']],
    'runs side by side': ['/compare?run=TRAIN&run=EVAL', ['run', 'config name']],
    'the overview': ['TRAIN', ['run', 'stop', 'hint']],
    'all steps': ['TRAIN/gate', ['run']],
    'a step': ['TRAIN/gate?step=1', ['learned', 'why', 'reasoning', 'pattern', 'unmatched', 'screen']],
    'the end of an epoch': ['TRAIN/gate?epoch=1', ['guidance', 'slow reasoning', 'meta skill']],
    'a decision': ['TRAIN/gate/1', ['task one', 'type', 'verdict']],
    'a skill': ['TRAIN/skill?to=v1', ['seed name', 'seed title', 'learned', 'because best']],
    'a skill as Markdown': ['TRAIN/skill?to=v1&as=rendered', ['seed name', 'seed title', 'learned']],
    'two skills': ['TRAIN/skill?from=v0&to=v1&as=changes', ['seed name', 'learned']],
    'the attempts': ['TRAIN/trajectories', ['task one', 'type', 'kind']],
    'some attempts': [`TRAIN/trajectories?${query({ search: '<script>', task })}`, ['task two']],
    'an attempt': [
      `TRAIN/trajectories/${attempt}`,
      ['task two', 'system', 'question', 'tool', 'arguments', 'tool answer', 'last word', 'feedback', 'vote'],
    ],
    'an attempt as Markdown': [
      `TRAIN/trajectories/${attempt}?text=rendered`,
      ['question', 'last word', 'vote'],
    ],
    'an attempt that failed': [`TRAIN/trajectories/${failed}`, ['failure', 'kind']],
    'two attempts': [
      `TRAIN/trajectories/compare?${query({ task, from: skills.current, to: skills.candidate })}`,
      ['task two', 'feedback', 'answer'],
    ],
    'two attempts as Markdown': [
      `TRAIN/trajectories/compare?${query({ task, from: skills.current, to: skills.candidate, text: 'rendered' })}`,
      ['task two', 'feedback', 'answer'],
    ],
    'what it took': ['TRAIN/spending', ['target model', 'failure']],
    settings: ['TRAIN/settings', ['config name', 'environment', 'key', 'source']],
    'a fork of it': ['/launch?fork=ID&version=1', ['run']],
    'an evaluation': ['EVAL', ['skill left', 'skill right', 'task one']],
    'its skills': ['EVAL/skill', ['skill left', 'left title']],
    'a mining': [
      'MINE',
      ['cluster', 'intent', 'rubric', 'check', 'dropped check', 'skipped', 'mining problem'],
    ],
    'an address with no run': [`/runs/${encodeURIComponent(hostileLine('address'))}`, ['address']],
    'an address with no version': [`TRAIN/skill?${query({ to: hostileLine('address') })}`, ['address']],
    'an address with no task': [
      `TRAIN/trajectories/compare?${query({ task: hostileLine('address'), from: 'v0', to: 'v1' })}`,
      ['address'],
    ],
  }

  it.each(Object.entries(pages))('is text on the page of %s', async (what, [path, marks]) => {
    const { train = '', eval: evaluation = '', mine = '' } = runs
    const filled = path
      .replace('run=TRAIN&run=EVAL', `run=${train.slice(6)}&run=${evaluation.slice(6)}`)
      .replace('TRAIN', train)
      .replace('EVAL', evaluation)
      .replace('MINE', mine)
      .replace('ID', train.slice(6))
    await page.goto(new URL(filled, served.url).href)
    await expectInert(page, what, marks)
  })
})
