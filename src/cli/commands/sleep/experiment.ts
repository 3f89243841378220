import { join, resolve } from 'node:path'
import { exitCodes, InputError } from '../../../core/errors/errors.js'
import { simulatedNote } from '../../output/experiment-report.js'
import { personaProblem, personaText } from '../../output/persona-report.js'
import { interruptibleExperiment } from '../../terminal/experiment-interrupt.js'
import { type Io, printLine, warnLine } from '../../terminal/io.js'

export interface ExperimentFlags {
  readonly persona?: string | undefined
  readonly set?: string | undefined
  readonly skill?: string | undefined
  readonly transfer?: boolean | undefined
  readonly nights?: number | undefined
  readonly seed?: number | undefined
  readonly withoutGate?: boolean | undefined
  readonly compareGate?: boolean | undefined
  readonly assertImproves?: boolean | undefined
  readonly keep?: string | undefined
  readonly json?: boolean | undefined
}

const usualNights = 2
/** Maximum number of nights. They are a week apart, and sessions older than 90 days are not read. */
const mostNights = 10
/** Default seed. With it, every persona shows all the effects that the experiment demonstrates. */
const usualSeed = 3

/** `skillopt sleep experiment`: runs whole nights with simulated models, on synthetic sessions or tasks. */
export async function sleepExperiment(io: Io, flags: ExperimentFlags): Promise<number> {
  checkFlags(flags)
  if (flags.transfer === true || flags.set !== undefined) {
    const sets = await import('./experiment-gbrain.js')
    return flags.transfer === true
      ? sets.sleepExperimentTransfer(io, flags)
      : sets.sleepExperimentSet(io, flags)
  }
  return experimentWithPersonas(io, flags.persona ?? '', flags)
}

function checkFlags(flags: ExperimentFlags): void {
  const { persona, set, skill, transfer, withoutGate, compareGate } = flags
  const refuse = (message: string, hint: string) => {
    throw new InputError(message, { hint })
  }
  if ((flags.nights ?? 1) > mostNights)
    refuse(`At most ${mostNights} nights are possible.`, 'Two or three nights are enough.')
  if (persona === undefined && set === undefined && transfer !== true)
    refuse('No persona or set given.', 'Pass --persona researcher or --set gbrain.')
  if (persona !== undefined && set !== undefined)
    refuse('--persona and --set cannot be combined.', 'Leave one of them out.')
  if (skill !== undefined && set === undefined && transfer !== true)
    refuse('--skill requires --set.', 'Add --set gbrain, or leave out --skill.')
  if (withoutGate === true && compareGate === true)
    refuse('--without-gate and --compare-gate cannot be combined.', '--compare-gate runs both.')
  if (compareGate === true && (persona === undefined || transfer === true))
    refuse(
      '--compare-gate requires --persona.',
      'Add --persona researcher, and leave out --set and --transfer.',
    )
}

async function experimentWithPersonas(io: Io, persona: string, flags: ExperimentFlags): Promise<number> {
  const { loadPersona, personaNames } = await import('../../../experiment/personas.js')
  const { runPersona } = await import('../../../experiment/run-persona.js')
  const names = persona === 'all' ? personaNames() : [persona]
  for (const name of names) await loadPersona(name)
  const { json, nights = usualNights, seed = usualSeed } = flags
  const keep = flags.keep === undefined ? undefined : resolve(io.cwd, flags.keep)
  return interruptibleExperiment(io, async signal => {
    if (json !== true) printLine(io, simulatedNote)
    const results: Awaited<ReturnType<typeof runPersona>>[] = []
    for (const name of names) {
      const result = await runPersona(name, {
        nights,
        seed,
        gate: flags.compareGate === true ? 'both' : flags.withoutGate !== true,
        signal,
        keep: keep !== undefined && names.length > 1 ? join(keep, name) : keep,
        onNight: ({ gate, night }) => {
          if (json !== true)
            warnLine(io, io.colors.dim(`${name}, night ${night}${gate ? '' : ', no gate'} …`))
        },
      })
      results.push(result)
      if (json !== true) printLine(io, `\n${personaText(result, io.colors)}`)
    }
    const problems = results.flatMap(result => personaProblem(result) ?? [])
    if (json === true) printLine(io, JSON.stringify({ simulated: true, problems, results }, null, 2))
    if (flags.assertImproves !== true || problems.length === 0) return exitCodes.ok
    for (const problem of problems) warnLine(io, `${io.colors.red('error:')} ${problem}`)
    return exitCodes.unexpected
  })
}
