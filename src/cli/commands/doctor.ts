import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { resolveModel } from '../../core/config.js'
import { exitCodes, messageOf, SkillOptError } from '../../core/errors.js'
import type { Role } from '../../core/ports.js'
import { runsFolder } from '../../directories.js'
import { closeModels, createModel } from '../../models/index.js'
import { assemble } from '../../project/assemble.js'
import { type LoadedProject, loadProject } from '../../project/load.js'
import { type Io, printLine } from '../io.js'
import { type Colors, clean, plural, shownPath } from '../text.js'
import { configFlags } from './train.js'

export interface DoctorFlags {
  readonly config?: string | undefined
  readonly cfgOptions?: readonly string[] | undefined
  readonly set?: readonly string[] | undefined
  readonly online?: true | undefined
}

interface Finding {
  readonly level: 'ok' | 'warn' | 'fail'
  readonly text: string
  readonly hint?: string | undefined
}

/** Looks at everything that a training would need and says what is missing, without spending anything. */
export async function doctor(io: Io, project: string | undefined, flags: DoctorFlags): Promise<number> {
  let failed = false
  const report = (findings: readonly Finding[]) => {
    for (const finding of findings) {
      failed ||= finding.level === 'fail'
      printLine(io, renderFinding(finding, io.colors))
    }
  }
  try {
    report([nodeVersion(), await writable(io.cwd)])
    const loaded = await attempt('config', () =>
      loadProject({
        ...{ project, config: flags.config, cfgOptions: flags.cfgOptions, flags: configFlags(flags) },
        ...{ env: io.env, cwd: io.cwd },
      }),
    )
    report([
      loaded.finding(file => `config ${shownPath(file.file, io.cwd)} is valid`),
      ...proxies(loaded.value?.env ?? io.env),
    ])
    if (loaded.value) {
      report(loaded.value.warnings.map(text => ({ level: 'warn', text })))
      for (const role of ['target', 'optimizer', 'judge'] as const)
        report(await modelFindings(role, loaded.value, flags))
      report(await projectFindings(loaded.value, io.cwd))
    }
  } finally {
    await closeModels()
  }
  return failed ? exitCodes.badInput : exitCodes.ok
}

function renderFinding({ level, text, hint }: Finding, colors: Colors): string {
  const mark = { ok: colors.green('ok  '), warn: colors.yellow('warn'), fail: colors.red('fail') }[level]
  return `${mark}  ${clean(text)}${hint === undefined ? '' : `\n      ${clean(hint)}`}`
}

interface Checked<T> {
  readonly value: T | undefined
  finding(say: (value: T) => string): Finding
}

/** Runs a check whose failure is a finding; a bug stays a bug. */
async function attempt<T>(what: string, work: () => Promise<T>): Promise<Checked<T>> {
  try {
    const value = await work()
    return { value, finding: say => ({ level: 'ok', text: say(value) }) }
  } catch (error) {
    if (!(error instanceof SkillOptError)) throw error
    const finding: Finding = { level: 'fail', text: `${what}: ${error.message}`, hint: error.hint }
    return { value: undefined, finding: () => finding }
  }
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 20))
    return { level: 'ok', text: `node ${process.versions.node}` }
  return {
    level: 'fail',
    text: `node ${process.versions.node} is too old`,
    hint: 'Install Node 20.20 or newer.',
  }
}

async function writable(cwd: string): Promise<Finding> {
  for (const folder of [join(cwd, runsFolder), cwd]) {
    try {
      await access(folder, constants.W_OK)
      return { level: 'ok', text: `runs can be written to ${join(cwd, runsFolder)}` }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
      return {
        level: 'fail',
        text: `${folder} cannot be written: ${messageOf(error)}`,
        hint: 'Change its permissions, or name another place with --out.',
      }
    }
  }
  return { level: 'fail', text: `${cwd} does not exist` }
}

/** Shown because a forgotten proxy is the usual reason for an endpoint that cannot be reached. */
function proxies(env: Io['env']): Finding[] {
  return ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].flatMap(name => {
    const value = env[name.toLowerCase()] ?? env[name]
    return value === undefined || value === ''
      ? []
      : [{ level: 'ok' as const, text: `${name} = ${withoutPassword(value)}` }]
  })
}

export function withoutPassword(address: string): string {
  return address.replace(/^([a-z]+:\/\/)?.*@/i, '$1***@')
}

async function modelFindings(role: Role, loaded: LoadedProject, flags: DoctorFlags): Promise<Finding[]> {
  const reference = loaded.config.models[role]
  if (reference === undefined) return []
  const config = resolveModel(reference, role)
  const made = await attempt(`${role} ${config.model}`, () => createModel(config, { env: loaded.env }))
  const model = made.value
  if (!model) return [made.finding(() => '')]
  if (model.id.startsWith('simulated/'))
    return [{ level: 'ok', text: `${role} ${model.id}: simulated, costs nothing` }]
  const findings: Finding[] = [
    { level: 'ok', text: `${role} ${model.id}: key and endpoint are set` },
    model.price
      ? {
          level: 'ok',
          text: `${role} ${model.id}: $${model.price.input} in, $${model.price.output} out per million tokens`,
        }
      : {
          level: 'warn',
          text: `${role} ${model.id}: the price is not known`,
          hint: `Costs will read "unknown" and --max-cost is refused; set models.${role}.price to change that.`,
        },
  ]
  if (flags.online !== true) return findings
  const request = { messages: [{ role: 'user', text: 'Reply with the word ok.' }] } as const
  const called = await attempt(`${role} ${model.id} does not answer`, () =>
    model.generate(request, AbortSignal.timeout(config.timeout * 1000)),
  )
  return [...findings, called.finding(reply => `${role} ${model.id}: answered (${reply.stop})`)]
}

/** The rest in one go, as a training would do it: skill, prompts, gate, environment, tasks, limits. */
async function projectFindings(loaded: LoadedProject, cwd: string): Promise<Finding[]> {
  const { value: setup, finding } = await attempt('project', () => assemble(loaded))
  if (!setup) return [finding(() => '')]
  const { train, val, test } = setup.tasks
  const counts = `${train.length} train, ${val.length} validation, ${test.length} test tasks`
  const few: Finding[] = Object.entries({ validation: val.length, test: test.length })
    .filter(([, number]) => number > 0 && number < 30)
    .map(([split, number]) => ({
      level: 'warn',
      text: `only ${plural(number, `${split} task`)}: one task is ${(100 / number).toFixed(0)} points`,
      hint: 'Verdicts and intervals will be rough; 50 tasks or more are better.',
    }))
  return [
    finding(
      () =>
        `skill ${shownPath(resolve(loaded.baseDir, loaded.config.skill), cwd)}: ${plural(setup.skill.length, 'character')}`,
    ),
    { level: 'ok', text: `environment ${setup.environment.id}: ${counts}` },
    ...(setup.environment.warnings ?? []).map(text => ({ level: 'warn', text }) as const),
    ...few,
  ]
}
