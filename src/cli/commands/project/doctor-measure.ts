import { InputError } from '../../../core/errors/errors.js'
import { optionFlag } from '../../program/arguments.js'
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

const gateOptions: readonly Name[] = ['gain', 'samples', 'skill', 'cache']
const judgeOptions: readonly Name[] = ['part']
const spendingOptions: readonly Name[] = [
  ...(['json', 'quiet', 'yes', 'maxCalls', 'maxTokens', 'maxCost', 'maxTime'] as const),
]

function refuseCombinations(flags: DoctorOptions): void {
  const given = (names: readonly Name[]) => names.find(name => flags[name] !== undefined)
  const { gate, judge, online } = flags
  if (gate === true && judge !== undefined) refuse('--gate and --judge are measured one at a time.')
  if ((gate === true || judge !== undefined) && online === true)
    refuse('--online belongs to the plain check: leave out --gate and --judge.')
  const ofGate = given(gateOptions)
  if (gate !== true && ofGate !== undefined) refuse(`${optionFlag(ofGate)} works only with --gate.`)
  const ofJudge = given(judgeOptions)
  if (judge === undefined && ofJudge !== undefined) refuse(`${optionFlag(ofJudge)} works only with --judge.`)
  const ofBoth = given(spendingOptions)
  if (gate !== true && judge === undefined && ofBoth !== undefined)
    refuse(`${optionFlag(ofBoth)} works only with --gate or --judge: the plain check spends nothing.`)
}

function refuse(message: string): never {
  throw new InputError(message, { hint: 'skillopt doctor --help' })
}
