import { z } from 'zod'
import type { RubricJudge, ScoreContext, ScoringNeeds } from '../../core/ports/environment.js'
import type { Sandbox } from '../../core/ports/sandbox.js'
import type { Score, Trajectory } from '../../core/task/task.js'
import { type Extraction, extractAnswer, extractionProblem, extractOption } from './extract.js'

/** The fields of a task in the user's file. */
export type Fields = Readonly<Record<string, unknown>>

export interface Base {
  /** Base folder of the paths in a scorer's options, which is the config's folder. */
  readonly baseDir: string
  /** Whether the answer is a file. If so, all of it counts unless the options select a part. */
  readonly wholeAnswer?: boolean
}

/** A scorer with its options. Most scorers are pure: the same fields and attempt give the same score. */
export interface BoundScorer {
  readonly id: string
  /** Names of the task fields that the scorer reads, for documentation and messages. */
  readonly fields: readonly string[]
  /** Tells the agent how to write its answer so that it can be extracted; may be empty. */
  readonly instructions: string
  /** Describes a problem in a task's fields; called before anything is spent. */
  problem(task: Fields): string | undefined
  /** Text to add after the question, such as the choices. */
  promptNote(task: Fields): string
  /**
   * Whether a reply can pass by its form alone (headings, length), whatever its content. Such a scorer must
   * not be the only one in a gate.
   */
  shapeOnly(task: Fields): boolean
  /** What the scorer needs besides the reply: a judge or a sandbox. */
  readonly needs: ScoringNeeds
  /** Absolute paths of files and folders in the options, whose content affects scores. */
  readonly files: readonly string[]
  readonly judges: readonly ScorerJudge[]
  checkSandbox(sandbox: Sandbox): Promise<void>
  score(task: Fields, trajectory: Trajectory, context: ScoreContext): Promise<Score>
}

export interface ScorerJudge extends Omit<RubricJudge, 'score'> {
  score: BoundScorer['score']
}

export interface Scorer {
  readonly id: string
  readonly options: z.ZodObject
  /** Describes a problem in the options that their schema cannot detect. */
  optionsProblem(options: unknown): string | undefined
  bind(options: unknown, base: Base): BoundScorer
}

interface Definition<Shape extends z.ZodRawShape> {
  readonly id: string
  readonly options: Shape
  readonly extract?: Extraction
  /** Finds the answer's tag; by default, the last `<answer>…</answer>`. */
  readonly findTag?: (reply: string) => string | undefined
  fields(options: z.infer<z.ZodObject<Shape>>): readonly string[]
  optionsProblem?(options: z.infer<z.ZodObject<Shape>>): string | undefined
  problem(task: Fields, options: z.infer<z.ZodObject<Shape>>): string | undefined
  promptNote?(task: Fields): string
  shapeOnly?(task: Fields, options: z.infer<z.ZodObject<Shape>>): boolean
  needs?(options: z.infer<z.ZodObject<Shape>>): ScoringNeeds
  files?(options: z.infer<z.ZodObject<Shape>>, base: Base): readonly string[]
  checkSandbox?(sandbox: Sandbox, options: z.infer<z.ZodObject<Shape>>, base: Base): Promise<void>
  /** Number of votes and passing threshold, for scorers that use a judge model. */
  judging?(options: z.infer<z.ZodObject<Shape>>): { readonly votes: number; readonly threshold: number }
  score(attempt: {
    readonly task: Fields
    /** The answer extracted from the agent's last message. */
    readonly answer: string
    readonly trajectory: Trajectory
    readonly options: z.infer<z.ZodObject<Shape>>
    readonly context: ScoreContext & Base
  }): Score | Promise<Score>
}

/** Creates a scorer with what all scorers have in common: strict options and answer extraction. */
export function defineScorer<Shape extends z.ZodRawShape>(definition: Definition<Shape>): Scorer {
  const own = z.strictObject(definition.options)
  const common = z.strictObject({ extract: extractOption(definition.extract ?? 'tag-or-last-line') })
  const divide = (options: unknown) => {
    const { extract, ...rest } = z.looseObject({}).parse(options)
    return {
      extract: common.parse(extract === undefined ? {} : { extract }).extract,
      options: own.parse(rest),
    }
  }
  return {
    id: definition.id,
    options: own.extend(common.shape),
    optionsProblem(given) {
      const { extract, options } = divide(given)
      return extractionProblem(extract) ?? definition.optionsProblem?.(options)
    },
    bind(given, base) {
      const { extract, options } = divide(given)
      const tagged = typeof extract === 'string' && extract.startsWith('tag')
      const score: BoundScorer['score'] = async (task, trajectory, context) => {
        const answer = extractAnswer(trajectory.answer, extract, definition.findTag)
        const attempt = { task, answer, trajectory, options, context: { ...context, ...base } }
        return withStop(await definition.score(attempt), trajectory)
      }
      const judging = definition.judging?.(options)
      return {
        id: definition.id,
        fields: definition.fields(options),
        instructions: tagged ? 'Put your final answer between <answer> and </answer>.' : '',
        problem: task => definition.problem(task, options),
        promptNote: task => definition.promptNote?.(task) ?? '',
        shapeOnly: task => definition.shapeOnly?.(task, options) ?? false,
        needs: definition.needs?.(options) ?? {},
        files: definition.files?.(options, base) ?? [],
        judges: judging === undefined ? [] : [{ name: '', ...judging, score }],
        checkSandbox: async sandbox => definition.checkSandbox?.(sandbox, options, base),
        score,
      }
    },
  }
}

/** Adds to the feedback why the agent stopped early. */
export function withStop(score: Score, { stop }: Trajectory): Score {
  if (stop === 'answered') return score
  return { ...score, feedback: `${score.feedback} The agent did not finish: ${stop}.` }
}

// ── Expected answers ────────────────────────────────────────────────────────

/** Option for the name of the field with the expected answer, shared by most scorers. */
export const goldOption = {
  field: z
    .string()
    .optional()
    .describe(
      'The task field with the expected answer, or a list of them. Default: `answer`, else `answers`.',
    ),
}

export function goldFields(field: string | undefined): readonly string[] {
  return field === undefined ? ['answer', 'answers'] : [field]
}

/** The expected answers of a task; at least one, if the task passed `goldProblem`. */
export function goldsOf(task: Fields, field: string | undefined): readonly string[] {
  const name = goldFields(field).find(candidate => task[candidate] !== undefined)
  const value = name === undefined ? undefined : task[name]
  const listed: readonly unknown[] = Array.isArray(value) ? value : [value]
  return listed.filter(isPlain).map(String)
}

export function goldProblem(task: Fields, field: string | undefined): string | undefined {
  const names = goldFields(field)
  const name = names.find(candidate => task[candidate] !== undefined)
  if (name === undefined) return `has no field ${names.map(candidate => `"${candidate}"`).join(' or ')}`
  const value = task[name]
  const listed: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (listed.length === 0) return `has an empty list in "${name}"`
  if (!listed.every(isPlain)) return `has something other than text, numbers or a list of them in "${name}"`
  if (listed.some(gold => String(gold).trim() === '')) return `has an empty expected answer in "${name}"`
  return undefined
}

/** A sentence for reflection that compares the answer with the expected one. */
export function expectation(golds: readonly string[], answer: string, correct: boolean): string {
  const shown = answer === '' ? 'no answer' : quote(answer)
  if (correct) return `Correct: ${shown}.`
  return `Expected ${golds.map(quote).join(' or ')}; got ${shown}.`
}

export function verdict(correct: boolean, feedback: string): Score {
  const value = correct ? 1 : 0
  return { hard: value, soft: value, feedback }
}

/** Quotes a text, cut to a length that shows the mistake. A reflection prompt contains many of these. */
export function quote(text: string): string {
  const limit = 300
  return `"${text.length > limit ? `${text.slice(0, limit)}…` : text}"`
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
