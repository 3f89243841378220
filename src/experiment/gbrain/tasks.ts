import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { InputError } from '../../core/errors/errors.js'
import { seededShuffle } from '../../core/statistics/random.js'
import { checksSchema } from '../../core/task/check.js'
import { type SleepTask, sleepTaskSchema } from '../../sleep/model/sleep-task.js'
import { itemProblems } from '../../tasks/loading/item-problems.js'
import { type Row, readRows } from '../../tasks/loading/rows.js'

/** The skills of the set, each with the instruction that it lacks. data/NOTE.md gives their origin. */
export const gbrainSkills = {
  'brief-writer': 'a brief names the risks, and how sure it is',
  'thorough-analyst': 'an analysis stays short enough to be read',
  advisor: 'advice ends with a recommendation, and how sure it is',
  'quick-answerer': 'an answer is looked up before it is given',
} as const
export type GbrainSkill = keyof typeof gbrainSkills

export interface GbrainSet {
  /** Text of the deficient SKILL.md. */
  readonly skill: string
  /**
   * Tasks in all splits. Train and validation tasks come from the benchmark, divided by the seed; test tasks
   * are the set's held-out ones.
   */
  readonly tasks: readonly SleepTask[]
}

const lineSchema = z.strictObject({
  task_id: z.string().regex(/^[a-z]+-\d+$/),
  task: z.string().min(1),
  judge: z.strictObject({ kind: z.literal('rule'), checks: checksSchema.min(1) }),
})

/** Share of the benchmark's tasks that go to validation. The rest is for training. */
const validationShare = 1 / 3

/** Reads a skill and its tasks. Only tests set `folder`, because the set ships with this package. */
export async function readGbrain(
  name: GbrainSkill,
  seed: number,
  folder = packaged(name),
): Promise<GbrainSet> {
  const [skill, benchmark, heldOut] = await Promise.all([
    readFile(new URL('SKILL.md', folder), 'utf8'),
    readRows(fileURLToPath(new URL('benchmark.jsonl', folder))),
    readRows(fileURLToPath(new URL('held-out.jsonl', folder))),
  ])
  const validating = new Set(
    seededShuffle(benchmark, seed).slice(0, Math.round(benchmark.length * validationShare)),
  )
  const tasks = [
    ...benchmark.map(row => taskOf(row, name, validating.has(row) ? 'val' : 'train')),
    ...heldOut.map(row => taskOf(row, name, 'test')),
  ]
  return { skill, tasks }
}

const packaged = (name: GbrainSkill): URL => new URL(`data/${name}/`, import.meta.url)

/**
 * Creates a task from a line of the benchmark. Each line asks about a different decision, so each task is a
 * family of its own.
 */
function taskOf({ fields, at }: Row, skill: GbrainSkill, split: 'train' | 'val' | 'test'): SleepTask {
  const parsed = lineSchema.safeParse(fields)
  if (!parsed.success) throw new InputError(`${at} is no task: ${itemProblems(parsed.error, fields)}.`)
  const { task_id, task, judge } = parsed.data
  const id = `${skill}-${task_id}`
  return sleepTaskSchema.parse({
    id,
    intent: task,
    checks: judge.checks,
    writtenBy: 'gbrain',
    reviewed: true,
    split,
    family: id,
    examples: [],
    evidence: {
      requests: 1,
      occasions: 1,
      days: 1,
      projects: 1,
      reworked: 0,
      wordings: 1,
      score: 1,
      requestIds: [id],
      sessions: [],
      failures: [],
      tools: [],
    },
  })
}
