import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { exitCodes, messageOf } from '../../../core/errors/errors.js'
import { checkAgentSkill } from '../../../core/skill/agent-skill.js'
import { countTokens } from '../../../core/text/tokens.js'
import { closeModels } from '../../../models/index.js'
import { advisedCounts, fewestTasks } from '../../../prepare/how-many.js'
import { assemble } from '../../../project/assemble.js'
import { type LoadedProject, loadProject } from '../../../project/load.js'
import { scoringWarnings } from '../../../project/scoring.js'
import { agentWarnings } from '../../../project/warnings.js'
import { runsFolder } from '../../../store/run-directories.js'
import type { Setup } from '../../../trainer/loops/setup.js'
import { attempt, type Finding } from '../../output/finding.js'
import { aboutTokens, type Colors, clean, plural, shownPath } from '../../output/text.js'
import { trustFor } from '../../terminal/ask-trust.js'
import { type Io, printLine } from '../../terminal/io.js'
import { configFlags } from '../train/train.js'
import { modelFindings } from './doctor-models.js'

export interface DoctorFlags {
  readonly config?: string | undefined
  readonly cfgOptions?: readonly string[] | undefined
  readonly set?: readonly string[] | undefined
  readonly unsafeNoSandbox?: true | undefined
  readonly trust?: true | undefined
  readonly preset?: string | undefined
  readonly online?: true | undefined
}

/** Checks everything that training needs and reports what is missing. Makes no paid calls. */
export async function doctor(io: Io, project: string | undefined, flags: DoctorFlags): Promise<number> {
  let failed = false
  const faults = new Set<string>()
  const report = (findings: readonly Finding[]) => {
    for (const finding of findings) {
      failed ||= finding.level === 'fail'
      // A fault that makes a model unusable also prevents the project from loading. It is reported only once.
      if (finding.fault !== undefined && faults.has(finding.fault)) continue
      if (finding.fault !== undefined) faults.add(finding.fault)
      printLine(io, renderFinding(finding, io.colors))
    }
  }
  try {
    report([nodeVersion(), await writable(io.cwd)])
    const loaded = await attempt('config', () =>
      loadProject({
        project,
        config: flags.config,
        cfgOptions: flags.cfgOptions,
        flags: configFlags(flags),
        env: io.env,
        cwd: io.cwd,
        trust: trustFor(io, flags),
      }),
    )
    report([
      loaded.finding(file => `config ${shownPath(file.file, io.cwd)} is valid`),
      ...proxies(loaded.value?.env ?? io.env),
    ])
    if (loaded.value) {
      report(loaded.value.warnings.map(text => ({ level: 'warn', text })))
      for (const role of ['target', 'optimizer', 'judge'] as const)
        report(await modelFindings(role, loaded.value, { online: flags.online === true }))
      report(await projectFindings(loaded.value, io.cwd))
    }
  } finally {
    await closeModels()
  }
  return failed ? exitCodes.badInput : exitCodes.ok
}

function renderFinding({ level, text, hint }: Finding, colors: Colors): string {
  const mark = { ok: colors.green('ok  '), warn: colors.yellow('warn'), fail: colors.red('fail') }[level]
  return `${mark}  ${clean(text)}${hint === undefined ? '' : `\n      ${clean(hint).replaceAll('\n', '\n      ')}`}`
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
        hint: 'Change its permissions, or choose another folder with --out.',
      }
    }
  }
  return { level: 'fail', text: `${cwd} does not exist` }
}

/** Lists proxy settings, because a forgotten proxy often explains an unreachable endpoint. */
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

/** Checks skill, prompts, gate, environment, tasks and limits at once, in the way a training does. */
async function projectFindings(loaded: LoadedProject, cwd: string): Promise<Finding[]> {
  const { value: setup, finding } = await attempt('project', () => assemble(loaded))
  if (!setup) return [finding(() => '')]
  const { train, val, test } = setup.tasks
  const counts = `${train.length} train, ${val.length} validation, ${test.length} test tasks`
  const few: Finding[] = (['val', 'test'] as const)
    .map(split => ({ split, number: setup.tasks[split].length }))
    .filter(({ number }) => number > 0 && number < fewestTasks)
    .map(({ split, number }) => ({
      level: 'warn',
      text: `only ${plural(number, `${split === 'val' ? 'validation' : 'test'} task`)}: one task is worth ${(100 / number).toFixed(0)} points`,
      hint: `Results will be imprecise; use ${advisedCounts[split]} or more.`,
    }))
  return [
    ...(await skillFindings(setup.skill, loaded, cwd)),
    { level: 'ok', text: `environment ${setup.environment.id}: ${counts}` },
    ...sandboxFindings(setup),
    ...[
      ...(setup.environment.warnings ?? []),
      ...scoringWarnings(setup.environment, setup.config),
      ...agentWarnings(setup),
    ].map(text => ({ level: 'warn', text }) as const),
    ...few,
  ]
}

/** Reports the sandbox. If it did not work, the project would not have loaded, so it works or is off. */
function sandboxFindings({ environment, sandbox }: Setup): Finding[] {
  if (environment.scoring?.sandbox !== true || sandbox.id === 'none') return []
  return [{ level: 'ok', text: `sandbox ${sandbox.id}: works` }]
}

/** Reports the skill's size and what agents need to read it. None of it prevents training. */
async function skillFindings(
  text: string,
  { config, baseDir }: LoadedProject,
  cwd: string,
): Promise<Finding[]> {
  const file = resolve(baseDir, config.skill)
  const { tokenLimit } = config.optimizer
  const tokens = await countTokens(text)
  const isTooLong = tokenLimit !== undefined && tokens > tokenLimit
  const size: Finding = {
    level: isTooLong ? 'warn' : 'ok',
    hint: isTooLong ? 'Shorten it, or raise optimizer.tokenLimit.' : undefined,
    text: `skill ${shownPath(file, cwd)}: ${plural(text.length, 'character')}, ${aboutTokens(tokens, tokenLimit)}`,
  }
  // Only a SKILL.md in its own folder is used where it is. Other skills get a folder at installation.
  const inPlace = basename(file) === 'SKILL.md' && dirname(file) !== baseDir
  const folder = inPlace ? basename(dirname(file)) : undefined
  return [
    size,
    ...checkAgentSkill(text, folder).map(
      ({ message, hint }): Finding => ({ level: 'warn', text: message, hint }),
    ),
  ]
}
