import type { NightPlan, PlannedTarget } from '../../src/sleep/model/night-record.js'
import { type SleepTask, sleepTaskSchema } from '../../src/sleep/model/sleep-task.js'
import type { PlannedNight } from '../../src/sleep/proposal/proposal.js'

export function plannedTask(id: string, split: SleepTask['split'], sessions: readonly string[]): SleepTask {
  return sleepTaskSchema.parse({
    id,
    intent: `Do ${id}.`,
    rubric: ['It is done.'],
    writtenBy: 'person',
    split,
    family: id,
    examples: [],
    evidence: {
      requests: 2,
      occasions: 2,
      days: 2,
      projects: 1,
      reworked: 0,
      wordings: 2,
      score: 3,
      requestIds: ['r'],
      sessions,
      failures: [],
      tools: [],
    },
  })
}

/** A planned night on a project, in which only the targets and tasks matter. */
export function plannedNight(
  project: string,
  targets: readonly PlannedTarget[],
  tasks: readonly SleepTask[] = [
    plannedTask('greet', 'train', ['claude-code:s1', 'claude-code:s2']),
    plannedTask('val-task', 'val', ['claude-code:s3']),
    plannedTask('test-task', 'test', ['claude-code:s4']),
  ],
): PlannedNight {
  const format = 'skillopt.sleep.night.v1'
  const plan: NightPlan = {
    format,
    tasks: [...tasks],
    commits: {},
    targets: [...targets],
    skipped: [],
    memory: [],
    sessions: 4,
    models: { target: 'a/b', optimizer: 'c/d' },
    roots: [project],
    fingerprint: 'f',
  }
  return { begun: { format, number: 7, project, at: '2026-01-31T02:00:00Z' }, plan }
}
