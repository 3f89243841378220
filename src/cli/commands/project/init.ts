import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { exitCodes, InputError } from '../../../core/errors/errors.js'
import { listProviders } from '../../../models/index.js'
import { type FoundTasks, findTasks } from '../../../prepare/find.js'
import { type ExistingSkill, readSkill, starterSkill } from '../../../prepare/init-skill.js'
import { exampleTasks, type InitTasks, tasksFrom, tasksInPlace } from '../../../prepare/init-tasks.js'
import { completeModels, type ModelOffer, offerModels } from '../../../prepare/models.js'
import { type NewFile, writeNewFiles } from '../../../prepare/output.js'
import { kindOf } from '../../../prepare/source.js'
import { configText, starterDescription } from '../../../prepare/starter.js'
import { withDotEnv } from '../../../project/dot-env.js'
import { rememberTrust } from '../../../project/trust.js'
import { clean, shownPath } from '../../output/text.js'
import { type Io, printLine, sayWarnings } from '../../terminal/io.js'
import { type InitResult, printInit } from './init-print.js'
import { type Questions, terminalQuestions } from './init-questions.js'

export interface InitFlags {
  readonly from?: string | undefined
  readonly tasks?: string | undefined
  readonly question?: string | undefined
  readonly answer?: string | undefined
  readonly target?: string | undefined
  readonly optimizer?: string | undefined
  readonly yes?: true | undefined
  readonly force?: true | undefined
  readonly json?: true | undefined
}

/** Creates a project. All input is read and all choices are made before the first file is written. */
export async function init(
  io: Io,
  project: string | undefined,
  { questions: asking = terminalQuestions, ...flags }: InitFlags & { readonly questions?: Questions },
): Promise<number> {
  const folder = resolve(io.cwd, project ?? '.')
  const canAsk =
    io.stdin.isTTY === true && io.stdout.isTTY === true && flags.yes !== true && flags.json !== true
  const questions = canAsk ? asking : undefined
  const force = flags.force === true
  const isReplaced = await refuseProject(folder, io.cwd, force)

  const skill = await chooseSkill(io, folder, { ...flags, questions })
  const tasks = await chooseTasks(io, folder, { ...flags, questions, skill: skill.existing })
  const offers = offerModels(await listProviders(), (await withDotEnv(io.env, [folder, io.cwd])).env)
  const offer = await chooseOffer(offers, flags, questions)
  const models = completeModels(flags, offer === undefined ? [] : [offer])
  const schema = await schemaPath(folder)
  const config = configText({
    schema: schema.path,
    skill: 'SKILL.md',
    place: tasks.place,
    scorer: tasks.scorer,
    models,
    trainTasks: tasks.counts.train,
  })
  const files = [{ file: join(folder, 'skillopt.yaml'), content: config }, ...skill.files, ...tasks.files]
  await writeNewFiles(files, { force, shown: file => shownPath(file, io.cwd) })
  if (!isReplaced) await trustOwnProject(io, folder)

  const result: InitResult = {
    folder,
    files: files.map(({ file }) => file),
    skill: skill.existing,
    skillIsNew: skill.files.length > 0 && skill.existing === undefined,
    tasks,
    models,
    because:
      flags.target !== undefined || flags.optimizer !== undefined
        ? 'as you chose'
        : (offer?.because ?? 'no API key found'),
    schemaFound: schema.found,
  }
  if (flags.json === true) printLine(io, JSON.stringify(forPrograms(result)))
  else printInit(io, result)
  return exitCodes.ok
}

/** Rejects a folder that already holds a project, unless forced. Returns whether a config existed. */
export async function refuseProject(folder: string, cwd: string, force: boolean): Promise<boolean> {
  if ((await kindOf(folder)) === 'file') {
    throw new InputError(`${shownPath(folder, cwd)} is a file.`, { hint: 'Choose a folder for the project.' })
  }
  const file = join(folder, 'skillopt.yaml')
  const isThere = (await kindOf(file)) !== undefined
  if (force || !isThere) return isThere
  throw new InputError(`${shownPath(file, cwd)} already exists; nothing was written.`, {
    hint: '`skillopt doctor` checks it. Pass --force to replace it, or choose another folder.',
  })
}

/**
 * Trusts a new project's config, because its user wrote it; later changes then need no confirmation. A config
 * that existed before may have come from others through git, so replacing it does not make it trusted.
 */
export async function trustOwnProject(io: Io, folder: string): Promise<void> {
  const file = await realpath(join(folder, 'skillopt.yaml'))
  try {
    await rememberTrust(file, 'any', io)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    // The project works without this. At worst the user is asked for trust later.
    sayWarnings(io, [clean(error.message)])
  }
}

interface ChosenSkill {
  /** The skill that the user named, or that was found. */
  readonly existing: ExistingSkill | undefined
  readonly files: readonly NewFile[]
}

async function chooseSkill(
  io: Io,
  folder: string,
  { questions, ...flags }: InitFlags & { readonly questions: Questions | undefined },
): Promise<ChosenSkill> {
  const file = join(folder, 'SKILL.md')
  const isThere = (await kindOf(file)) === 'file'
  const from =
    flags.from ??
    (isThere
      ? file
      : await questions?.ask(
          'Which skill do you start from?',
          'path of a SKILL.md or its folder; empty for a new one',
        ))
  if (from === undefined || from === '') {
    const description = await questions?.ask(
      'What is the skill for?',
      'one sentence; agents choose skills by it',
    )
    const content = starterSkill(
      folder,
      description === undefined || description === '' ? starterDescription : description,
    )
    return { existing: undefined, files: [{ file, content }] }
  }
  const existing = await readSkill(typed(from, io.cwd), from)
  return { existing, files: existing.file === file ? [] : [{ file, content: existing.content }] }
}

interface TaskChoice extends InitFlags {
  readonly questions: Questions | undefined
  /** The skill to start from. Its folder may contain tasks. */
  readonly skill: ExistingSkill | undefined
}

async function chooseTasks(
  io: Io,
  folder: string,
  { questions, skill, ...flags }: TaskChoice,
): Promise<InitTasks> {
  const read = (shownAs: string) => {
    const columns = { question: flags.question, answer: flags.answer }
    return tasksFrom(typed(shownAs, io.cwd), folder, { shownAs, columns })
  }
  if (flags.tasks !== undefined) return read(flags.tasks)
  const found = await lookForTasks(folder, skill)
  if (found.splits !== undefined) return tasksInPlace(found.splits, folder)
  const shown = found.files.map(file => shownPath(file, io.cwd))
  const [only, another] = shown
  if (another !== undefined && questions === undefined) {
    throw new InputError(`Several files could hold the tasks: ${shown.join(', ')}.`, {
      hint: 'Choose one with --tasks.',
    })
  }
  const source =
    another === undefined
      ? (only ??
        (await questions?.ask(
          'Where are your tasks?',
          'a .csv, .jsonl, .json or .yaml file, or a folder; empty for examples',
        )))
      : await questions?.choose('Which file holds your tasks?', shown)
  if (source === undefined || source === '') return exampleTasks(folder)
  return read(source)
}

/**
 * Looks for tasks in the project, then beside the initial skill. Tasks there are skipped if they depend on
 * files that would not be copied.
 */
async function lookForTasks(
  folder: string,
  skill: ExistingSkill | undefined,
): Promise<Pick<FoundTasks, 'files' | 'splits'>> {
  const own = (await kindOf(folder)) === 'folder' ? await findTasks(folder) : undefined
  if (own !== undefined && (own.splits !== undefined || own.files.length > 0)) return own
  if (skill === undefined || dirname(skill.file) === folder) return { files: [], splits: undefined }
  const { files, withFiles } = await findTasks(dirname(skill.file))
  return { files: files.filter(file => !withFiles.includes(file)), splits: undefined }
}

async function chooseOffer(
  offers: readonly ModelOffer[],
  flags: InitFlags,
  questions: Questions | undefined,
): Promise<ModelOffer | undefined> {
  const isNamed = flags.target !== undefined || flags.optimizer !== undefined
  if (offers.length < 2 || isNamed || questions === undefined) return offers[0]
  const target = await questions.choose(
    'Which model is the skill for? (You can change it later.)',
    offers.map(offer => offer.target),
  )
  return offers.find(offer => offer.target === target)
}

/** Path of the config's schema in the nearest `node_modules`, where an installation puts it. */
export async function schemaPath(folder: string): Promise<{ path: string; found: boolean }> {
  const below = join('node_modules', 'skillopt', 'dist', 'config.schema.json')
  for (let place = folder; ; place = dirname(place)) {
    const file = join(place, below)
    if ((await kindOf(file)) === 'file') return { path: slashed(relative(folder, file)), found: true }
    if (dirname(place) === place) return { path: slashed(below), found: false }
  }
}

const slashed = (path: string) => path.replaceAll('\\', '/')

/** Resolves a typed path. A prompt has no shell that would expand `~`. */
function typed(path: string, cwd: string): string {
  return resolve(cwd, path.replace(/^~(?=\/|$)/, homedir()))
}

function forPrograms({ folder, files, tasks, models }: InitResult) {
  const { state, counts, scorer } = tasks
  return { folder, files, tasks: { state, counts, ...scorer }, models }
}
