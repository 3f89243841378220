import { z } from 'zod'

/** What Sleep reads and how it makes tasks of it. None of it changes what a run that was begun has shown. */
export const sleepSchema = z
  .strictObject({
    sources: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('Agents whose transcripts are read, such as `claude-code` and `codex`. Default: all.'),
    places: z
      .record(z.string(), z.array(z.string().min(1)))
      .optional()
      .describe('Source → folders or files to read in place of where its agent writes.'),
    scope: z
      .enum(['project', 'all'])
      .default('project')
      .describe('`project`: sessions in the project’s folder and below it; `all`: wherever they were.'),
    days: z
      .number()
      .nonnegative()
      .default(90)
      .describe('Sessions that went on in the last so many days; 0 = all. What recurs needs time to recur.'),
    redact: z
      .array(
        z.strictObject({
          name: z.string().min(1).describe('Stands in its place: `[redacted: NAME]`.'),
          pattern: z.string().min(1).describe('A regular expression, without slashes.'),
        }),
      )
      .default([])
      .describe('What is to be hidden besides the secrets that are known: a list of {name, pattern}.'),
    embedder: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Compare requests by meaning too: the name of an embedder, or the path of a module of your own. Default: by words.',
      ),
    occasions: z
      .int()
      .min(2)
      .default(2)
      .describe('Sessions in which something was asked, at least, to be called recurring.'),
    score: z
      .number()
      .positive()
      .default(3)
      .describe(
        'What has to speak for recurrence: an occasion counts 1; each further day, further project and occasion with rework ½.',
      ),
    tasks: z.int().positive().default(40).describe('New tasks that one harvest adds, at most.'),
    examples: z
      .int()
      .min(1)
      .max(10)
      .default(3)
      .describe('Requests that stand for a task, each from another session.'),
    val: z.number().min(0).max(0.9).default(0.34).describe('Share of the tasks that validate.'),
    test: z.number().min(0).max(0.9).default(0.2).describe('Share of the tasks that are kept for tests.'),
    skill: z
      .string()
      .min(1)
      .default('skillopt-sleep-learned')
      .describe(
        'The skill in which Sleep keeps what it learns: a name, or the path of a SKILL.md relative to the project. By a name alone it is where the agent of most sessions reads skills.',
      ),
    memory: z
      .array(z.enum(['CLAUDE.md', 'AGENTS.md']))
      .default([])
      .describe('Files of the project in which Sleep may keep something too, behind a gate of their own.'),
    fanOut: z
      .boolean()
      .default(false)
      .describe('Tasks for which one skill was always used teach that skill, each by its own gate.'),
    skillRoots: z
      .array(z.string().min(1))
      .default([])
      .describe('Folders that hold skills, besides those that the agents read: for `fanOut`.'),
    nightTasks: z
      .int()
      .positive()
      .default(40)
      .describe('Tasks that one night learns from, at most; those that were asked for last come first.'),
    recall: z
      .int()
      .nonnegative()
      .default(0)
      .describe('Older tasks that a night learns from too, because they are the most like the others of it.'),
    dreams: z
      .int()
      .nonnegative()
      .max(5)
      .default(0)
      .describe(
        'Variants of each task that the optimizer makes up. They are learned from, and never decide.',
      ),
    copies: z
      .boolean()
      .default(true)
      .describe(
        'Agents try tasks in a throw-away copy of the project as it was before the session, where git knows it.',
      ),
    autoAdopt: z
      .boolean()
      .default(false)
      .describe('Adopt what the gate accepted without a review. Only the settings can say so.'),
  })
  .refine(
    ({ val, test }) => val + test < 1,
    'val and test together must be below 1, or nothing is left to train on',
  )

export type SleepConfig = z.output<typeof sleepSchema>
