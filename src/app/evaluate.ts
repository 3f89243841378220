import { join, resolve } from 'node:path'
import { compareSkills, type SkillComparison } from '../core/comparison/skill-comparison.js'
import { InputError, type SkillOptError } from '../core/errors/errors.js'
import type { Run } from '../core/ports/run.js'
import { skillHash } from '../core/skill/skill.js'
import type { Interval } from '../core/statistics/intervals.js'
import { readMessage } from '../core/task/messages.js'
import type { Message, Outcome, Row, Split } from '../core/task/task.js'
import { contentHash } from '../core/text/hash.js'
import {
  agreed,
  type MeasuringOptions,
  measuring,
  sessionOf,
  withSetup,
} from '../session/evaluation-session.js'
import { inSession, type SessionResult } from '../session/session.js'
import { readTrained, trainingWarnings } from '../session/trained-skill.js'
import { measuringDirectory, runsFolder } from '../store/run-directories.js'
import { type EvaluationContext, measureRows, scoresByType } from '../trainer/loops/evaluation.js'
import type { Setup } from '../trainer/loops/setup.js'
import { earlierEvaluations } from './earlier-evaluations.js'

export interface EvaluateOptions extends Omit<MeasuringOptions, 'skill'> {
  /**
   * The skill to score, or several to compare. Each is a file, a run or `RUN@VERSION`. Defaults to the
   * project's own skill.
   */
  readonly skill?: string | readonly string[] | undefined
  readonly split?: Split | 'all' | undefined
  /** Attempts per task and skill; defaults to 1. */
  readonly samples?: number | undefined
}

interface Scored {
  readonly hard: number
  readonly soft: number
  /** Number of tasks with a score. `failed` counts tasks whose attempts all failed for external reasons. */
  readonly scored: number
  readonly failed: number
  readonly score: number
  readonly interval: Interval
}

export interface SplitScore extends Scored {
  readonly split: Split
  /**
   * Number of attempts, which exceeds that of tasks if each task has several samples. Failed attempts do not
   * count in any score.
   */
  readonly attempts: { readonly scored: number; readonly failed: number }
  readonly types: readonly (Scored & { readonly type: string })[]
}

export interface SkillScore {
  /** The skill file, as the user named it. */
  readonly name: string
  /** Hash of the skill's text. */
  readonly skill: string
  readonly splits: readonly SplitScore[]
}

export interface EvaluateResult {
  readonly outcome: SessionResult<unknown>['outcome'] | 'declined'
  readonly directory: string
  readonly simulated: boolean
  readonly samples: number
  /** Scores of the first skill. */
  readonly splits: readonly SplitScore[]
  readonly skills: readonly SkillScore[]
  /** Differences between several skills, by split and task. */
  readonly comparisons: readonly (SkillComparison & { readonly split: Split })[]
  readonly error: SkillOptError | undefined
}

export interface NamedSkill {
  readonly name: string
  readonly text: string
}

/**
 * Scores one skill, or several on the same tasks, without training. Attempts of an earlier evaluation with
 * the same skill, tasks and model are read from its log.
 */
export async function evaluate(options: EvaluateOptions): Promise<EvaluateResult> {
  const { skill, samples = 1, ...others } = options
  checkSamples(samples)
  const named = typeof skill === 'string' ? [skill] : (skill ?? [])
  refuseRepeated(named, options.cwd ?? process.cwd())
  return withSetup({ ...others, skill: named[0] }, async (assembled, cwd, loaded) => {
    const given = await Promise.all(named.map(one => readTrained(one, { project: loaded.name, cwd })))
    const skills =
      given.length > 0
        ? given.map(({ from, text }) => ({ name: from, text }))
        : [{ name: loaded.config.skill, text: assembled.skill }]
    const splits = splitsToScore(assembled, options)
    const warnings = await Promise.all(given.map(one => trainingWarnings(one, assembled)))
    options.onWarnings?.([...sameTexts(skills), ...warnings.flat()])
    const setup = measuredBy(assembled, skills)
    const directory =
      options.out === undefined ? measuringDirectory('eval', setup, cwd) : resolve(cwd, options.out)
    const about = { directory, simulated: setup.simulated, samples }
    const texts = [...new Set(skills.map(({ text }) => text))]
    const tasks = splits.reduce((sum, split) => sum + setup.tasks[split].length, 0)
    if (!(await agreed(setup, tasks * texts.length * samples, options.confirm))) {
      const nothing = { splits: [], skills: [], comparisons: [], error: undefined }
      return { ...about, outcome: 'declined', ...nothing }
    }
    const session = sessionOf('eval', setup, { ...options, directory, sources: loaded.sources })
    const earlier = earlierEvaluations(setup, directory, cwd)
    const { outcome, value, error } = await inSession(setup, { ...session, earlier }, run =>
      scoreSkills({ run, setup, ...measuring(setup) }, { skills, texts, splits, samples }),
    )
    const scores = value ?? { skills: [], comparisons: [] }
    return { ...about, outcome, splits: scores.skills[0]?.splits ?? [], ...scores, error }
  })
}

export function checkSamples(samples: number): void {
  if (Number.isSafeInteger(samples) && samples >= 1) return
  throw new InputError(`Invalid number of attempts: ${samples}.`, {
    hint: 'samples must be a whole number ≥ 1.',
  })
}

function refuseRepeated(paths: readonly string[], cwd: string): void {
  const places = paths.map(path => resolve(cwd, path))
  const twice = paths.find((_, index) => places.indexOf(places[index] ?? '') !== index)
  if (twice !== undefined) {
    throw new InputError(`The skill ${twice} is given twice.`, { hint: 'Pass each skill once.' })
  }
}

function sameTexts(skills: readonly NamedSkill[]): string[] {
  return skills.flatMap(({ name, text }, index) => {
    const first = skills.findIndex(other => other.text === text)
    return first === index
      ? []
      : [`${skills[first]?.name} and ${name} have the same text, so they are tried once and score the same.`]
  })
}

/** The splits to score. Empty splits are skipped, unless the user named one, which is an error. */
export function splitsToScore(
  { tasks }: Pick<Setup, 'tasks'>,
  { split = 'all', onWarnings }: Pick<EvaluateOptions, 'split' | 'onWarnings'>,
): readonly Split[] {
  const wanted: readonly Split[] = split === 'all' ? ['train', 'val', 'test'] : [split]
  const empty = wanted.filter(name => tasks[name].length === 0)
  const filled = wanted.filter(name => tasks[name].length > 0)
  if (filled.length === 0) {
    throw new InputError(split === 'all' ? 'No split has any tasks.' : `The ${split} split has no tasks.`, {
      hint: 'Set them in `environment` in the config; `skillopt doctor` counts them.',
    })
  }
  if (empty.length > 0) onWarnings?.([`No tasks in ${empty.join(' and ')}: nothing to score there.`])
  return filled
}

/** The setup of an evaluation. Several skills form one experiment with one log, whatever their order. */
export function measuredBy(setup: Setup, skills: readonly NamedSkill[]): Setup {
  const hashes = [...new Set(skills.map(({ text }) => contentHash(text)))].sort()
  const skill = hashes.length === 1 ? hashes.join() : contentHash(hashes.join('\n'))
  return { ...setup, fingerprints: { ...setup.fingerprints, skill } }
}

interface Plan {
  readonly skills: readonly NamedSkill[]
  /** The distinct skill texts. */
  readonly texts: readonly string[]
  readonly splits: readonly Split[]
  readonly samples: number
}

async function scoreSkills(
  needs: EvaluationContext,
  plan: Plan,
): Promise<Pick<EvaluateResult, 'skills' | 'comparisons'>> {
  const { skills, splits } = plan
  const { score } = needs
  const rowsOf = await measureSkills(needs, plan)
  return {
    skills: skills.map(({ name, text }) => ({
      name,
      skill: skillHash(text),
      splits: splits.map(split => splitScore(split, rowsOf(text, split), score)),
    })),
    comparisons:
      skills.length < 2
        ? []
        : splits.map(split => {
            const evaluated = skills.map(({ name, text }) => ({ name, rows: rowsOf(text, split) }))
            return { split, ...compareSkills(evaluated, score) }
          }),
  }
}

/** Makes all attempts with each skill. Returns a function that finds rows by skill text and split. */
export async function measureSkills(
  needs: EvaluationContext,
  { skills, texts, splits, samples }: Plan,
): Promise<(text: string, split: Split) => readonly Row[]> {
  await nameSkills(needs.run, skills)
  const measured = await Promise.all(
    texts.flatMap(skill =>
      splits.map(async split => ({
        skill,
        split,
        rows: await measureRows(needs, { skill, split, samples }),
      })),
    ),
  )
  return (text, split) => measured.find(one => one.skill === text && one.split === split)?.rows ?? []
}

async function nameSkills(run: Run, skills: readonly NamedSkill[]): Promise<void> {
  const named = skills.map(({ name, text }) => ({ name, skill: skillHash(text), text: run.put(text) }))
  await run.emit('skills.named', { skills: named })
}

export function splitScore(
  split: Split,
  rows: readonly Row[],
  score: EvaluationContext['score'],
): SplitScore {
  const failed = rows.filter(({ hard }) => hard === undefined).length
  return { split, attempts: { scored: rows.length - failed, failed }, ...scoresByType(rows, score) }
}

export interface Trial {
  readonly task: string
  readonly split: Split
  readonly messages: readonly Message[]
  readonly outcome: Outcome
}

/** Makes one attempt at one task for inspection. It never comes from a cache. */
export async function attemptOne(
  options: Omit<MeasuringOptions, 'confirm'> & { readonly task: string },
): Promise<SessionResult<Trial>> {
  return withSetup(options, async (setup, cwd, loaded) => {
    const found = findTask(setup, options.task)
    const stamp = new Date().toISOString().replaceAll(/[-:.Z]/g, '')
    const directory =
      options.out === undefined
        ? join(cwd, runsFolder, `${setup.name}-try-${stamp}`)
        : resolve(cwd, options.out)
    return inSession(
      setup,
      sessionOf('eval', setup, { ...options, directory, sources: loaded.sources }),
      async run => {
        const place = { stage: 'test', epoch: 0, step: 0 } as const
        const { task, split } = found
        const attempt = await run.perform(
          { kind: 'attempt', skill: setup.skill, task, sample: 0, scope: stamp },
          place,
        )
        const messages = await Promise.all(attempt.messages.map(stored => readMessage(stored, run.get)))
        return { task: task.id, split, messages, outcome: attempt.outcome }
      },
    )
  })
}

function findTask(setup: Setup, id: string) {
  for (const split of ['train', 'val', 'test'] as const) {
    const task = setup.tasks[split].find(candidate => candidate.id === id)
    if (task !== undefined) return { task, split }
  }
  const examples = setup.tasks.train.slice(0, 3).map(task => task.id)
  throw new InputError(`No split has a task "${id}".`, {
    hint: `Task ids look like ${examples.join(', ')}.`,
  })
}
