import { join, resolve } from 'node:path'
import { closest } from 'fastest-levenshtein'
import { agents } from '../../../agents/registry/install-targets.js'
import type { Agent } from '../../../agents/shared/install/agent.js'
import { carryOut, type Placement, planPlacement, type Target } from '../../../agents/shared/install/place.js'
import { prepareSkill, refuseHiddenText } from '../../../agents/shared/install/prepare.js'
import { type KeptReceipt, Receipts, stateDirectory } from '../../../agents/shared/install/receipts.js'
import { skillFileName } from '../../../agents/shared/install/supporting-files.js'
import { editedSince, putBack } from '../../../agents/shared/install/undo.js'
import { exitCodes, InputError } from '../../../core/errors/errors.js'
import { userHome } from '../../../system/home.js'
import { projectDirectory, readSource } from '../../inputs/install-source.js'
import { newestRun } from '../../inputs/open-run.js'
import { clean, padEnd, plural, shownPath } from '../../output/text.js'
import { type Io, printLine, sayWarnings } from '../../terminal/io.js'

export interface InstallFlags {
  readonly to?: readonly string[] | undefined
  readonly project?: string | true | undefined
  readonly user?: true | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly withFolder?: string | true | undefined
  readonly force?: true | undefined
  readonly allowHidden?: true | undefined
  readonly undo?: true | undefined
  readonly dryRun?: true | undefined
  readonly json?: true | undefined
}

/** The agents' skill folders, either of one project or of the user. */
interface Place {
  readonly receipts: Receipts
  /** Returns an agent's skills folder, and the base folder that nothing may be written outside of. */
  readonly of: (agent: Agent) => { readonly skills: string; readonly base: string }
}

/** Installs a skill for agents, or uninstalls it. All checks happen before anything is written. */
export async function install(io: Io, named: string | undefined, flags: InstallFlags): Promise<number> {
  const chosen = chooseAgents(flags.to)
  const place = await choosePlace(io, flags)
  return flags.undo === true
    ? undoInstall(io, named, { chosen, place, flags })
    : installSkill(io, named, { chosen, place, flags })
}

interface Request {
  readonly chosen: readonly Agent[]
  readonly place: Place
  readonly flags: InstallFlags
}

async function installSkill(
  io: Io,
  named: string | undefined,
  { chosen, place, flags }: Request,
): Promise<number> {
  if (chosen.length === 0) {
    throw new InputError('No agent given: use --to.', {
      hint: `For example: skillopt install${named === undefined ? '' : ` ${named}`} --to ${agents.map(({ id }) => id).join('|')}`,
    })
  }
  const skillName = await namedOrNewest(io, named)
  const source = await readSource(skillName, flags.withFolder, io.cwd)
  const skill = prepareSkill(source.text, flags, skillName)
  const own = { path: skillFileName, content: Buffer.from(skill.text), executable: false }
  if (flags.allowHidden !== true) refuseHiddenText([own, ...source.supporting])
  const placements: Placement[] = []
  for (const agent of chosen) {
    const { skills, base } = place.of(agent)
    const target: Target = { agent, name: skill.name, folder: join(skills, skill.name), base }
    placements.push(await planPlacement(target, [own, ...source.supporting]))
  }
  if (flags.force !== true) refuseOverwriting(placements, io.cwd)
  sayWarnings(io, skill.notes.map(clean))
  const results: InstallResult[] = []
  for (const placement of placements) {
    const wanted = placement.changes.length > 0
    if (wanted && flags.dryRun !== true) await carryOut(placement, place.receipts, new Date())
    const done = flags.dryRun === true ? 'would be installed' : 'installed'
    results.push(resultOf(placement, wanted ? done : 'already there'))
  }
  report(io, results, flags)
  return exitCodes.ok
}

/** The given name, or a version of the newest finished run if no run is named, as in `@v3`. */
async function namedOrNewest(io: Io, named = '@best'): Promise<string> {
  return named.startsWith('@')
    ? `${shownPath(await newestRun(io, { finished: true }), io.cwd)}${named}`
    : named
}

interface InstallResult {
  readonly agent: string
  readonly name: string
  readonly folder: string
  readonly status: 'installed' | 'already there' | 'would be installed' | 'undone' | 'would be undone'
  /** Paths of the files that were written or restored. */
  readonly files: readonly string[]
  readonly invoke?: string
}

function resultOf({ target, changes }: Placement, status: InstallResult['status']): InstallResult {
  const { agent, name, folder } = target
  const files = changes.map(({ file }) => file.path)
  return { agent: agent.id, name, folder, status, files, invoke: agent.invoke(name) }
}

function report(io: Io, results: readonly InstallResult[], flags: InstallFlags): void {
  if (flags.json === true) {
    printLine(io, JSON.stringify(results, null, 2))
    return
  }
  const width = Math.max(...results.map(({ agent }) => agent.length))
  for (const { agent, folder, status, files, invoke } of results) {
    const others = files.filter(path => path !== skillFileName).length
    const more = others === 0 ? '' : ` and ${plural(others, 'supporting file')}`
    const shown = shownPath(join(folder, skillFileName), io.cwd)
    printLine(io, `${padEnd(agent, width)}  ${io.colors.green(status)}: ${shown}${more}`)
    if (invoke !== undefined) printLine(io, `${padEnd('', width)}  To use it: ${invoke}.`)
  }
  const installed = results.filter(({ status }) => status === 'installed')
  if (installed.length > 0) printLine(io, `\nTo undo: ${undoCommand(installed, flags)}`)
}

function undoCommand(results: readonly InstallResult[], { user, project }: InstallFlags): string {
  const scope = user === true ? ' --user' : typeof project === 'string' ? ` --project ${quoted(project)}` : ''
  const to = results.map(({ agent }) => agent).join(',')
  return `skillopt install --undo --to ${to} --name ${results[0]?.name}${scope}`
}

const quoted = (path: string): string =>
  /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

function refuseOverwriting(placements: readonly Placement[], cwd: string): void {
  const taken = placements.filter(({ overwritten }) => overwritten.length > 0)
  if (taken.length === 0) return
  const where = taken.map(
    ({ target, overwritten }) => `${shownPath(target.folder, cwd)} (${overwritten.join(', ')})`,
  )
  throw new InputError(`Another skill of this name is already installed: ${where.join('; ')}.`, {
    hint: 'Pass --force to replace it (--undo restores it), or choose another name with --name.',
  })
}

async function undoInstall(
  io: Io,
  named: string | undefined,
  { chosen, place, flags }: Request,
): Promise<number> {
  const name = flags.name ?? (named === undefined ? undefined : await nameOf(named, io.cwd))
  const found = await Promise.all(
    (chosen.length === 0 ? agents : chosen).map(agent =>
      place.receipts.newestIn(place.of(agent).skills, agent),
    ),
  )
  const receipts = found.flat().filter(receipt => name === undefined || receipt.name === name)
  refuseUnclear(receipts, found.flat(), name)
  for (const receipt of receipts) {
    const edited = await editedSince(receipt)
    if (edited.length > 0 && flags.force !== true) {
      throw new InputError(
        `${shownPath(receipt.folder, io.cwd)} was changed after the installation: ${edited.join(', ')}.`,
        {
          hint: 'Undoing loses these changes. Copy them first, then pass --force.',
        },
      )
    }
  }
  const results: InstallResult[] = []
  for (const receipt of receipts) {
    if (flags.dryRun !== true) {
      await putBack(receipt)
      await place.receipts.remove(receipt)
    }
    const { agent, folder, files } = receipt
    const status = flags.dryRun === true ? 'would be undone' : 'undone'
    results.push({ agent, name: receipt.name, folder, status, files: files.map(({ path }) => path) })
  }
  report(io, results, flags)
  return exitCodes.ok
}

async function nameOf(named: string, cwd: string): Promise<string> {
  const { text } = await readSource(named, undefined, cwd)
  return prepareSkill(text, {}, named).name
}

function refuseUnclear(
  receipts: readonly KeptReceipt[],
  all: readonly KeptReceipt[],
  name: string | undefined,
): void {
  const names = [...new Set(all.map(receipt => receipt.name))]
  if (receipts.length === 0) {
    throw new InputError(`No installation${name === undefined ? '' : ` of ${name}`} found here.`, {
      hint:
        names.length === 0
          ? "Only skillopt's own installations can be undone; pass the same --to, --project or --user."
          : `Installed here: $names.join(', ').`,
    })
  }
  if (name === undefined && names.length > 1) {
    throw new InputError(`${names.length} skills are installed here: ${names.join(', ')}.`, {
      hint: 'Choose one with --name.',
    })
  }
}

function chooseAgents(given: readonly string[] | undefined): Agent[] {
  const ids = [...new Set((given ?? []).flatMap(value => value.split(',')).filter(id => id !== ''))]
  return ids.map(id => {
    const agent = agents.find(candidate => candidate.id === id)
    if (agent !== undefined) return agent
    const known = agents.map(candidate => candidate.id)
    throw new InputError(`Unknown agent "${id}".`, {
      hint: `Did you mean ${closest(id, known)}? Available: ${known.join(', ')}.`,
    })
  })
}

async function choosePlace(io: Io, flags: InstallFlags): Promise<Place> {
  if (flags.user === true && flags.project !== undefined) {
    throw new InputError('--project and --user cannot be combined.', {
      hint: '--project installs for one project, --user for all your projects.',
    })
  }
  const home = userHome(io.env)
  const receipts = new Receipts(stateDirectory(io.env, home, process.platform))
  if (flags.user === true) {
    const skillsOf = (agent: Agent) => resolve(io.cwd, agent.userFolder(io.env, home))
    return { receipts, of: agent => ({ skills: skillsOf(agent), base: skillsOf(agent) }) }
  }
  const base = await projectDirectory(flags.project, io.cwd)
  return { receipts, of: agent => ({ skills: join(base, agent.projectFolder), base }) }
}
