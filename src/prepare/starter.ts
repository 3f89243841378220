import { stringify } from 'yaml'
import { configSchema } from '../core/config/config.js'
import { epochsOf } from '../core/config/epochs.js'
import { isSimulated, type Models } from './models.js'
import { needsJudge, type ScorerSuggestion, shownScorer } from './scorer.js'

/** Where a project's tasks are, as written in its config. */
export type TasksPlace =
  | { readonly path: string; readonly ratio: string }
  | { readonly train: string; readonly val: string; readonly test: string }
  | { readonly splitDir: string }

export interface StarterConfig {
  readonly schema: string
  readonly skill: string
  readonly place: TasksPlace
  readonly scorer: ScorerSuggestion
  readonly models: Models
  /** Number of train tasks. The number of epochs depends on it. */
  readonly trainTasks: number
}

const meanings: Readonly<Record<string, string>> = {
  path: 'all tasks, split by the ratio; `skillopt tasks split` makes fixed files of it',
  ratio: 'shares of training, validation and test',
  train: 'what the training learns from',
  val: 'checks the trained skill before it ships',
  test: 'used only at the end',
  splitDir: 'a folder with train, val and test in it',
}

/** Writes a config with the few settings that matter, each with a comment. */
export function configText({ schema, skill, place, scorer, models, trainTasks }: StarterConfig): string {
  const epochs = epochsOf(configSchema.parse({ environment: {}, models }), trainTasks)
  const note = isSimulated(models.target)
    ? [
        '# Simulated models: no key, no cost, and nothing learned about real ones. Name your own before real training.',
      ]
    : []
  return [
    `# yaml-language-server: $schema=${schema}`,
    '# Every setting and its default: docs/configuration.md of the package.',
    ...setting('skill', skill, 'the seed skill; training does not change this file'),
    '',
    'environment:',
    ...setting('  use', 'tasks'),
    ...Object.entries(place).flatMap(([key, value]) => setting(`  ${key}`, value, meanings[key])),
    `  # How answers are compared; chosen because ${oneLine(scorer.reason)}.`,
    `  scorer: ${shownScorer(scorer.scorer)}`,
    '',
    ...note,
    'models:',
    ...setting('  target', models.target, 'the model that will use the skill'),
    ...setting('  optimizer', models.optimizer, 'proposes edits: choose a strong model, it makes few calls'),
    ...(needsJudge(scorer)
      ? setting('  judge', models.judge, "grades replies; not the optimizer's model")
      : []),
    '',
    'train:',
    ...setting(
      '  epochs',
      epochs,
      'passes over the training tasks; every edit needs attempts with and without it',
    ),
    '',
    '# limits:',
    '#   maxCost: 5  # US dollars; a hard cap',
    '',
  ].join('\n')
}

/** Formats one setting. `key` includes its indentation. */
function setting(key: string, value: string | number, comment?: string): string[] {
  // YAML 1.1 parses 2:1:1 as a sexagesimal number, so such values are quoted.
  const written =
    /^[\d:.]+$/.test(String(value)) && typeof value === 'string' ? JSON.stringify(value) : plain(value)
  const line = `${key}: ${written}`
  return [comment === undefined ? line : `${line}  # ${comment}`]
}

const plain = (value: string | number) => stringify(value, { lineWidth: 0 }).trim()
const oneLine = (text: string) => text.replace(/\s+/g, ' ')

/** Returns a starter skill that is valid, short, and clearly meant to be replaced. */
export function skillText(name: string, description: string): string {
  const title = name.replaceAll('-', ' ').replace(/^./, first => first.toUpperCase())
  const frontmatter = stringify({ name, description }, { lineWidth: 0 })
  return `---
${frontmatter}---

# ${title}

- Read the whole task before you answer.
- Give what is asked for, in the form that is asked for, and nothing else.
`
}

export const starterDescription = 'Say here what the skill does and when an agent should use it.'

/** Example tasks. They show the format and are meant to be replaced. */
export const starterTasks: readonly Readonly<Record<string, string>>[] = [
  ['billing', 'I was charged twice for the same order.'],
  ['billing', 'My invoice names the wrong company.'],
  ['billing', 'The discount code was taken, but the price did not change.'],
  ['billing', 'When will my card be debited?'],
  ['shipping', 'The parcel has been in the same depot for a week.'],
  ['shipping', 'Can the courier come in the evening?'],
  ['shipping', 'The tracking number is not known to the carrier.'],
  ['shipping', 'It says delivered, and nobody rang.'],
  ['returns', 'The lamp arrived with a broken shade.'],
  ['returns', 'These shoes do not fit; how do I send them back?'],
  ['returns', 'Where do I get a label for the way back?'],
  ['returns', 'You sent me a blue jacket, and I ordered a green one.'],
].map(([answer = '', message = ''], index) => ({
  id: `example-${String(index + 1).padStart(2, '0')}`,
  type: answer,
  question: `Which team takes this ticket: billing, shipping or returns? "${message}"`,
  answer,
}))
