import { PausedError } from '../../core/errors/errors.js'
import type { Environment, RubricJudge, Session } from '../../core/ports/environment.js'
import type { Harness } from '../../core/ports/harness.js'
import type { Run } from '../../core/ports/run.js'
import { promptParts, userMessage } from '../../core/task/parts.js'
import type { Score, Task } from '../../core/task/task.js'
import { mapConcurrently } from '../stages/concurrency.js'
import type { Setup } from './setup.js'

/** An answer with a person's label: 0 is wrong, 1 is right. */
export interface LabelledAnswer {
  readonly task: Task
  readonly answer: string
  readonly label: number
}

export type JudgedAnswer = { readonly task: string; readonly answer: string; readonly label: number } & (
  | { readonly score: number; readonly votes: NonNullable<Score['votes']> }
  | { readonly failure: { readonly kind: string; readonly message: string } }
)

interface AnsweredTask extends Task {
  readonly of: Task
  readonly answer: string
}

/**
 * A setup without a target: each attempt already has its answer, and only the judge is called. So judging
 * uses the same caps, log and resumption as any run.
 */
export function judgingSetup(setup: Setup, judge: RubricJudge): Setup {
  const answers = new WeakMap<Session, string>()
  const { environment } = setup
  const judging: Environment<AnsweredTask> = {
    id: environment.id,
    needs: environment.needs,
    tasks: async () => [],
    async open({ of, answer }, context) {
      const session = await environment.open(of, context)
      answers.set(session, answer)
      return session
    },
    score: ({ of }, trajectory, context) => judge.score(of, trajectory, context),
  }
  const harness: Harness = {
    id: 'given-answers',
    supports: setup.harness.supports,
    async run({ session }) {
      const answer = answers.get(session) ?? ''
      const asked = userMessage(promptParts(session.prompt))
      return { messages: [asked, { role: 'assistant', text: answer }], answer, stop: 'answered' }
    },
  }
  return { ...setup, environment: judging as unknown as Environment, harness }
}

/**
 * Has the judge score answers that people have labelled. Failures of the judge are counted separately and
 * never compared.
 */
export async function judgeAnswers(
  run: Run,
  labelled: readonly LabelledAnswer[],
  concurrency: number,
): Promise<readonly JudgedAnswer[]> {
  const place = { stage: 'test', epoch: 0, step: 0 } as const
  await run.emit('stage.started', { ...place, total: labelled.length }, 'judge-check')
  const judged = await mapConcurrently(
    labelled,
    concurrency,
    async ({ task, answer, label }): Promise<JudgedAnswer> => {
      const about = { task: task.id, answer, label }
      const asked: AnsweredTask = { id: task.id, of: task, answer }
      const effect = { kind: 'attempt', skill: '', task: asked, sample: 0, scope: '' } as const
      const { outcome } = await run.perform(effect, place)
      if (outcome.status === 'failed') return { ...about, failure: outcome.failure }
      return { ...about, score: outcome.score.soft, votes: outcome.score.votes ?? [] }
    },
  )
  if (judged.every(one => 'failure' in one)) {
    throw new PausedError(`The judge scored 0 of ${judged.length} answers.`, {
      hint: '`skillopt show RUN --task ID` shows the error of an answer. Fix it, then rerun the same command to resume.',
    })
  }
  return judged
}
