import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { RunSummary } from '../../src/dashboard/contract/runs.js'
import type { SleepProjects } from '../../src/dashboard/contract/sleep.js'
import { writeRun } from '../support/dashboard.js'
import {
  hostileEvaluation,
  hostileFork,
  hostileLine,
  hostileMining,
  hostileTraining,
} from '../support/hostile.js'
import { makeHostileNight } from '../support/hostile-night.js'
import type { NightWorld } from '../support/night.js'
import { describeInBrowser, look, type Served, serve } from './dashboard-support.js'
import { expectInert, watchTexts } from './dashboard-watch.js'
import { temporaryFolder, textOf, writeProject } from './support.js'

/** Untrusted text has no effect in a browser. */

type Window = Awaited<ReturnType<typeof look>>

describeInBrowser('a run whose every text is hostile', () => {
  const training = hostileTraining()
  let served: Served
  let page: Window
  let runs: Record<string, string>
  beforeAll(async () => {
    const cwd = await temporaryFolder()
    const env = { HOME: join(cwd, 'home'), SKILLOPT_HOME: join(cwd, 'home', '.skillopt') }
    // Folder names are untrusted too; they may contain anything but a slash.
    const folder = join(cwd, 'runs', `<img src=x onerror="ran.push('folder')">\u202E`)
    await mkdir(folder, { recursive: true })
    await writeRun(join(folder, 'train'), training.log)
    await writeRun(join(folder, 'eval'), hostileEvaluation())
    await writeRun(join(folder, 'mine'), hostileMining())
    const desk = await writeProject(join(cwd, `desk <img src=x onerror="ran.push('desk')">\u202E`))
    await writeRun(join(folder, 'fork'), hostileFork(parse(await textOf(desk, 'skillopt.yaml'))))
    served = await serve(cwd, env)
    page = await look(served.url)
    await watchTexts(page)
    const listed = await page.evaluate<RunSummary[]>(`fetch('/api/runs').then(answer => answer.json())`)
    runs = Object.fromEntries(listed.map(({ id }) => [id.replace(/-\w+$/, '').toUpperCase(), id]))
  })
  afterAll(() => served?.end())

  const { attempt, failed, task, skills } = training
  const query = (given: Record<string, string>) => new URLSearchParams(given)
  const pages: Readonly<Record<string, readonly [path: string, marks: readonly string[]]>> = {
    'the list': ['/', ['run', 'environment']],
    'runs side by side': ['/compare?run=:TRAIN&run=:EVAL', ['run']],
    'the overview': ['/runs/:TRAIN', ['run', 'stop', 'hint']],
    'all steps': ['/runs/:TRAIN/gate', ['run']],
    'a step': ['/runs/:TRAIN/gate?step=1', ['learned', 'why', 'reasoning', 'pattern', 'unmatched']],
    'the end of an epoch': ['/runs/:TRAIN/gate?epoch=1', ['guidance', 'slow reasoning', 'meta skill']],
    'a decision': ['/runs/:TRAIN/gate/1', ['task one', 'type', 'verdict']],
    'a skill': ['/runs/:TRAIN/skill?to=v1', ['seed name', 'seed title', 'learned', 'because best']],
    'a skill as Markdown': ['/runs/:TRAIN/skill?to=v1&as=rendered', ['seed name', 'seed title', 'learned']],
    'two skills': ['/runs/:TRAIN/skill?from=v0&to=v1&as=changes', ['seed name', 'learned']],
    'the attempts': ['/runs/:TRAIN/trajectories', ['task one', 'type', 'kind']],
    'some attempts': [`/runs/:TRAIN/trajectories?${query({ search: '<script>', task })}`, ['task two']],
    'an attempt': [
      `/runs/:TRAIN/trajectories/${attempt}`,
      ['task two', 'system', 'question', 'tool', 'arguments', 'tool answer', 'last word', 'feedback', 'vote'],
    ],
    'an attempt as Markdown': [
      `/runs/:TRAIN/trajectories/${attempt}?text=rendered`,
      ['question', 'last word', 'vote'],
    ],
    'an attempt that failed': [`/runs/:TRAIN/trajectories/${failed}`, ['failure', 'kind']],
    'two attempts': [
      `/runs/:TRAIN/trajectories/compare?${query({ task, from: skills.current, to: skills.candidate })}`,
      ['task two', 'feedback', 'answer'],
    ],
    'two attempts as Markdown': [
      `/runs/:TRAIN/trajectories/compare?${query({ task, from: skills.current, to: skills.candidate, text: 'rendered' })}`,
      ['task two', 'feedback', 'answer'],
    ],
    'what it took': ['/runs/:TRAIN/spending', ['target model', 'kind', 'optimizer failure']],
    settings: ['/runs/:TRAIN/settings', ['config name', 'environment', 'key', 'source']],
    'a fork of it': ['/launch?fork=:FORK&version=1', ['forked run']],
    'an evaluation': ['/runs/:EVAL', ['skill left', 'skill right', 'task one']],
    'its skills': [
      `/runs/:EVAL/skill?${query({ to: hostileLine('hash left') })}`,
      ['skill left', 'left title'],
    ],
    'its skills side by side': [
      `/runs/:EVAL/skill?${query({ from: hostileLine('hash left'), to: hostileLine('hash right'), as: 'changes' })}`,
      ['skill left', 'left title', 'right title'],
    ],
    'a mining': [
      '/runs/:MINE',
      ['cluster', 'intent', 'rubric', 'check', 'dropped check', 'skipped', 'mining problem'],
    ],
    'an address with no run': [`/runs/${encodeURIComponent(hostileLine('address'))}`, ['address']],
    'an address with no version': [
      `/runs/:TRAIN/skill?${query({ to: hostileLine('address') })}`,
      ['address'],
    ],
    'an address with no task': [
      `/runs/:TRAIN/trajectories/compare?${query({ task: hostileLine('address'), from: 'v0', to: 'v1' })}`,
      ['address'],
    ],
  }

  it.each(Object.entries(pages))('is text on the page of %s', async (what, [path, marks]) => {
    const filled = path.replace(/:([A-Z]+)/g, (_, name: string) => runs[name] ?? '')
    await page.goto(new URL(filled, served.url).href)
    await expectInert(page, what, marks)
  })

  it.each([
    ['a link', "['a', { href: 'http://evil.example/' }]"],
    ['a script as an address', "['a', { href: 'javascript:ran.push(1)' }]"],
    ['a way into the API', "['a', { href: '/api/session' }]"],
    ['a style', "['style', {}]"],
    ['a picture', "['img', { src: '/icon.svg' }]"],
    ['what nobody sees', "['p', { title: '\\u202e' }]"],
    ['what sticks out', "['p', {}, 'x'.repeat(9000)]"],
  ])('would be noticed as %s', async (_what, element) => {
    await page.goto(new URL('/', served.url).href)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.evaluate(`(([name, given, text = '']) => {
      const element = document.createElement(name)
      for (const [key, value] of Object.entries(given)) element.setAttribute(key, value)
      element.style.whiteSpace = 'nowrap'
      element.textContent = text
      document.body.append(element)
    })(${element})`)
    await expect(expectInert(page, 'the list', [])).rejects.toThrow('expected {')
    page.misdeeds.splice(0)
  })
})

describeInBrowser('a night whose every text is hostile', () => {
  let world: NightWorld
  let served: Served
  let page: Window
  let base = ''
  beforeAll(async () => {
    world = await makeHostileNight()
    served = await serve(world.project, world.env)
    page = await look(served.url)
    await watchTexts(page)
    const { projects } = await page.evaluate<SleepProjects>(
      `fetch('/api/sleep').then(answer => answer.json())`,
    )
    base = `/sleep/${projects[0]?.id}`
  })
  afterAll(async () => {
    await served?.end()
    await world?.end()
  })

  it.each([
    ['its tasks', '/tasks', ['intent']],
    [
      'a task',
      '/tasks/hostile',
      ['intent', 'rubric', 'check', 'asked', 'answered', 'corrected', 'used tool'],
    ],
    ['its log', '/log', ['night log']],
  ])('is text on the page of %s', async (what, path, marks) => {
    await page.goto(new URL(`${base}${path}`, served.url).href)
    await expectInert(page, what, marks)
  })

  it('is text in its proposal, which cannot be adopted for its hidden text', async () => {
    await page.goto(new URL(`${base}/nights/1`, served.url).href)
    const marks = ['trained', 'night verdict', 'remembered', 'rejected', 'why e1', 'learned from']
    await expectInert(page, 'a proposal', marks)
    await page.getByText('cannot be adopted').first().waitFor()
    expect(await page.getByRole('button', { name: 'Adopt…' }).isDisabled()).toBe(true)
    await expectInert(page, 'the refusal of an adoption', ['remembered'])
  })
})
