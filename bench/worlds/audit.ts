import type { EventBody, RecordedEdit } from '../../src/core/log/event.js'
import { seedDocument } from '../../src/core/skill/document.js'
import { applyEdits } from '../../src/core/skill/edit.js'
import { concernedByCause } from '../../src/trainer/loops/trials/classification.js'
import { createConcern } from '../../src/trainer/loops/trials/concern.js'
import { causeOf } from '../../src/trainer/loops/trials/pool.js'
import { mean } from '../figures.js'
import { addPairs, type ConcernPairs, noPairs, type SourceName, sourcesOf } from './concern-sources.js'
import type { WorldRun } from './in-process.js'
import { meaningsIn } from './vocabulary.js'
import type { World } from './world.js'

/**
 * Compares a training's decisions with the truth of its world. All figures are counts, so that runs can be
 * summed.
 */
export interface Audit {
  /** Lines that the shipped skill has beyond the seed skill, by the effect of removing them. */
  readonly lines: Effects
  /** Edits by their effect at the time they were accepted. */
  readonly accepted: Effects
  /** Distinct lessons that would have helped when they were tried, and the accepted ones among them. */
  readonly helpful: { readonly tried: number; readonly found: number }
  /** Pairs of a topical edit and a train task: predicted as concerned, truly concerned, both. */
  readonly concerned: ConcernPairs
  /** The same for each source of concern predictions, used or not. */
  readonly sources: Readonly<Record<SourceName, ConcernPairs>>
  /**
   * Number of 95% confidence intervals of effects on concerned tasks, and how many contain the true effect.
   */
  readonly intervals: { readonly all: number; readonly hold: number }
  /**
   * Sums over verdicts of the estimated minus the true effect: on concerned tasks, and on all train tasks.
   */
  readonly errors: { readonly all: number; readonly concerned: number; readonly everywhere: number }
  /** Tests of the whole skill against the seed, and how many failed. */
  readonly finalTests: { readonly all: number; readonly failed: number }
}

export interface Effects {
  readonly helpful: number
  readonly none: number
  readonly harmful: number
}

/** Smaller changes of the true score are rounding errors. */
const nothing = 1e-9

export function auditRun(world: World, run: WorldRun): Audit {
  const texts = world.tasks.train.map(({ id, type, question }) => ({ id, type, text: question }))
  const used = createConcern(texts)
  const allSources = sourcesOf(texts)
  const named = new Map<string, ReadonlySet<string>>()
  const concern = (edit: RecordedEdit) => used(edit, named.get(causeOf(edit)))
  const edits = new Map<string, RecordedEdit>()
  const lessons = new Map<string, boolean>()
  const accepted = { helpful: 0, none: 0, harmful: 0 }
  let concerned = noPairs
  const sources: Partial<Record<SourceName, ConcernPairs>> = {}
  const intervals = { all: 0, hold: 0 }
  const errors = { all: 0, concerned: 0, everywhere: 0 }
  const finalTests = { all: 0, failed: 0 }
  let skill = world.seedSkill
  let version = 0

  const admit = (edit: RecordedEdit) => {
    edits.set(edit.id, edit)
    if (effectOf(world, edit, skill) > nothing) {
      const lesson = lessonOf(edit)
      if (!lessons.has(lesson)) lessons.set(lesson, false)
    }
    const topic = topicOf(world, edit)
    if (topic === undefined) return
    const truth = new Set(
      world.tasks.train.filter(({ id }) => world.topicsOf(id).includes(topic)).map(({ id }) => id),
    )
    concerned = addPairs(concerned, concern(edit), truth)
    for (const [name, said] of allSources(edit, named.get(causeOf(edit))))
      sources[name] = addPairs(sources[name] ?? noPairs, said, truth)
  }
  const decide = ({ edit: id, decision, effect, elsewhere }: EventBody<'edit.decided'>) => {
    const edit = edits.get(id)
    if (edit === undefined) return
    if (decision === 'accepted') {
      accepted[kindOf(effectOf(world, edit, skill))] += 1
      const lesson = lessonOf(edit)
      if (lessons.has(lesson)) lessons.set(lesson, true)
    }
    if (effect === undefined || (decision !== 'accepted' && decision !== 'dropped')) return
    const fresh = [...concern(edit)].filter(task => !edit.tasks.includes(task))
    const after = withEdit(edit, skill)
    if (fresh.length === 0 || after === skill) return
    const before = skill
    const change = (tasks: readonly string[]) =>
      mean(tasks.map(task => world.probability(task, after) - world.probability(task, before)))
    const truth = change(fresh)
    const others = texts.map(({ id }) => id).filter(id => !edit.tasks.includes(id) && !fresh.includes(id))
    const share = fresh.length / (fresh.length + others.length)
    const everywhere = share * effect.mean + (1 - share) * (elsewhere?.mean ?? 0)
    errors.all += 1
    errors.concerned += effect.mean - truth
    errors.everywhere += everywhere - change([...fresh, ...others])
    intervals.all += 1
    if (effect.low <= truth && truth <= effect.high) intervals.hold += 1
  }

  for (const event of run.events) {
    if (event.type === 'trials.classified')
      for (const [cause, tasks] of concernedByCause(event.body, texts)) named.set(cause, tasks)
    if (event.type === 'trials.admitted') for (const edit of event.body.edits) admit(edit)
    if (event.type === 'edit.decided') decide(event.body)
    if (event.type === 'skill.version') skill = run.versions[version++]?.skill ?? skill
    if (event.type === 'gate.decided' && event.body.what === 'final') {
      finalTests.all += 1
      if (event.body.action === 'reject' || event.body.action === 'abstain') finalTests.failed += 1
    }
  }
  const found = [...lessons.values()].filter(isFound => isFound).length
  return {
    lines: linesOf(world, run.skill),
    accepted,
    helpful: { tried: lessons.size, found },
    concerned,
    sources: sources as Audit['sources'],
    intervals,
    errors,
    finalTests,
  }
}

function linesOf(world: World, skill: string): Effects {
  const counts = { helpful: 0, none: 0, harmful: 0 }
  const lines = skill.split('\n')
  const own = new Set(world.seedSkill.split('\n'))
  const whole = world.trueScore(skill)
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || own.has(line)) continue
    counts[kindOf(whole - world.trueScore(lines.toSpliced(index, 1).join('\n')))] += 1
  }
  return counts
}

const kindOf = (effect: number): keyof Effects =>
  effect > nothing ? 'helpful' : effect < -nothing ? 'harmful' : 'none'

function effectOf(world: World, edit: RecordedEdit, skill: string): number {
  return world.trueScore(withEdit(edit, skill)) - world.trueScore(skill)
}

function withEdit(edit: RecordedEdit, skill: string): string {
  return applyEdits(seedDocument(skill), [edit]).document.text
}

const contentOf = (edit: RecordedEdit): string => ('content' in edit ? edit.content : '')

/** Rephrased edits teach the same lesson. */
function lessonOf(edit: RecordedEdit): string {
  const meanings = meaningsIn(contentOf(edit))
  return meanings.length > 0 ? JSON.stringify(meanings) : contentOf(edit).trim()
}

/** Topic of a rule or a vague line; habits and shortcuts have none. */
function topicOf(world: World, edit: RecordedEdit): string | undefined {
  const words = new Set(contentOf(edit).match(/\w+/g))
  return world.topics.find(({ word }) => words.has(word))?.word
}
