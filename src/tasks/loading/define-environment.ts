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

/** What an environment file exports by default: its options and a factory. */
export interface EnvironmentDefinition<Options = unknown> {
  readonly id: string
  readonly options: z.ZodType<Options>
  create(options: Options, context: { readonly baseDir: string }): Promise<Environment>
}

export interface EnvironmentParts<T extends Task, Options> {
  readonly id: string
  /** A zod schema of the keys below `environment:` in the config, except `use`; none if absent. */
  readonly options?: z.ZodType<Options>
  readonly needs?: readonly Capability[]
  /** Optimizer prompts that replace the bundled ones, by name (`analyst-failure`, …). */
  readonly prompts?: Readonly<Record<string, string>>
  /** Whether `score` uses the judge or the sandbox, so that a missing one is reported at the start. */
  readonly scoring?: ScoringNeeds
  /**
   * Versions or hashes of everything outside this file that affects scores, such as a program that `score`
   * runs, by name.
   */
  readonly fingerprints?: Readonly<Record<string, string>>
  tasks(
    split: Split,
    context: { readonly options: Options; readonly baseDir: string },
  ): readonly T[] | Promise<readonly T[]>
  /** Rules for every task, shown before the skill. */
  readonly instructions?: string
  /** The question as text, or text and files, for single-turn environments. */
  prompt?(task: T): string | readonly Part[] | Promise<string | readonly Part[]>
  /** Opens a session, for environments with tools or with several turns. */
  open?(task: T, context: SessionContext): Session | Promise<Session>
  /**
   * Scores an answer. A number counts as both hard and soft. The optimizer learns from `feedback`, which
   * should say what was expected.
   */
  score(
    task: T,
    answer: string,
    context: ScoreContext & { readonly trajectory: Trajectory },
  ): number | Score | Promise<number | Score>
}

/** Defines an environment in one file; the config refers to it by its path. */
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
