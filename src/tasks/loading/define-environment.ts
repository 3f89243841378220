import { z } from 'zod'
import type {
  Capability,
  Environment,
  ScoreContext,
  ScoringNeeds,
  Session,
  SessionContext,
} from '../../core/ports/environment.js'
import type { Part, Score, Split, Task, Trajectory } from '../../core/task/task.js'

/** What an environment file exports by default: its options, and how to make it from them. */
export interface EnvironmentDefinition<Options = unknown> {
  readonly id: string
  readonly options: z.ZodType<Options>
  create(options: Options, context: { readonly baseDir: string }): Promise<Environment>
}

export interface EnvironmentParts<T extends Task, Options> {
  readonly id: string
  /** A zod schema of the keys below `environment:` in the config, `use` aside; none if not given. */
  readonly options?: z.ZodType<Options>
  readonly needs?: readonly Capability[]
  /** Optimizer prompts for this kind of task, by name (`analyst-failure`, …), in place of the bundled ones. */
  readonly prompts?: Readonly<Record<string, string>>
  /** Whether `score` asks the judge or runs commands in the sandbox, so that what is missing is found at once. */
  readonly scoring?: ScoringNeeds
  /** Names and versions or hashes of what decides scores besides this file, such as a program that `score` runs. */
  readonly fingerprints?: Readonly<Record<string, string>>
  tasks(
    split: Split,
    context: { readonly options: Options; readonly baseDir: string },
  ): readonly T[] | Promise<readonly T[]>
  /** What the agent is told before the skill: the rules that hold for every task. */
  readonly instructions?: string
  /** The question, for environments that are one question and one answer: text, or text and files. */
  prompt?(task: T): string | readonly Part[] | Promise<string | readonly Part[]>
  /** A whole session, for environments with tools or with a world that answers. */
  open?(task: T, context: SessionContext): Session | Promise<Session>
  /** A number stands for hard and soft alike. `feedback` is what the optimizer learns from: say what was expected. */
  score(
    task: T,
    answer: string,
    context: ScoreContext & { readonly trajectory: Trajectory },
  ): number | Score | Promise<number | Score>
}

/** An environment in one file, named by its path in the config. */
export function defineEnvironment<T extends Task, Options = Record<string, never>>(
  parts: EnvironmentParts<T, Options>,
): EnvironmentDefinition<Options> {
  const { id, prompt, open } = parts
  if (prompt === undefined && open === undefined) {
    throw new TypeError(`The environment "${id}" needs a prompt or an open function.`)
  }
  return {
    id,
    options: parts.options ?? (z.strictObject({}) as unknown as z.ZodType<Options>),
    create: async (options, { baseDir }) => ({
      id,
      needs: parts.needs ?? ['chat'],
      ...(parts.prompts === undefined ? {} : { prompts: parts.prompts }),
      ...(parts.scoring === undefined ? {} : { scoring: parts.scoring }),
      ...(parts.fingerprints === undefined ? {} : { fingerprints: parts.fingerprints }),
      tasks: async split => parts.tasks(split, { options, baseDir }),
      open: async (task, context) => {
        if (open !== undefined) return open(task as T, context)
        return {
          instructions: parts.instructions ?? '',
          prompt: (await prompt?.(task as T)) ?? '',
          skillAt: 'system',
          tools: [],
          turnLimit: 1,
          close: async () => undefined,
        }
      },
      score: async (task, trajectory, context) => {
        const score = await parts.score(task as T, trajectory.answer, { ...context, trajectory })
        return typeof score === 'number'
          ? { hard: score, soft: score, feedback: `It scored ${score}.` }
          : score
      },
    }),
  }
}
