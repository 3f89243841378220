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

/** The default export of an environment file: its options and a factory. */
export interface EnvironmentDefinition<Options = unknown> {
  readonly id: string
  readonly options: z.ZodType<Options>
  create(options: Options, context: { readonly baseDir: string }): Promise<Environment>
}

export interface EnvironmentParts<T extends Task, Options> {
  readonly id: string
  /** A zod schema of the keys below `environment:` in the config, except `use`; no options if absent. */
  readonly options?: z.ZodType<Options>
  readonly needs?: readonly Capability[]
  /**
   * Optimizer prompts for this kind of task, by name (`analyst-failure`, …); they replace the bundled ones.
   */
  readonly prompts?: Readonly<Record<string, string>>
  /** Whether `score` uses the judge or the sandbox, so that a missing one is reported up front. */
  readonly scoring?: ScoringNeeds
  /**
   * Names with versions or hashes of anything besides this file that affects scores, such as a program that
   * `score` runs.
   */
  readonly fingerprints?: Readonly<Record<string, string>>
  tasks(
    split: Split,
    context: { readonly options: Options; readonly baseDir: string },
  ): readonly T[] | Promise<readonly T[]>
  /** Instructions that precede the skill: rules that hold for every task. */
  readonly instructions?: string
  /** The question as text, or text and files, for single-turn environments. */
  prompt?(task: T): string | readonly Part[] | Promise<string | readonly Part[]>
  /** A whole session, for environments with tools or with a world that responds. */
  open?(task: T, context: SessionContext): Session | Promise<Session>
  /**
   * A number is used for both hard and soft. The optimizer learns from `feedback`: state what was expected.
   */
  score(
    task: T,
    answer: string,
    context: ScoreContext & { readonly trajectory: Trajectory },
  ): number | Score | Promise<number | Score>
}

/** Defines an environment in one file, which the config refers to by path. */
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
