import { join, resolve } from 'node:path'
import { exitCodes } from '../../../core/errors/errors.js'
import { checkEnvironmentName, environmentFiles } from '../../../prepare/environment-template.js'
import { completeModels, isSimulated, type Models } from '../../../prepare/models.js'
import { writeNewFiles } from '../../../prepare/output.js'
import { environmentKind, filesOf } from '../../../project/modules.js'
import { shownPath } from '../../output/text.js'
import { type Io, printLine, sayWarnings } from '../../terminal/io.js'
import { type InitFlags, refuseProject, schemaPath, trustOwnProject } from './init.js'

/** Creates a project whose tasks and scores are code, with a small working example to adapt. */
export async function initEnvironment(
  io: Io,
  project: string | undefined,
  {
    environment: name,
    ...flags
  }: Pick<InitFlags, 'target' | 'optimizer' | 'force' | 'json'> & { readonly environment: string },
): Promise<number> {
  checkEnvironmentName(name, await filesOf(environmentKind))
  const folder = resolve(io.cwd, project ?? '.')
  const force = flags.force === true
  const isReplaced = await refuseProject(folder, io.cwd, force)
  // API keys in the environment are ignored, because the tasks are only an example and should cost nothing.
  const models = completeModels(flags, [])
  const files = await environmentFiles(folder, name, models)
  await writeNewFiles(files, { force, shown: file => shownPath(file, io.cwd) })
  if (!isReplaced) await trustOwnProject(io, folder)
  const written = files.map(({ file }) => file)
  if (flags.json === true) {
    printLine(io, JSON.stringify({ folder, environment: name, files: written, models }))
    return exitCodes.ok
  }
  for (const file of written) printLine(io, `Wrote ${shownPath(file, io.cwd)}`)
  printNext(io, folder, models)
  if (!(await schemaPath(folder)).found) {
    sayWarnings(io, [
      `skillopt is not installed in ${shownPath(folder, io.cwd)} or above; the test and your editor need it (npm install --save-dev skillopt).`,
    ])
  }
  return exitCodes.ok
}

function printNext(io: Io, folder: string, { target }: Models): void {
  const where = shownPath(folder, io.cwd)
  const argument = where === io.cwd ? '' : ` ${where}`
  const file = (name: string) => shownPath(join(folder, name), io.cwd)
  printLine(
    io,
    `\nIt is a small working environment that computes parcel charges. Make it yours in ${file('environment.ts')}.`,
  )
  if (isSimulated(target)) {
    printLine(
      io,
      'The models are simulated and can solve only these tasks, at no cost. Name real models in skillopt.yaml before you change the tasks.',
    )
  }
  printLine(io, '\nNext:')
  for (const step of [
    `node --test ${file('environment.test.mjs')}`,
    `skillopt doctor${argument}`,
    `skillopt try${argument} --task test-1`,
    `skillopt train${argument}`,
  ])
    printLine(io, `  ${step}`)
}
