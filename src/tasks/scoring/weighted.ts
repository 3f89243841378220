import { z } from 'zod'
import { InputError } from '../../core/errors/errors.js'
import type { Score } from '../../core/task/task.js'
import { type Base, type BoundScorer, type Scorer, withStop } from './scorer.js'

interface Part {
  readonly name: string
  readonly weight: number
  readonly scorer: BoundScorer
}

/**
 * Combines several named scorers. Soft is their weighted mean; hard is 1 if it is 1 for all of them. Each
 * scorer extracts its own answer.
 */
export function weightedScorer<Config>(
  config: z.ZodType<Config>,
  choose: (config: Config, base: Base) => BoundScorer,
): Scorer {
  const part = z.strictObject({
    scorer: config.describe('The scorer of this part: a name, or {name, …options}.'),
    weight: z.number().positive().default(1).describe('How much it counts towards the soft score.'),
  })
  const options = z.strictObject({
    parts: z
      .record(z.string().min(1), part)
      .describe('The parts by name: {scorer, weight}. Their names stand in the feedback. Default weight: 1.'),
  })
  return {
    id: 'weighted',
    options,
    optionsProblem: given =>
      Object.keys(options.parse(given).parts).length === 0 ? 'name no parts' : undefined,
    bind(given, base) {
      const parts = Object.entries(options.parse(given).parts).map(([name, { weight, scorer }]) => ({
        name,
        weight,
        scorer: inPart(name, () => choose(scorer, base)),
      }))
      const each = (text: (scorer: BoundScorer) => string) =>
        [...new Set(parts.map(({ scorer }) => text(scorer)))].filter(line => line !== '')
      return {
        id: 'weighted',
        fields: [...new Set(parts.flatMap(({ scorer }) => scorer.fields))],
        instructions: each(scorer => scorer.instructions).join(' '),
        shapeOnly: task => parts.every(({ scorer }) => scorer.shapeOnly(task)),
        promptNote: task => each(scorer => scorer.promptNote(task)).join('\n\n'),
        problem(task) {
          for (const { name, scorer } of parts) {
            const problem = scorer.problem(task)
            if (problem !== undefined) return `${problem} (for the part "${name}")`
          }
          return undefined
        },
        needs: {
          judgeCalls: parts.reduce((sum, { scorer }) => sum + (scorer.needs.judgeCalls ?? 0), 0),
          sandbox: parts.some(({ scorer }) => scorer.needs.sandbox === true),
        },
        files: [...new Set(parts.flatMap(({ scorer }) => scorer.files))],
        judges: parts.flatMap(({ name, scorer }) =>
          scorer.judges.map(judge => ({ ...judge, name: [name, judge.name].filter(Boolean).join('.') })),
        ),
        async checkSandbox(sandbox) {
          for (const { name, scorer } of parts) await checkPart(name, () => scorer.checkSandbox(sandbox))
        },
        async score(task, trajectory, context) {
          // The parts see a finished attempt, so that the feedback mentions an early stop only once.
          const finished = { ...trajectory, stop: 'answered' } as const
          const scored: (Part & { readonly score: Score })[] = []
          for (const part of parts)
            scored.push({ ...part, score: await part.scorer.score(task, finished, context) })
          return withStop(combine(scored), trajectory)
        },
      }
    },
  }
}

function combine(parts: readonly (Part & { readonly score: Score })[]): Score {
  const weights = parts.reduce((sum, { weight }) => sum + weight, 0)
  const earned = parts.reduce((sum, { weight, score }) => sum + weight * score.soft, 0)
  const passed = parts.filter(({ score }) => score.hard === 1)
  const lines = parts.map(({ name, weight, score }) => {
    const share = Math.round((100 * weight) / weights)
    const verdict = score.hard === 1 ? 'passed' : 'failed'
    const feedback = score.feedback.replaceAll('\n', '\n  ')
    return `- ${name} (${share}% of the score): ${verdict} with ${score.soft.toFixed(2)}. ${feedback}`
  })
  return {
    hard: passed.length === parts.length ? 1 : 0,
    soft: earned / weights,
    feedback: [`${passed.length} of ${parts.length} parts passed.`, ...lines].join('\n'),
  }
}

async function checkPart(name: string, check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    throw namingPart(name, error)
  }
}

function inPart(name: string, choose: () => BoundScorer): BoundScorer {
  try {
    return choose()
  } catch (error) {
    throw namingPart(name, error)
  }
}

function namingPart(name: string, error: unknown): unknown {
  if (!(error instanceof InputError)) return error
  return new InputError(`In the part "${name}" of the scorer "weighted": ${error.message}`, {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    cause: error,
  })
}
