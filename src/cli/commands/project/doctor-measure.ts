import { InputError } from '../../../core/errors/errors.js'
import { optionFlag } from '../../output/text.js'
import type { Io } from '../../terminal/io.js'
import { type DoctorFlags, doctor } from './doctor.js'
import type { GateCheckFlags } from './doctor-gate.js'
import type { JudgeCheckFlags } from './doctor-judge.js'

export interface DoctorOptions extends DoctorFlags, GateCheckFlags, Omit<JudgeCheckFlags, 'judge'> {
  readonly gate?: true | undefined
  readonly judge?: string | undefined
}

/** `skillopt doctor`: runs the free checks, or one of the measurements that cost model calls. */
export async function runDoctor(io: Io, project: string | undefined, flags: DoctorOptions): Promise<number> {
  refuseCombinations(flags)
  const { judge } = flags
  if (flags.gate === true) return (await import('./doctor-gate.js')).measureGate(io, project, flags)
  if (judge !== undefined)
    return (await import('./doctor-judge.js')).measureJudge(io, project, { ...flags, judge })
  return doctor(io, project, flags)
}

type Name = keyof DoctorOptions

const gateOptions: readonly Name[] = ['gain', 'samples', 'skill']
const judgeOptions: readonly Name[] = ['part']
const spendingOptions: readonly Name[] = [
  ...(['json', 'quiet', 'yes', 'maxCalls', 'maxTokens', 'maxCost', 'maxTime'] as const),
]

function refuseCombinations(flags: DoctorOptions): void {
  const given = (names: readonly Name[]) => names.find(name => flags[name] !== undefined)
  const { gate, judge, online } = flags
  if (gate === true && judge !== undefined)
    refuse('--gate and --judge cannot be combined; measure one at a time.')
  if ((gate === true || judge !== undefined) && online === true)
    refuse('--online cannot be combined with --gate or --judge.')
  const ofGate = given(gateOptions)
  if (gate !== true && ofGate !== undefined) refuse(`${optionFlag(ofGate)} requires --gate.`)
  const ofJudge = given(judgeOptions)
  if (judge === undefined && ofJudge !== undefined) refuse(`${optionFlag(ofJudge)} requires --judge.`)
  const ofBoth = given(spendingOptions)
  if (gate !== true && judge === undefined && ofBoth !== undefined)
    refuse(`${optionFlag(ofBoth)} requires --gate or --judge; the plain check costs nothing.`)
}

function refuse(message: string): never {
  throw new InputError(message, { hint: 'skillopt doctor --help' })
}
