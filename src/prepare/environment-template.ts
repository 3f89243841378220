import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InputError } from '../core/errors/errors.js'
import type { Models } from './models.js'
import type { NewFile } from './output.js'

/**
 * The example is also the template, so the files that `init` writes are tested and documented as they are.
 */
const template = fileURLToPath(new URL('../../examples/own-environment', import.meta.url))

/** The template's files, in the order in which to read them. */
const templateFiles = [
  'environment.ts',
  'environment.test.mjs',
  'tasks.jsonl',
  'SKILL.md',
  'skillopt.yaml',
] as const

/**
 * Checks the name of an environment. It appears in logs and reports, and it keeps attempts of different
 * environments apart.
 */
export function checkEnvironmentName(name: string, taken: readonly string[]): void {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) {
    const suggested = name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^[^a-z]+|-+$/g, '')
    throw new InputError(
      `Invalid environment name "${name}": use lower-case letters, digits and hyphens, starting with a letter.`,
      suggested === '' ? {} : { hint: `For example: --environment ${suggested}` },
    )
  }
  if (taken.includes(name)) {
    throw new InputError(`${name} is a built-in environment.`, {
      hint: `To use it, set \`environment.use: ${name}\` in skillopt.yaml. For your own, choose another name.`,
    })
  }
}

/** Returns the files of a project with its own environment, with the name and the models filled in. */
export async function environmentFiles(
  folder: string,
  name: string,
  { target, optimizer }: Models,
): Promise<readonly NewFile[]> {
  const changes: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    'environment.ts': [["id: 'chargeable-weight'", `id: '${name}'`]],
    'SKILL.md': [['name: chargeable-weight', `name: ${name}`]],
    'skillopt.yaml': [
      [
        "# An environment of one's own in one TypeScript file, trained with simulated models: no key, no cost.",
        '# Every setting and its default: docs/configuration.md of the package.',
      ],
      ['target: simulated/target', `target: ${target}`],
      ['optimizer: simulated/optimizer', `optimizer: ${optimizer}`],
    ],
  }
  return Promise.all(
    templateFiles.map(async file => {
      const text = await readFile(join(template, file), 'utf8')
      const content = (changes[file] ?? []).reduce((before, [from, to]) => {
        if (!before.includes(from)) throw new Error(`The template ${file} lacks ${from}.`)
        return before.replace(from, () => to)
      }, text)
      return { file: join(folder, file), content }
    }),
  )
}
