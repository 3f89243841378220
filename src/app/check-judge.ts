import { resolve } from 'node:path'
import { resolveModel } from '../core/config/config.js'
import { InputError, type SkillOptError } from '../core/errors/errors.js'
import type { RunEvent } from '../core/log/event.js'
import type { Environment, RubricJudge } from '../core/ports/environment.js'
import { type Agreement, agreementOf } from '../core/statistics/agreement.js'
import { canonicalJson, contentHash } from '../core/text/hash.js'
import { closeModels } from '../models/index.js'
import { assembleForJudging } from '../project/assemble.js'
import { readLabels } from '../project/labels.js'
import { type LoadOptions, loadProject } from '../project/load.js'
import { projectWarnings } from '../project/warnings.js'
import { inSession, type SessionResult } from '../session/session.js'
import { measuringDirectory } from '../store/run-directories.js'
import type { EnvironmentDefinition } from '../tasks/loading/define-environment.js'
import { type JudgedAnswer, judgeAnswers, judgingSetup } from '../trainer/loops/judge-agreement.js'
import { isFree, type Setup } from '../trainer/loops/setup.js'

export interface JudgeCheckOptions extends Partial<LoadOptions> {
  /** A CSV or JSONL file with `task`, `answer` and `label`. */
  readonly labels: string
  /** For a weighted score: the rubric to check. Not needed if there is only one. */
  readonly part?: string | undefined
  /** An environment from `defineEnvironment`, used instead of the one in the config. */
  readonly environment?: EnvironmentDefinition | undefined
  readonly out?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  /** Called before the first paid call, with the number of judge calls. */
  readonly confirm?: ((calls: number) => Promise<boolean>) | undefined
  readonly onWarnings?: ((warnings: readonly string[]) => void) | undefined
}

export interface JudgeCheckResult {
  readonly outcome: SessionResult<unknown>['outcome'] | 'declined'
  readonly directory: string
  readonly simulated: boolean
  readonly judge: string
  readonly threshold: number
  /** Undefined until all answers are judged. */
  readonly agreement: Agreement | undefined
  readonly answers: readonly JudgedAnswer[]
  readonly error: SkillOptError | undefined
}

/**
 * Measures how well the project's judge agrees with people. Repeating it with the same labels reads the log.
 */
export async function judgeCheck(options: JudgeCheckOptions): Promise<JudgeCheckResult> {
  const cwd = options.cwd ?? process.cwd()
  const loaded = await loadProject({ ...options, env: options.env ?? process.env })
  try {
    const assembled = await assembleForJudging(loaded, { environment: options.environment })
    const judge = chooseJudge(assembled.environment, options.part)
    const labelled = await readLabels(options.labels, cwd, await allTasks(assembled.environment))
    const setup = judgingSetup(assembled, judge)
    const { judge: model } = setup.models
    if (model === undefined) throw new Error('A rubric was taken for granted without a judge model.')
    options.onWarnings?.(projectWarnings(loaded, assembled))

    const fingerprints = {
      ...assembled.environment.fingerprints,
      labels: contentHash(canonicalJson([judge.name, labelled])),
    }
    const measured: Setup = { ...setup, fingerprints }
    const directory =
      options.out === undefined ? measuringDirectory('judge-check', measured, cwd) : resolve(cwd, options.out)
    const { threshold, votes } = judge
    const about = { directory, simulated: setup.simulated, judge: model.id, threshold }
    const paid = options.confirm !== undefined && !isFree({ judge: model })
    if (paid && !(await options.confirm?.(labelled.length * votes))) {
      return { ...about, outcome: 'declined', agreement: undefined, answers: [], error: undefined }
    }
    const { name, config } = setup
    const identity = {
      kind: 'judge-check',
      name,
      sources: loaded.sources,
      epochs: 0,
      stepsPerEpoch: 0,
    } as const
    const lanes = 2 * resolveModel(config.models.judge ?? model.id, 'judge').concurrency
    const { signal, onEvent } = options
    const { value, outcome, error } = await inSession(
      measured,
      { directory, identity, signal, onEvent },
      run => judgeAnswers(run, labelled, lanes),
    )
    const answers = value ?? []
    return { ...about, outcome, agreement: agreement(answers, threshold), answers, error }
  } finally {
    await closeModels()
  }
}

function agreement(answers: readonly JudgedAnswer[], threshold: number): Agreement | undefined {
  const judged = answers.flatMap(one =>
    'failure' in one
      ? []
      : [{ label: one.label, score: one.score, votes: one.votes.map(({ score }) => score) }],
  )
  return judged.length === 0 ? undefined : agreementOf(judged, threshold)
}

function chooseJudge({ id, judges = [] }: Environment, part: string | undefined): RubricJudge {
  const names = judges.map(({ name }) => name)
  if (judges.length === 0) {
    throw new InputError(`The environment "${id}" uses no judge, so there is no rubric to check.`, {
      hint: 'Set `environment.scorer` to a rubric first: {name: rubric, rubric: "…"}.',
    })
  }
  const [first] = judges
  if (part === undefined && judges.length === 1 && first !== undefined) return first
  const found = judges.find(({ name }) => name === part)
  if (found !== undefined) return found
  const named = names.filter(name => name !== '')
  const hint =
    named.length === 0
      ? 'Leave out --part: the rubric is the whole score.'
      : `Choose one with --part: ${named.join(', ')}.`
  if (part === undefined) throw new InputError('Several parts of the score are rubrics.', { hint })
  throw new InputError(`No part "${part}" of the score is a rubric.`, { hint })
}

/** All tasks, even those beyond `evaluation.testSize`, because people may have labelled them. */
async function allTasks(environment: Environment) {
  const splits = ['train', 'val', 'test'] as const
  return (await Promise.all(splits.map(split => environment.tasks(split)))).flat()
}
