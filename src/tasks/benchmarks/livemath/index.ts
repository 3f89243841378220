import { z } from 'zod'
import { InputError } from '../../../core/errors/errors.js'
import type { Environment } from '../../../core/ports/environment.js'
import type { Score, Task, Trajectory } from '../../../core/task/task.js'
import { checkSplits, dataOptions, type Item, readSplits, type Splits } from '../../loading/data.js'
import { itemProblems } from '../../loading/item-problems.js'
import { ownPrompts } from '../../loading/own-prompts.js'
import { quote, verdict, withStop } from '../../scoring/scorer.js'
import { type Choice, chosenLabel, labels, shuffleChoices } from './choices.js'
import { publishedId } from './id.js'

const defaultInstructions = `You answer multiple-choice questions on research mathematics.
Exactly one of the five choices is the best answer. Others may be false, or true and weaker than it.
Reason first. End your reply with the letter of your choice between <answer> and </answer>.`

export const options = z.strictObject({
  ...dataOptions,
  seed: dataOptions.seed.describe(
    'Seed of the shuffle before `path` is divided, and of the order in which the choices of an item are shown.',
  ),
  instructions: z.string().default(defaultInstructions).describe('What the agent is told before the skill.'),
  shuffleChoices: z
    .boolean()
    .default(true)
    .describe('Shuffle the choices of each item by `seed` and id; otherwise the right one comes first.'),
  useTheorem: z
    .boolean()
    .default(true)
    .describe('Whether reflection is shown the theorem behind a question. The agent never is.'),
  useSketch: z
    .boolean()
    .default(true)
    .describe('Whether reflection is shown the sketch of its proof. The agent never is.'),
})

type Options = z.infer<typeof options>

interface MathTask extends Task {
  readonly question: string
  readonly choices: readonly Choice[]
  readonly correct: string
  /** Label of a choice that is true but weaker than the correct one, if the data names it. */
  readonly weaker?: string
  readonly hidden?: string
}

/** Multiple-choice questions on theorems of recent papers. One call, scored by the label. */
export async function create(
  given: Options,
  { baseDir }: { readonly baseDir: string },
): Promise<Environment<MathTask>> {
  const items = await readSplits(given, baseDir)
  const tasks: Splits<MathTask> = {
    train: items.train.map(item => readTask(item, given)),
    val: items.val.map(item => readTask(item, given)),
    test: items.test.map(item => readTask(item, given)),
  }
  checkSplits(tasks, ({ question, choices }) =>
    [question, ...choices.map(({ text }) => text).sort()].join('\n'),
  )
  return {
    id: 'livemath',
    needs: ['chat'],
    prompts: await ownPrompts(import.meta.url),
    tasks: async split => tasks[split],
    open: async ({ question, choices, hidden }) => ({
      instructions: given.instructions,
      prompt: `Question:\n${question}\n\nChoices:\n${choices.map(({ label, text }) => `${label}. ${text}`).join('\n')}`,
      skillAt: 'system',
      tools: [],
      turnLimit: 1,
      ...(hidden === undefined ? {} : { hidden }),
      close: async () => {},
    }),
    score: async (task, trajectory) => scoreChoice(task, trajectory),
  }
}

function scoreChoice({ choices, correct, weaker }: MathTask, trajectory: Trajectory): Score {
  const chosen = chosenLabel(trajectory.answer, choices)
  const named = (label: string) => {
    const choice = choices.find(candidate => candidate.label === label)
    return choice === undefined
      ? label === ''
        ? 'no answer'
        : quote(label)
      : `${label} (${quote(choice.text)})`
  }
  const right = chosen === correct
  const note = chosen === weaker ? ` ${weaker} is true, but says less than ${correct}.` : ''
  const feedback = right
    ? `Correct: ${named(chosen)}.`
    : `Expected ${named(correct)}; got ${named(chosen)}.${note}`
  return withStop(verdict(right, feedback), trajectory)
}

// ── Items ───────────────────────────────────────────────────────────────────

const choiceSchema = z.object({
  label: z.string().trim().toUpperCase().pipe(z.enum(labels)),
  text: z.string().min(1),
})

/** An item as published, with the correct choice apart from the others. */
const itemSchema = z.object({
  id: z.union([z.string().min(1), z.number()]).transform(String),
  theorem: z
    .union([z.string(), z.object({ content: z.string() }).transform(({ content }) => content)])
    .nullish(),
  sketch: z.string().nullish(),
  theorem_type: z.union([z.string(), z.array(z.string())]).nullish(),
  mcq: z.object({
    question: z.string().min(1),
    correct_choice: choiceSchema,
    choices: z.array(choiceSchema),
    meta: z.object({ weaker_true_label: z.string().nullish() }).nullish(),
  }),
})

export function readTask(
  item: Item,
  given: Pick<Options, 'seed' | 'shuffleChoices' | 'useTheorem' | 'useSketch'>,
): MathTask {
  const fields = { ...item.fields, id: publishedId(item) }
  const parsed = itemSchema.safeParse(fields)
  if (!parsed.success)
    refuse(`${item.at} is not a LiveMathematicianBench item: ${itemProblems(parsed.error, fields)}.`)
  const { id, theorem, sketch, theorem_type: types, mcq } = parsed.data
  const merged = mergeChoices(mcq.correct_choice, mcq.choices, `${item.at} (item ${id})`)
  const ordered = given.shuffleChoices ? shuffleChoices(merged, given.seed, id) : merged
  /** Converts a choice's published label to the label under which it is shown. */
  const shownAs = (published: string | null | undefined) =>
    labels[ordered.findIndex(({ label }) => label === published)]
  const [type] = typeof types === 'string' ? [types] : (types ?? [])
  const weaker = shownAs(mcq.meta?.weaker_true_label)
  const hidden = hiddenText(given.useTheorem ? theorem : undefined, given.useSketch ? sketch : undefined)
  return {
    id,
    ...(type === undefined || type === '' ? {} : { type }),
    question: mcq.question,
    choices: ordered.map(({ text }, index) => ({ label: labels[index] ?? '', text })),
    correct: shownAs(mcq.correct_choice.label) ?? '',
    ...(weaker === undefined ? {} : { weaker }),
    ...(hidden === '' ? {} : { hidden }),
  }
}

/** The five choices, the correct one first. The other choices may already include it. */
function mergeChoices(correct: Choice, others: readonly Choice[], at: string): readonly Choice[] {
  const rest = others.filter(({ label, text }) => label !== correct.label || text !== correct.text)
  const merged = [correct, ...rest]
  const found = new Set(merged.map(({ label }) => label))
  if (merged.length !== labels.length || found.size !== labels.length)
    refuse(
      `${at} has the choices ${merged.map(({ label }) => label).join(', ')} with the right one, and not each of A to E once.`,
    )
  return merged
}

type Text = string | null | undefined

function hiddenText(theorem: Text, sketch: Text): string {
  const part = (name: string, text: Text) => ((text ?? '').trim() === '' ? [] : [`${name}:\n${text?.trim()}`])
  return [...part('Theorem', theorem), ...part('Sketch of the proof', sketch)].join('\n\n')
}

function refuse(message: string): never {
  throw new InputError(message, {
    hint: 'An item has `id` (or `no`) and `mcq` with `question`, `correct_choice` (A) and the other four `choices` (B to E), each with `label` and `text`; `theorem`, `sketch` and `theorem_type` beside it.',
  })
}
