import { z } from 'zod'

/** Options of Sleep for transcripts and task mining. None affects the results of an existing run. */
export const sleepSchema = z
  .strictObject({
    sources: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('Agents whose transcripts are read, such as `codex`; default: all.'),
    places: z
      .record(z.string(), z.array(z.string().min(1)))
      .optional()
      .describe('Source → folders or files to read instead of the default place.'),
    scope: z
      .enum(['project', 'all'])
      .default('project')
      .describe('`project`: sessions in the project’s folder; `all`: anywhere.'),
    days: z.number().nonnegative().default(90).describe('Sessions of the last so many days; 0 = all.'),
    redact: z
      .array(
        z.strictObject({
          name: z.string().min(1).describe('Stands in its place: `[redacted: NAME]`.'),
          pattern: z.string().min(1).describe('A regular expression, without slashes.'),
        }),
      )
      .default([])
      .describe('Your own patterns to hide: a list of {name, pattern}.'),
    embedder: z
      .string()
      .min(1)
      .optional()
      .describe('Embedder that also compares requests by meaning: a name, or the path of a module.'),
    occasions: z.int().min(2).default(2).describe('Fewest sessions for a recurring request.'),
    score: z
      .number()
      .positive()
      .default(3)
      .describe(
        'Lowest score for a recurring request: an occasion counts 1; each further day, project and correction ½.',
      ),
    tasks: z.int().positive().default(40).describe('New tasks per harvest at most.'),
    examples: z.int().min(1).max(10).default(3).describe('Example requests per task.'),
    val: z.number().min(0).max(0.9).default(0.34).describe('Share of validation tasks.'),
    test: z.number().min(0).max(0.9).default(0.2).describe('Share of test tasks.'),
    skill: z
      .string()
      .min(1)
      .default('skillopt-sleep-learned')
      .describe('The skill that is trained: a name, or the path of a SKILL.md.'),
    memory: z
      .array(z.enum(['CLAUDE.md', 'AGENTS.md']))
      .default([])
      .describe('Project notes that are trained too, with their own gate.'),
    fanOut: z.boolean().default(false).describe('Tasks that always used one skill train that skill.'),
    skillRoots: z.array(z.string().min(1)).default([]).describe('Further folders with skills, for `fanOut`.'),
    nightTasks: z
      .int()
      .positive()
      .default(40)
      .describe('Train tasks per night at most, the most recent first.'),
    recall: z.int().nonnegative().default(0).describe('Older, similar train tasks added to a night.'),
    dreams: z
      .int()
      .nonnegative()
      .max(5)
      .default(0)
      .describe('Invented variants per train task; they never decide.'),
    copies: z
      .boolean()
      .default(true)
      .describe('Agents work in a throw-away copy of the project as it was before the session.'),
    autoAdopt: z.boolean().default(false).describe('Adopt what the gate accepted without a review.'),
  })
  .refine(
    ({ val, test }) => val + test < 1,
    'val and test together must be below 1, or nothing is left to train on',
  )

export type SleepConfig = z.output<typeof sleepSchema>
