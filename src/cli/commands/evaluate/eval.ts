import { extname, resolve } from 'node:path'
import type { EvaluateResult } from '../../../app/index.js'
import { InputError } from '../../../core/errors/errors.js'
import { kindOf } from '../../../prepare/source.js'
import { viewRun } from '../../../store/run-directories.js'
import { splitNamed } from '../../inputs/split-name.js'
import { evaluationReport } from '../../output/evaluation-report.js'
import { spendingReport } from '../../output/run-report.js'
import { bytes, optionFlag, shownPath } from '../../output/text.js'
import { trustFor } from '../../terminal/ask-trust.js'
import { confirmEvaluation } from '../../terminal/confirm.js'
import { interruptible } from '../../terminal/interrupt.js'
import { type Io, printLine, sayMapped, sayWarnings } from '../../terminal/io.js'
import { createDisplay } from '../../terminal/live.js'
import { renderReport, writeReport } from '../runs/report.js'
import { configFlags, sayEnd, type TrainFlags } from '../train/train.js'

export interface EvalFlags extends Omit<TrainFlags, 'new' | 'fork' | 'probe'> {
  readonly skill?: readonly string[] | undefined
  readonly baselines?: true | undefined
  readonly on?: readonly string[] | undefined
  readonly seedSkill?: string | undefined
  readonly split?: string | undefined
  readonly maxTasks?: number | undefined
  readonly samples?: number | undefined
  readonly report?: string | undefined
}

/** Scores skills. `named` holds the positional arguments: skill files and, optionally, the project. */
export async function evaluate(io: Io, named: readonly string[], flags: EvalFlags): Promise<number> {
  const { project, skills } = await sorted(named, io.cwd)
  const skill = [...skills, ...(flags.skill ?? [])]
  refuseCombinations(flags, skill)
  const { on } = flags
  if (flags.baselines === true) {
    const { evaluateBaselines } = await import('./eval-baselines.js')
    return evaluateBaselines(io, project, { ...flags, trained: skill[0] })
  }
  if (on !== undefined) {
    const { evaluateTargets } = await import('./eval-targets.js')
    return evaluateTargets(io, project, { ...flags, on, skill: skill[0] })
  }
  return evaluateSkills(io, project, { ...flags, skill })
}

async function evaluateSkills(io: Io, project: string | undefined, flags: EvalFlags): Promise<number> {
  const split = splitNamed(flags.split ?? 'all')
  const report = flags.report === undefined ? undefined : await reportFile(flags.report, io.cwd)
  // With `--json`, stdout contains only the result. Events would mix with it, so they are not shown.
  const display = createDisplay(io, { quiet: flags.json ?? flags.quiet })
  const interrupt = interruptible(io, display.note)
  const library = await io.library()
  try {
    const result = await library.evaluate({
      project,
      config: flags.config,
      cfgOptions: flags.cfgOptions,
      flags: configFlags(flags),
      skill: flags.skill?.length === 0 ? undefined : flags.skill,
      split,
      samples: flags.samples,
      out: flags.out,
      env: io.env,
      cwd: io.cwd,
      trust: trustFor(io, flags),
      signal: interrupt.signal,
      onEvent: display.event,
      onNotice: display.note,
      confirm: confirmEvaluation(io, flags),
      onMapped: lines => {
        if (flags.json !== true && flags.quiet !== true) sayMapped(io, lines)
      },
      onWarnings: warnings => sayWarnings(io, warnings),
    })
    display.close()
    if (result.outcome !== 'declined') await sayResult(io, result, { ...flags, report })
    return sayEnd(io, result)
  } finally {
    display.close()
    interrupt.dispose()
  }
}

type EvalOption = keyof EvalFlags

/** Combinations of options that are rejected, with the message. */
const refusals: readonly {
  readonly when: (flags: EvalFlags) => boolean
  readonly options: readonly EvalOption[]
  readonly message: (option: string) => string
}[] = [
  {
    when: ({ baselines }) => baselines === true,
    options: ['on'],
    message: () => '--baselines and --on cannot be combined.',
  },
  {
    when: ({ baselines }) => baselines === true,
    options: ['split', 'samples', 'maxTasks', 'seedSkill', 'report', 'dryRun'],
    message: option => `--baselines does not support ${option}: it runs every test task once per skill.`,
  },
  {
    when: ({ on }) => on !== undefined,
    options: ['out', 'report'],
    message: option => `--on does not support ${option}: each target has its own run directory.`,
  },
  {
    when: ({ on }) => on === undefined,
    options: ['maxTasks', 'seedSkill', 'dryRun'],
    message: option => `${option} requires --on.`,
  },
]

/** Rejects options that do not work together, before anything is read or paid for. */
function refuseCombinations(flags: EvalFlags, skills: readonly string[]): void {
  for (const { when, options, message } of refusals) {
    const option = when(flags) ? options.find(one => flags[one] !== undefined) : undefined
    if (option !== undefined)
      throw new InputError(message(optionFlag(option)), { hint: 'skillopt eval --help' })
  }
  if (skills.length > 1 && (flags.baselines === true || flags.on !== undefined)) {
    const way = flags.baselines === true ? '--baselines' : '--on'
    throw new InputError(`${way} measures one trained skill, but ${skills.length} were given.`, {
      hint: 'To compare several skills: skillopt eval PROJECT old.md new.md',
    })
  }
}

/**
 * Separates skills from the project. A Markdown file is a skill; any other argument is the project, of which
 * only one is allowed.
 */
async function sorted(
  named: readonly string[],
  cwd: string,
): Promise<{ project: string | undefined; skills: string[] }> {
  const skills: string[] = []
  const projects: string[] = []
  for (const word of named) {
    const isSkill = /\.md$/i.test(word) && (await kindOf(resolve(cwd, word))) !== 'folder'
    if (isSkill) skills.push(word)
    else projects.push(word)
  }
  if (projects.length > 1) {
    throw new InputError(`Two projects were given: ${projects.slice(0, 2).join(' and ')}.`, {
      hint: 'Pass one project. Skill files must end in .md; pass runs and other files with --skill.',
    })
  }
  return { project: projects[0], skills }
}

/** Checks the report's path before the evaluation, because afterwards the money is spent. */
async function reportFile(path: string, cwd: string): Promise<string> {
  const file = resolve(cwd, path)
  if (!['.md', '.html', '.json'].includes(extname(file))) {
    throw new InputError(`--report ${path}: expected a name ending in .md, .html or .json.`, {
      hint: 'For example: --report evaluation.md',
    })
  }
  if ((await kindOf(file)) === 'folder') {
    throw new InputError(`--report ${path}: this is a folder, not a file.`, { hint: 'Pass a file name.' })
  }
  return file
}

async function sayResult(
  io: Io,
  result: EvaluateResult,
  { json, report }: { readonly json?: true | undefined; readonly report: string | undefined },
): Promise<void> {
  const directory = shownPath(result.directory, io.cwd)
  const view = await viewRun(result.directory)
  const { error: _, ...measured } = result
  const record = JSON.stringify({ ...measured, directory, spending: view.spending }, null, 2)
  if (json) printLine(io, record)
  else if (result.skills.length > 0) {
    printLine(io, `\n${evaluationReport(result, io.colors)}\n`)
    printLine(io, `Details: ${directory}\n\n${spendingReport(view, io.colors)}`)
  }
  if (report === undefined || result.skills.length === 0) return
  const format = extname(report)
  const text = format === '.json' ? `${record}\n` : await renderReport(result.directory, io.cwd, format)
  await writeReport(report, text, '--report')
  if (!json) printLine(io, `wrote ${shownPath(report, io.cwd)} (${bytes(Buffer.byteLength(text))})`)
}
