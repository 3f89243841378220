import type { CapName } from '../../../../src/core/errors/errors.js'
import type { LaunchLimits } from '../../../../src/dashboard/contract/launch.js'

interface Cap {
  readonly name: CapName
  readonly label: string
  readonly unit: string
  /** Whether the cap must be a whole number. */
  readonly isWhole: boolean
}

/** The caps of a training, in the order of the form and the dialogs. */
export const caps: readonly Cap[] = [
  { name: 'maxCost', label: 'Money', unit: 'US dollars', isWhole: false },
  { name: 'maxCalls', label: 'Calls', unit: 'model calls', isWhole: true },
  { name: 'maxTokens', label: 'Tokens', unit: 'in and out', isWhole: true },
  { name: 'maxTime', label: 'Time', unit: 'minutes', isWhole: false },
]

export interface TypedCaps {
  readonly limits: LaunchLimits
  /** Error messages by cap. */
  readonly problems: Readonly<Partial<Record<CapName, string>>>
}

/** Parses the caps that the user typed. An empty field leaves its cap unchanged. */
export function typedCaps(typed: Readonly<Partial<Record<CapName, string>>>): TypedCaps {
  const limits: Partial<Record<CapName, number>> = {}
  const problems: Partial<Record<CapName, string>> = {}
  for (const { name, isWhole } of caps) {
    const text = typed[name]?.trim() ?? ''
    if (text === '') continue
    const value = Number(text)
    const isRight = Number.isFinite(value) && value > 0 && (!isWhole || Number.isSafeInteger(value))
    if (isRight) limits[name] = value
    else problems[name] = `must be a ${isWhole ? 'whole ' : ''}number above 0`
  }
  return { limits, problems }
}
