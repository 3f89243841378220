import { exitCodes, InputError } from '../../../core/errors/errors.js'
import { findCorrections } from '../../../sleep/corrections/corrections.js'
import { acceptCorrections } from '../../../sleep/corrections/propose.js'
import type { CorrectionRule } from '../../../sleep/corrections/rules.js'
import { type SettingsFlags, settingsFor, settleEarlier } from '../../inputs/sleep-adoption.js'
import { clean, fit, oneLine, plural, shownPath } from '../../output/text.js'
import { agreesToChange } from '../../terminal/confirm.js'
import { interruptible } from '../../terminal/interrupt.js'
import { type Io, printLine, warnLine } from '../../terminal/io.js'
import { openSleepProject, printSafeJson, type SleepFlags } from './book.js'

export interface CorrectionsFlags extends SleepFlags, SettingsFlags {
  readonly rule?: readonly string[] | undefined
  readonly yes?: true | undefined
}

const shownSessions = 4

/** Lists what the user corrected repeatedly, as rules to accept. Calls no model. */
export async function showCorrections(io: Io, flags: CorrectionsFlags): Promise<number> {
  const project = await openSleepProject(io, flags)
  await settleEarlier(io, project)
  const settings = await settingsFor(io, flags)
  const interrupt = interruptible(io, text => warnLine(io, text))
  const found = await findCorrections(project, settings, {
    env: io.env,
    cwd: io.cwd,
    signal: interrupt.signal,
  }).finally(interrupt.dispose)
  const chosen = chosenFrom(found.rules, flags.rule)
  const isAsked = io.stdin.isTTY === true && io.stdout.isTTY === true && flags.json !== true
  if (flags.json === true && flags.yes !== true) {
    printSafeJson(io, { ...found, accepted: false })
    return exitCodes.ok
  }
  if (flags.json !== true) printRules(io, found.rules, found)
  if (chosen.length === 0) {
    if (flags.json === true) printSafeJson(io, { ...found, accepted: false })
    return exitCodes.ok
  }
  if (!isAsked && flags.yes !== true) {
    printLine(
      io,
      '\nNothing was written. Accept with `skillopt sleep corrections --yes`; one rule: --rule 1.',
    )
    return exitCodes.ok
  }
  if (!(await agreesToChange(io, flags, `Accept ${plural(chosen.length, 'rule')}?`))) {
    warnLine(io, 'Nothing was changed.')
    return exitCodes.interrupted
  }
  const { path, night } = await acceptCorrections(chosen, {
    project,
    settings,
    surroundings: { env: io.env, cwd: io.cwd },
    sessions: found.sessions,
  })
  if (flags.json === true) printSafeJson(io, { ...found, accepted: true, path, night })
  else
    printLine(
      io,
      `Wrote ${plural(chosen.length, 'rule')} to ${clean(shownPath(path, io.cwd))}. \`skillopt sleep undo\` removes them.`,
    )
  return exitCodes.ok
}

function chosenFrom(
  rules: readonly CorrectionRule[],
  wanted: readonly string[] | undefined,
): readonly CorrectionRule[] {
  if (wanted === undefined) return rules
  return wanted.map(number => {
    const rule = rules[Number(number) - 1]
    if (rule !== undefined) return rule
    throw new InputError(`There is no rule ${number}.`, {
      hint: `\`skillopt sleep corrections\` lists ${plural(rules.length, 'rule')}. Nothing was changed.`,
    })
  })
}

function printRules(
  io: Io,
  rules: readonly CorrectionRule[],
  { sessions, heard }: { readonly sessions: number; readonly heard: number },
): void {
  const read = `${plural(sessions, 'session')} read, ${plural(heard, 'correction')} heard`
  if (rules.length === 0) {
    printLine(io, `${read}; none that you made twice. No model was called.`)
    return
  }
  printLine(io, `${read}. No model was called. You corrected this more than once:`)
  const width = (io.stdout.columns ?? 120) - 6
  for (const [index, { line, corrections }] of rules.entries()) {
    printLine(io, `\n${io.colors.bold(`${index + 1}. ${corrections.length} times`)}`)
    printLine(io, `   ${oneLine(line.slice(2))}`)
    for (const { text, session, at } of corrections.slice(-shownSessions)) {
      const day = at === undefined ? '' : `${new Date(at).toISOString().slice(0, 10)} `
      printLine(io, io.colors.dim(`   ${fit(`${day}${oneLine(session)}: ${oneLine(text)}`, width)}`))
    }
  }
}
