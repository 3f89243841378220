import { resolve } from 'node:path'
import { exitCodes, InputError } from '../../../core/errors/errors.js'
import type { GbrainResult } from '../../../experiment/gbrain/index.js'
import type { Matrix } from '../../../experiment/transfer-matrix.js'
import {
  callsOf,
  hasRisen,
  learnedTexts,
  matrixHolds,
  matrixSentences,
  matrixTable,
  setSentence,
  setTable,
  simulatedNote,
} from '../../output/experiment-report.js'
import { interruptibleExperiment } from '../../terminal/experiment-interrupt.js'
import { type Io, printLine, warnLine } from '../../terminal/io.js'

export interface SetFlags {
  readonly set?: string | undefined
  readonly skill?: string | undefined
  readonly persona?: string | undefined
  readonly transfer?: boolean | undefined
  readonly nights?: number | undefined
  readonly seed?: number | undefined
  readonly withoutGate?: boolean | undefined
  readonly assertImproves?: boolean | undefined
  readonly keep?: string | undefined
  readonly json?: boolean | undefined
}

const sets = ['gbrain']
/** Number of nights. One or two of them may find nothing to change. */
const usualNights = 3

/**
 * `skillopt sleep experiment --set gbrain`: improves deficient skills over several nights with simulated
 * models.
 */
export async function sleepExperimentSet(io: Io, flags: SetFlags): Promise<number> {
  checkSet(flags)
  const { runGbrain } = await import('../../../experiment/gbrain/index.js')
  return interruptibly(io, flags, async options =>
    sayResults(io, await runGbrain({ ...options, skill: flags.skill }), flags),
  )
}

/** `skillopt sleep experiment --transfer`: tries skills learned with one simulated target on the others. */
export async function sleepExperimentTransfer(io: Io, flags: SetFlags): Promise<number> {
  checkSet(flags)
  const { gbrainMatrices } = await import('../../../experiment/gbrain/index.js')
  const { personaMatrices } = await import('../../../experiment/persona-matrix.js')
  const { persona, skill } = flags
  return interruptibly(io, flags, async options => {
    const matrices =
      persona === undefined
        ? await gbrainMatrices({ ...options, skill })
        : await personaMatrices({ ...options, persona })
    return sayMatrices(io, matrices, flags)
  })
}

function checkSet({ set, skill, persona }: SetFlags): void {
  if (set !== undefined && !sets.includes(set))
    throw new InputError(`Unknown set "${set}".`, { hint: `Available: ${sets.join(', ')}.` })
  if (skill !== undefined && persona !== undefined)
    throw new InputError('--skill chooses a skill of a set; a persona has only one.', {
      hint: 'Leave out --skill.',
    })
}

async function interruptibly(
  io: Io,
  { json, keep, nights = usualNights, seed = 1, withoutGate = false }: SetFlags,
  work: (options: {
    readonly nights: number
    readonly seed: number
    readonly gate: boolean
    readonly keep: string | undefined
    readonly signal: AbortSignal
    readonly onName: (name: string) => void
  }) => Promise<number>,
): Promise<number> {
  const kept = keep === undefined ? undefined : resolve(io.cwd, keep)
  const onName = (name: string) => {
    if (json !== true) warnLine(io, io.colors.dim(`${name} …`))
  }
  return interruptibleExperiment(io, signal =>
    work({ nights, seed, gate: !withoutGate, keep: kept, signal, onName }),
  )
}

function sayResults(io: Io, results: readonly GbrainResult[], flags: SetFlags): number {
  const { json, assertImproves, withoutGate } = flags
  const risen = results.every(hasRisen)
  if (json === true) {
    const skills = results.map(({ nights, ...result }) => ({
      ...result,
      risen: hasRisen(result),
      calls: callsOf(nights),
      nights: nights.map(({ number, result: { outcome, reason } }) => ({ number, outcome, reason })),
    }))
    printLine(
      io,
      JSON.stringify({ simulated: true, set: 'gbrain', gate: withoutGate !== true, risen, skills }, null, 2),
    )
  } else {
    const { colors } = io
    printLine(io, [...headOf(flags), setTable(results, colors), setSentence(results)].join('\n\n'))
    printLine(io, `\nWhat they learned:\n\n${learnedTexts(results, colors)}`)
  }
  return asserted(io, 'Not all skills improved beyond chance.', { assertImproves, holds: risen })
}

function sayMatrices(io: Io, matrices: readonly Matrix[], flags: SetFlags): number {
  const { json, assertImproves, withoutGate } = flags
  const holds = matrixHolds(matrices)
  if (json === true) {
    printLine(io, JSON.stringify({ simulated: true, gate: withoutGate !== true, holds, matrices }, null, 2))
  } else {
    const { colors } = io
    const tables = matrices.map(({ name, rows }) => `${colors.bold(name)}\n${matrixTable(rows, colors)}`)
    printLine(io, [...headOf(flags), ...tables, matrixSentences(matrices).join('\n')].join('\n\n'))
  }
  const problem = 'Some skills do not help where they were learned, or do harm elsewhere.'
  return asserted(io, problem, { assertImproves, holds })
}

const headOf = ({ withoutGate }: SetFlags): string[] => [
  simulatedNote,
  ...(withoutGate === true ? ['Without the gate: every proposal was accepted.'] : []),
]

function asserted(
  io: Io,
  problem: string,
  { assertImproves, holds }: Pick<SetFlags, 'assertImproves'> & { readonly holds: boolean },
): number {
  if (assertImproves !== true || holds) return exitCodes.ok
  warnLine(io, `${io.colors.red('error:')} ${problem}`)
  return exitCodes.unexpected
}
