import { extname, resolve } from 'node:path'
import type { EvaluateResult } from '../../../app/index.js'
import { InputError } from '../../../core/errors/errors.js'
import type { Split } from '../../../core/task/task.js'
import { kindOf } from '../../../prepare/source.js'
import { viewRun } from '../../../store/run-directories.js'
import { evaluationReport } from '../../output/evaluation-report.js'
import { createDisplay } from '../../output/live.js'
import { spendingReport } from '../../output/run-report.js'
import { bytes, shownPath } from '../../output/text.js'
import { trustFor } from '../../terminal/ask-trust.js'
import { confirmEvaluation } from '../../terminal/confirm.js'
import { interruptible } from '../../terminal/interrupt.js'
import { type Io, printLine, sayMapped, sayWarnings } from '../../terminal/io.js'
import { renderReport, writeReport } from '../runs/report.js'
import { configFlags, sayEnd, type TrainFlags } from '../train/train.js'

export interface EvalFlags extends Omit<TrainFlags, 'new' | 'fork' | 'dryRun'> {
  readonly skill?: readonly string[] | undefined
  readonly split: string
  readonly samples?: number | undefined
  readonly report?: string | undefined
}

/** `named` are the words after the command: skills by their files, and the project if one is named. */
export async function evaluate(io: Io, named: readonly string[], flags: EvalFlags): Promise<number> {
  const split = splitNamed(flags.split)
  const { project, skills } = await sorted(named, io.cwd)
  const skill = [...skills, ...(flags.skill ?? [])]
  const report = flags.report === undefined ? undefined : await reportFile(flags.report, io.cwd)
  // Events would mix with the result on stdout, so JSON here is the result alone.
  const display = createDisplay(io, { quiet: flags.json ?? flags.quiet })
  const interrupt = interruptible(io, display.note)
  const library = await io.library()
  try {
    const result = await library.evaluate({
      ...{ project, config: flags.config, cfgOptions: flags.cfgOptions, flags: configFlags(flags) },
      ...(skill.length === 0 ? {} : { skill }),
      ...{ split, samples: flags.samples, out: flags.out },
      ...{ env: io.env, cwd: io.cwd, trust: trustFor(io, flags), signal: interrupt.signal },
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

/** A skill is a Markdown file; anything else is the project, of which there is one. */
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
    throw new InputError(`Two projects are named: ${projects.slice(0, 2).join(' and ')}.`, {
      hint: 'One project has the tasks. Skills are files that end in .md; others go with --skill.',
    })
  }
  return { project: projects[0], skills }
}

/** Looked at before anything is paid: a report that cannot be written would be missed afterwards. */
async function reportFile(path: string, cwd: string): Promise<string> {
  const file = resolve(cwd, path)
  if (!['.md', '.html', '.json'].includes(extname(file))) {
    throw new InputError(`--report ${path}: a report ends in .md, .html or .json.`, {
      hint: 'For example: --report evaluation.md',
    })
  }
  if ((await kindOf(file)) === 'folder') {
    throw new InputError(`--report ${path}: this is a folder.`, { hint: 'Name a file.' })
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

const splitNames: Readonly<Record<string, Split | 'all'>> = {
  ...{ train: 'train', val: 'val', test: 'test', all: 'all' },
  // The names of the Python package.
  ...{ valid_seen: 'val', selection: 'val', valid_unseen: 'test' },
}

export function splitNamed(name: string): Split | 'all' {
  const split = Object.hasOwn(splitNames, name) ? splitNames[name] : undefined
  if (split !== undefined) return split
  throw new InputError(`There is no split "${name}".`, {
    hint: `--split is one of ${Object.keys(splitNames).join(', ')}.`,
  })
}
