import {
  type SleepTask,
  sleepTaskSchema,
  type TaskBook,
  taskBookSchema,
} from '../../src/sleep/model/sleep-task.js'

type Given = Omit<Partial<SleepTask>, 'evidence' | 'examples'> & {
  readonly evidence?: Partial<SleepTask['evidence']>
  readonly examples?: readonly Partial<SleepTask['examples'][number]>[]
}

/** A task that was requested on three occasions, with the given overrides. */
export function sleepTask(id: string, { evidence, examples = [{}], ...given }: Given = {}): SleepTask {
  const session = `claude-code:${id}-1`
  return sleepTaskSchema.parse({
    id,
    intent: `Do what ${id} says.`,
    writtenBy: 'heuristics',
    split: 'train',
    family: id,
    ...given,
    examples: examples.map((example, index) => ({
      request: `${id}-r${index + 1}`,
      session,
      at: '2026-10-01T08:00:00Z',
      text: `please do ${id}`,
      ...example,
    })),
    evidence: {
      requests: 4,
      occasions: 3,
      days: 2,
      projects: 1,
      reworked: 1,
      wordings: 3,
      score: 4,
      firstAt: '2026-10-01T08:00:00Z',
      lastAt: '2026-10-07T20:00:00Z',
      requestIds: [`${id}-r1`],
      sessions: [session],
      failures: [],
      tools: [],
      ...evidence,
    },
  })
}

export function sleepBook(project: string, tasks: readonly SleepTask[]): TaskBook {
  const harvestedAt = '2026-10-08T03:17:00Z'
  return taskBookSchema.parse({ format: 'skillopt.sleep.tasks.v1', project, harvestedAt, tasks })
}

/** The tasks that docs/sleep.md shows. */
export function shownBook(project: string): TaskBook {
  return sleepBook(project, [
    sleepTask('write-commit-messages', {
      intent: 'Write the message for a commit of the staged changes.',
      rubric: ['The subject names what changes for users.', 'The body says why.'],
      checks: [{ op: 'max_chars', arg: 400 }],
      writtenBy: 'openai/gpt-5.4',
      examples: [
        {
          session: 'claude-code:41c2',
          at: '2026-10-01T08:12:00Z',
          text: 'commit this with a good message',
          answer: 'Done.',
        },
        {
          session: 'codex:9f03',
          at: '2026-10-05T16:40:00Z',
          text: 'write a commit message for what is staged',
        },
      ],
      evidence: {
        requests: 7,
        occasions: 6,
        days: 4,
        reworked: 2,
        wordings: 5,
        score: 8.5,
        sessions: ['claude-code:41c2', 'codex:9f03'],
        failures: [
          {
            kind: 'correction',
            text: 'no, the subject must say what changes for users',
            session: 'claude-code:41c2',
            at: '2026-10-01T08:14:00Z',
          },
        ],
        tools: ['Bash', 'Read'],
      },
    }),
    sleepTask('update-the-changelog', {
      intent: 'Add an entry for the last change to the changelog.',
      split: 'val',
      examples: [{ session: 'codex:b771', text: 'put that into the changelog' }],
    }),
    sleepTask('review-a-migration', {
      intent: 'Say what could go wrong with a migration of the database.',
      checks: [{ op: 'contains', arg: 'lock' }],
      split: 'test',
      examples: [{ session: 'pi:07aa', text: 'is this migration safe?' }],
      evidence: { occasions: 3, days: 3, reworked: 0, score: 4 },
    }),
  ])
}
