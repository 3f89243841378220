import { z } from 'zod'
import { InputError } from '../../core/errors/errors.js'
import { dataOptions } from '../loading/data.js'
import { scorerConfig } from '../scoring/index.js'
import { isFileName } from '../scoring/workspace.js'

export const usualTurns = 40

export const options = z.strictObject({
  ...dataOptions,
  prompt: z
    .string()
    .optional()
    .describe('A field, or a template such as "Translate: {{text}}". Default: `question`, else `prompt`.'),
  id: z
    .string()
    .optional()
    .describe('The field with the id of a task. Default: `id`, else the file or split with the line number.'),
  type: z
    .string()
    .optional()
    .describe('The field by which results are grouped in reports. Default: `type`, where there is one.'),
  files: z
    .union([z.string(), z.literal(false)])
    .optional()
    .describe(
      'The field with images, PDFs or texts that go before the prompt; `false` for none. Default: `files`.',
    ),
  workspace: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The field with the files that an agent works on: a folder, or an object of names and texts. Each attempt gets a copy.',
    ),
  answerFile: z.string().optional().describe('File in the workspace that is scored instead of the reply.'),
  turns: z
    .int()
    .positive()
    .optional()
    .describe(
      `The most replies of the model in one attempt at a task with a workspace. Default: ${usualTurns}.`,
    ),
  seconds: z
    .number()
    .positive()
    .optional()
    .describe('Time for one attempt at a task with a workspace. Default: what the agent may take at most.'),
  instructions: z
    .string()
    .optional()
    .describe('What the agent is told before the skill. Default: how to mark its answer.'),
  scorer: scorerConfig
    .default('exact')
    .describe(
      'How answers are scored: exact, contains, regex, numeric, token-f1, anls, json-equal, json-schema, choice, rules, command, rubric, searchqa, officeqa or weighted; or {name, …options}.',
    ),
})

export type Options = z.infer<typeof options>

/** Rejects options that would have no effect. */
export function checkOptions({ workspace, files, ...given }: Options): void {
  const unused = (['answerFile', 'turns', 'seconds'] as const).find(name => given[name] !== undefined)
  if (workspace === undefined && unused !== undefined) {
    throw new InputError(
      `environment.${unused} is for tasks with files to work on, and environment.workspace is not set.`,
      {
        hint: 'Name the field with the files in `workspace`.',
      },
    )
  }
  if (workspace !== undefined && workspace === files) {
    throw new InputError(`environment.files and environment.workspace both name the field "${files}".`, {
      hint: 'What goes before the prompt and what the agent works on are two fields.',
    })
  }
  if (given.answerFile !== undefined && !isFileName(given.answerFile)) {
    throw new InputError(
      `environment.answerFile is "${given.answerFile}", which is not the name of a file below the workspace.`,
      {
        hint: 'Write a name such as "answer.md" or "out/report.md".',
      },
    )
  }
}
