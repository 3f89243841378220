import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import picocolors from 'picocolors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { main } from '../src/cli/main.js'
import type { Task } from '../src/core/task/task.js'
import {
  type ChatReply,
  type ChatRequest,
  projectEnvironment,
  said,
  startLoopbackServer,
} from '../src/testing/index.js'
import { passingReplies } from './support/ifeval-replies.js'
import { sandboxWorks } from './support/real-sandbox.js'
import { expectShown, linesBetween } from './support/shown-output.js'
import { type StepLine, stepsTable } from './support/steps-table.js'

/**
 * Runs every example: those with simulated models unchanged, those with paid models against a scripted
 * server. The benchmark examples run in end-to-end/benchmarks.test.ts.
 */

const examples = fileURLToPath(new URL('../examples', import.meta.url))
const canRunPrograms = await sandboxWorks('The example agent-files')
let cwd = ''
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-examples-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true, maxRetries: 5 }))

describe('examples with simulated models', () => {
  it('quickstart gains at least 40 points on held-out tasks', async () => {
    const { code, stdout } = await skillopt(['quickstart'])
    expect(code).toBe(0)
    expect(stdout).toContain('simulated: no money was spent')
    const { initial, best } = await tested('quickstart-001')
    expect(best - initial).toBeGreaterThanOrEqual(0.4)
    const tests = linesBetween(stdout, /^test split/, /^by task type/)
    expectShown('docs/guide.md', 'quickstart', tests.join('\n').trimEnd())
    // The simulated optimizer also proposes harmful edits, as real ones do, and the trials have to detect
    // them.
    const edits = JSON.parse(await file('quickstart-001', 'edits.json')) as {
      status?: string
      reason?: string
    }[]
    expect(edits.length).toBeGreaterThan(10)
    expect(JSON.stringify(edits)).toMatch(/harmful|does not help|whether it helps/)
  })

  it('quickstart by the steps of the paper keeps harm out of the skill', async () => {
    const bySteps = ['train.loop=steps', 'train.epochs=4', 'train.batchSize=20', 'evaluation.gate=strict']
    const flags = [...bySteps, 'evaluation.earlyStop=false', 'train.seed=1'].flatMap(setting => [
      '--set',
      setting,
    ])
    await skillopt(['train', join(examples, 'quickstart'), '--yes', ...flags])
    const steps = JSON.parse(await file('quickstart-001', 'history.json')) as StepLine[]
    const harmful = steps.filter(({ gate }) => gate !== undefined && gate.score < gate.current - 0.05)
    expect(harmful.length).toBeGreaterThan(0)
    expect(new Set(harmful.map(({ outcome }) => outcome))).toEqual(new Set(['rejected']))

    // The claims of docs/concepts.md about the steps.
    const current = steps.flatMap(({ gate }) => (gate === undefined ? [] : [gate.current]))
    expect(current).toEqual(current.toSorted((a, b) => a - b))
    const ties = steps.filter(({ gate }) => gate !== undefined && gate.score === gate.current)
    expect(ties.filter(({ outcome }) => outcome !== 'rejected')).toEqual([])
    expect([steps[0]?.budget, steps.at(-1)?.budget]).toEqual([4, 2])
    expectShown('docs/concepts.md', 'steps', stepsTable(steps))

    const show = await skillopt(['show', 'quickstart-001', '--lines'])
    const step = linesBetween(show.stdout, /^step 2 /, /^$/)
    expectShown('docs/reading-a-run.md', 'show', [...step.slice(0, 9), '…'].join('\n'))
    const lines = linesBetween(show.stdout, /^lines of/, /^model /)
    const legend = lines.indexOf('') + 1
    const some = [lines[0], ...lines.slice(12, 20), '…', lines[legend], '…']
    expectShown('docs/reading-a-run.md', 'lines', some.join('\n'))
    const compared = await skillopt(['eval', join(examples, 'quickstart'), '--baselines', '--quiet'])
    const verdict = linesBetween(compared.stdout, /^test split/, /^Trained skill/)
    expectShown('docs/evaluating.md', 'baseline', verdict.join('\n').trimEnd())
  })

  it('own-environment trains with its one TypeScript file', async () => {
    const { code } = await skillopt(['train', join(examples, 'own-environment')])
    expect(code).toBe(0)
    const { initial, best } = await tested('own-environment-001')
    expect(best - initial).toBeGreaterThanOrEqual(0.3)
    expect(await file('own-environment-001', 'best_skill.md')).toContain('4000')
  })

  it('library/train.ts trains and evaluates from a program', async () => {
    const root = fileURLToPath(new URL('..', import.meta.url))
    if (!existsSync(join(root, 'dist', 'app', 'index.js')))
      throw new Error('This example imports the built package, and dist/ is not there: npm run build')
    const script = join(examples, 'library', 'train.ts')
    const loader = join(root, 'node_modules', 'jiti', 'lib', 'jiti-register.mjs')
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', loader, script], { cwd })
    const shares = [...stdout.matchAll(/^(SKILL|best_skill)\.md: ([\d.]+)% on 30 test tasks/gm)]
    expect(shares.map(match => match[1])).toEqual(['SKILL', 'best_skill'])
    expect(Number(shares[1]?.[2])).toBeGreaterThan(Number(shares[0]?.[2]) + 20)
    expect(stdout).toMatch(/: accept/)
  })
})

/**
 * The scripted optimizer proposes this line after failures; the scripted target succeeds once its skill has
 * it.
 */
const lesson = '- Work in small steps and check each of them.'

describe('examples with paid models, against a scripted server', () => {
  it('gsm8k: answers are read as numbers, and the lesson is found', async () => {
    const tasks = await allTasks<{ question: string; answer: string }>('gsm8k')
    expect(tasks).toHaveLength(20)
    const answers = new Map(tasks.map(({ question, answer }) => [question, answer]))
    const counted = await trainScripted('gsm8k', (question, knows) => {
      const answer = answers.get(question)
      if (answer === undefined) throw new Error(`not a question of the example: ${question}`)
      return `The result follows.\n<answer>${knows ? `$${answer}.00` : '0.5'}</answer>`
    })
    expect(counted).toEqual({ initial: 0, best: 1 })
  })

  it('ifeval: every check can pass, and none passes by accident', async () => {
    const tasks = await allTasks<{ id: string; prompt: string }>('ifeval')
    expect(tasks.map(({ id }) => id).sort()).toEqual(Object.keys(passingReplies).sort())
    const replies = new Map(tasks.map(({ id, prompt }) => [prompt, passingReplies[id] ?? '']))
    const careless = 'Hello, World. '.repeat(150)
    const target = (prompt: string, knows: boolean) => (knows ? (replies.get(prompt) ?? '') : careless)
    expect(await trainScripted('ifeval', target)).toEqual({ initial: 0, best: 1 })
  })
})

describe.runIf(canRunPrograms)('agent-files, whose agent does not run here', () => {
  const project = join(examples, 'agent-files')

  /** Score of an agent that makes this change to the changelog and nothing else. */
  async function scored(task: ChangeTask, change: (changelog: string) => string) {
    const { create, context } = await projectEnvironment<ChangeTask>(project)
    const environment = await create()
    const session = await environment.open(task, context)
    try {
      const { workspace = '' } = session
      const changelog = join(workspace, 'CHANGELOG.md')
      await writeFile(changelog, change(await readFile(changelog, 'utf8')))
      return await environment.score(task, said('I have noted it.'), { ...context, workspace })
    } finally {
      await session.close()
    }
  }

  const environmentTasks = async () => {
    const environment = await (await projectEnvironment<ChangeTask>(project)).create()
    const splits = await Promise.all(
      (['train', 'val', 'test'] as const).map(split => environment.tasks(split)),
    )
    return splits.flat()
  }

  it('has tasks that can all be solved, and none that is solved already', async () => {
    const tasks = await environmentTasks()
    expect(tasks).toHaveLength(18)
    for (const task of tasks) {
      const solved = await scored(task, text => withEntry(text, task.fields, goodEntry(task.fields)))
      expect([task.id, solved.hard, solved.soft, solved.feedback]).toEqual([
        task.id,
        1,
        1,
        expect.stringContaining('passed'),
      ])
    }
    const [task] = tasks
    if (task !== undefined) expect(await scored(task, text => text)).toMatchObject({ hard: 0, soft: 0 })
  })

  it('tells the optimizer what is wrong with an entry, and gives credit for the rest', async () => {
    const [task] = await environmentTasks()
    if (task === undefined) throw new Error('no task')
    expect(task.fields).toMatchObject({ section: 'Added', area: 'cli', number: 320, breaking: false })
    const { hard, soft, feedback } = await scored(task, text =>
      withEntry(text, task.fields, '- cli: added --words. (#320)'),
    )
    expect([hard, soft > 0.5 && soft < 1]).toEqual([0, true])
    expect(feedback).toContain('The sentence begins with a capital letter.')
    expect(feedback).toContain('There is no full stop')
    const careless = await scored(
      task,
      text => `${withEntry(text, task.fields, goodEntry(task.fields))}## 9.9.9\n`,
    )
    expect(careless.feedback).toContain('Other lines were changed')
  })

  it('is refused for a model that is asked by chat, before anything is spent', async () => {
    const env = {
      SKILLOPT_MODELS_TARGET: 'simulated/target',
      SKILLOPT_MODELS_OPTIMIZER: 'simulated/optimizer',
    }
    const { code, stderr } = await skillopt(['train', project, '--yes'], env)
    expect([code, stderr]).toEqual([2, expect.stringContaining('needs workspace')])
  })
})

describe('sleep, on transcripts that were made up', () => {
  const settings = join(examples, 'sleep', 'sleep.yaml')
  const harvest = (...more: string[]) =>
    skillopt(['sleep', 'harvest', '--config', settings, '--project', join(examples, 'sleep'), ...more], {
      HOME: cwd,
      SKILLOPT_HOME: cwd,
    })

  it('finds what recurs, hides the key, and makes tasks of it without a model', async () => {
    const { code, stdout } = await harvest('--dry-run', '--audit')
    expect(code).toBe(0)
    expect(stdout).not.toContain('made-up-4f9a')
    expect(await readdir(cwd)).toEqual([])
    const found = linesBetween(stdout, /^agent/, /^Nothing was written/)
    const shown = found
      .join('\n')
      .trimEnd()
      .replaceAll(dirname(examples) + sep, '')
    expectShown('examples/sleep/README.md', 'harvest', shown)

    const { tasks, change } = JSON.parse((await harvest('--json')).stdout)
    expect(change.added).toHaveLength(4)
    const counts = tasks.map(({ evidence }: { evidence: Record<string, number> }) => [
      evidence.occasions,
      evidence.reworked,
    ])
    expect(counts).toEqual([
      [6, 3],
      [6, 2],
      [5, 2],
      [4, 1],
    ])
  })
})

interface ChangeTask extends Task {
  readonly fields: { section: string; area: string; number: number; breaking: boolean }
}

function goodEntry({ area, number, breaking }: ChangeTask['fields']): string {
  return `- ${area}: ${breaking ? '**Breaking:** ' : ''}It is otherwise now (#${number})`
}

/** Inserts an entry into its section, which is created if missing, with the highest number first. */
function withEntry(changelog: string, { section, number }: ChangeTask['fields'], entry: string): string {
  const order = ['### Added', '### Changed', '### Fixed', '### Removed']
  const lines = changelog.split('\n')
  const heading = `### ${section}`
  const end = lines.indexOf('## 1.4.0')
  const place = lines.slice(0, end).indexOf(heading)
  if (place === -1) {
    const later = lines.findIndex(
      (line, index) => index < end && order.indexOf(line) > order.indexOf(heading),
    )
    return lines.toSpliced(later === -1 ? end : later, 0, heading, '', entry, '').join('\n')
  }
  const numberIn = (line: string) => Number(/\(#(\d+)\)$/.exec(line)?.[1] ?? 0)
  const after = lines.findIndex((line, index) => index > place + 1 && numberIn(line) < number)
  return lines.toSpliced(after, 0, entry).join('\n')
}

/** Trains an example on a scripted server, then scores its seed and its best skill on all splits. */
async function trainScripted(name: string, target: (prompt: string, knows: boolean) => string) {
  const server = await startLoopbackServer({
    respond: request =>
      request.model === 'small' ? { content: answerAs(request, target) } : scriptedOptimizer(request),
  })
  try {
    const env = {
      SKILLOPT_MODELS_TARGET: 'openai-compatible/small',
      SKILLOPT_MODELS_OPTIMIZER: 'openai-compatible/large',
      OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1`,
    }
    const project = join(examples, name)
    expect(await skillopt(['train', project, '--yes'], env)).toMatchObject({ code: 0 })
    expect(server.counters.completions).toBe(await callsOf(`${name}-001`))
    expect(await file(`${name}-001`, 'best_skill.md')).toContain(lesson)
    expect(await file(`${name}-001`, 'steps/step_0001/candidate_skill.md')).toContain(lesson)
    expect(await tested(`${name}-001`)).toEqual({ initial: 0, best: 1 })

    const scores = {
      initial: join(project, 'SKILL.md'),
      best: join(cwd, 'runs', `${name}-001`, 'best_skill.md'),
    }
    const all = async (skill: string) => {
      const { stdout } = await skillopt(['eval', project, '--skill', skill, '--yes', '--json'], env)
      const { splits } = JSON.parse(stdout) as { splits: { hard: number; scored: number }[] }
      const scored = splits.reduce((sum, split) => sum + split.scored, 0)
      return splits.reduce((sum, { hard, scored }) => sum + hard * scored, 0) / scored
    }
    return { initial: await all(scores.initial), best: await all(scores.best) }
  } finally {
    await server.close()
  }
}

function answerAs({ messages }: ChatRequest, target: (prompt: string, knows: boolean) => string): string {
  const text = (role: string) => messages.findLast(message => message.role === role)?.content
  return target(String(text('user')), String(text('system') ?? '').includes(lesson))
}

/** One useful edit from failures, none from successes; otherwise the smallest valid reply. */
function scriptedOptimizer({ messages }: ChatRequest): ChatReply {
  const system = String(messages.find(message => message.role === 'system')?.content)
  const edits = [{ op: 'append', target: null, content: lesson, trajectories: [1] }]
  const replies: Record<string, unknown> = {
    failure_summary: { failure_summary: [], patch: { reasoning: 'Steps were skipped.', edits } },
    success_patterns: { success_patterns: [], patch: { reasoning: 'Nothing new.', edits: [] } },
    support_count: {
      reasoning: 'All the same.',
      edits: [{ op: 'append', target: null, content: lesson, support_count: 2, from: [0, 1] }],
    },
    selected_indices: { reasoning: 'The first.', selected_indices: [0] },
    slow_update_content: { reasoning: 'Stable.', slow_update_content: 'Keep to the steps.' },
    meta_skill_content: { reasoning: 'Short rules help.', meta_skill_content: 'Propose short rules.' },
  }
  const contract = Object.keys(replies).find(field => system.includes(`"${field}"`))
  if (contract === undefined) throw new Error(`an unknown prompt: ${system.slice(0, 80)}`)
  return { content: JSON.stringify(replies[contract]) }
}

async function skillopt(argv: readonly string[], env: Record<string, string> = {}) {
  const said = { stdout: '', stderr: '' }
  const output = (name: keyof typeof said) => ({
    write(text: string) {
      said[name] += text
    },
  })
  const code = await main(argv, {
    stdout: output('stdout'),
    stderr: output('stderr'),
    stdin: {},
    env,
    cwd,
    colors: picocolors.createColors(false),
    library: () => import('../src/app/index.js'),
    onInterrupt: () => () => undefined,
    quit: () => undefined,
  })
  return { code, ...said }
}

const file = (run: string, name: string) => readFile(join(cwd, 'runs', run, name), 'utf8')

async function summary(run: string) {
  return JSON.parse(await file(run, 'summary.json')) as {
    tests: { which: string; score: number; scored: number; failed: number }[]
    spending: { total: { calls: number } }
  }
}

const callsOf = async (run: string) => (await summary(run)).spending.total.calls

/** Test split scores from the run's files. */
async function tested(run: string): Promise<{ initial: number; best: number }> {
  const { tests } = await summary(run)
  const score = (which: string) => {
    const test = tests.find(candidate => candidate.which === which)
    if (test === undefined || test.scored === 0 || test.failed > 0) throw new Error(`no score of ${which}`)
    return test.score
  }
  return { initial: score('initial'), best: score('best') }
}

async function allTasks<T>(name: string): Promise<T[]> {
  const texts = await Promise.all(
    ['train', 'val', 'test'].map(split => readFile(join(examples, name, 'tasks', `${split}.jsonl`), 'utf8')),
  )
  return texts.flatMap(text => text.trim().split('\n')).map(line => JSON.parse(line) as T)
}
