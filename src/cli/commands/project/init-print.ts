import { dirname } from 'node:path'
import { advisedCounts, missingTasks, sightSentences } from '../../../prepare/how-many.js'
import type { ExistingSkill } from '../../../prepare/init-skill.js'
import type { InitTasks } from '../../../prepare/init-tasks.js'
import { isSimulated, type Models } from '../../../prepare/models.js'
import { needsJudge, shownScorer } from '../../../prepare/scorer.js'
import { clean, plural, shownPath } from '../../output/text.js'
import { type Io, printLine, sayWarnings } from '../../terminal/io.js'

export interface InitResult {
  readonly folder: string
  readonly files: readonly string[]
  /** The skill that the user named, or that was found in the folder. */
  readonly skill: ExistingSkill | undefined
  readonly skillIsNew: boolean
  readonly tasks: InitTasks
  readonly models: Models
  /** Why these models were chosen. */
  readonly because: string
  readonly schemaFound: boolean
}

/** Prints the created files, their input, how small a gain the tasks can detect, and the next steps. */
export function printInit(io: Io, result: InitResult): void {
  const { tasks, models, skill, folder } = result
  for (const file of result.files) printLine(io, `Wrote ${shownPath(file, io.cwd)}`)
  printLine(io)
  printLine(io, `${io.colors.bold('skill')}   ${clean(skillSentence(result, io.cwd))}`)
  printLine(io, `${io.colors.bold('tasks')}   ${clean(tasksSentence(tasks))}`)
  printLine(io, `${io.colors.bold('models')}  ${clean(modelsSentence(result))}`)
  if (!result.schemaFound) {
    const where = shownPath(folder, io.cwd)
    printLine(
      io,
      `${io.colors.bold('editor')}  completes skillopt.yaml once skillopt is installed in ${where} or above`,
    )
  }
  printHowMany(io, tasks)
  printNext(io, result)
  sayWarnings(
    io,
    (skill?.findings ?? []).map(({ message, hint }) => `${message}. ${hint}`),
  )
  if (isSimulated(models.target)) {
    sayWarnings(io, [
      'The models are simulated: they show how training works but learn nothing about your tasks.',
    ])
  }
}

function printHowMany(io: Io, { state, counts }: InitTasks): void {
  printLine(io, '\nHow many tasks you need (docs/how-many-tasks.md):')
  // Example tasks and tiny task sets will be replaced, so the gain they can detect is not printed.
  const stays = state === 'divided' || state === 'found'
  for (const sentence of stays ? sightSentences(counts) : []) printLine(io, `  now: ${sentence}`)
  const missing = missingTasks(counts)
  if (missing === undefined) return
  printLine(io, `  better: ${missing}; then`)
  for (const sentence of sightSentences(advisedCounts)) printLine(io, `    ${sentence}`)
}

function skillSentence({ skill, skillIsNew, folder }: InitResult, cwd: string): string {
  if (skill === undefined || skillIsNew) return 'a starter with a heading and two lines; fill it in'
  const isHere = dirname(skill.file) === folder
  const origin = isHere ? 'the existing SKILL.md' : `copied from ${shownPath(skill.file, cwd)}`
  if (skill.beside.length === 0) return origin
  const beside = skill.beside.map(name => `${name}/`).join(', ')
  return `${origin}, without ${beside}: training uses and changes only the text`
}

function tasksSentence({ state, counts, scorer }: InitTasks): string {
  const total = counts.train + counts.val + counts.test
  const parts = `${counts.train} train, ${counts.val} validation, ${counts.test} test`
  const scored = `scored by ${shownScorer(scorer.scorer)} (${scorer.reason})`
  switch (state) {
    case 'examples':
      return 'tasks.jsonl holds examples: replace them with yours'
    case 'too-few':
      return `${plural(total, 'task')} in tasks.jsonl, too few to split: add more before you train; ${scored}`
    default:
      return `${plural(total, 'task')}: ${parts}; ${scored}`
  }
}

function modelsSentence({ models, because, tasks }: InitResult): string {
  const { target, optimizer, judge } = models
  const judged = needsJudge(tasks.scorer) ? `, judged by ${judge}` : ''
  const simulated = isSimulated(target) ? 'simulated; ' : ''
  return `${target} is trained, ${optimizer} proposes edits${judged} (${simulated}${because})`
}

function printNext(io: Io, { folder, tasks, models }: InitResult): void {
  const where = shownPath(folder, io.cwd)
  const project = where === io.cwd ? '' : ` ${where}`
  const own = tasks.state === 'examples' || tasks.state === 'too-few'
  const file = shownPath(`${folder}/tasks.jsonl`, io.cwd)
  const isReady = tasks.state !== 'too-few'
  const steps = [
    ...(own ? [`write your tasks into ${file}, or: skillopt init${project} --tasks yours.csv --force`] : []),
    ...(isSimulated(models.target)
      ? ['set an API key, such as OPENAI_API_KEY, and name your models in skillopt.yaml']
      : []),
    `skillopt tasks check${project}`,
    `skillopt doctor${project}`,
    ...(isReady && tasks.first !== undefined ? [`skillopt try${project} --task ${clean(tasks.first)}`] : []),
    `skillopt train${project}`,
  ]
  printLine(io, '\nNext:')
  for (const step of steps) printLine(io, `  ${step}`)
}
