import { InputError } from '../../core/errors/errors.js'
import type { Proposal, ProposalEdit, ProposalTarget } from '../model/proposal.js'

export interface Choice {
  /** Names of targets; all of them if none are named. */
  readonly targets?: readonly string[]
  /** Ids of edits: the texts are then made anew from what the files say now, with these alone. */
  readonly edits?: readonly string[]
  /** By the target's name: the hash of a text that was measured for this choice. Any other is not covered by it. */
  readonly measured?: ReadonlyMap<string, string>
  /** The `seen` of a preview that somebody agreed to: if anything else would be written by now, it is refused. */
  readonly seen?: string
}

export interface ChosenTarget {
  readonly target: ProposalTarget
  /** Undefined for the text as it was proposed. */
  readonly edits: readonly ProposalEdit[] | undefined
}

/** What is to be adopted; whatever is not there to be chosen is refused. */
export function chosenFrom(proposal: Proposal, choice: Choice): readonly ChosenTarget[] {
  if (!proposal.verdict.accepted) {
    throw new InputError(`Proposal ${proposal.id} was not accepted: ${proposal.verdict.reason}`, {
      hint: 'Nothing was changed. What was rejected is not adopted; the next night may find better.',
    })
  }
  if (proposal.targets.length === 0) throw new InputError(`Proposal ${proposal.id} changes nothing.`)
  const { targets: names, edits: ids } = choice
  checkNames(
    'target',
    names ?? [],
    proposal.targets.map(({ name }) => name),
  )
  if (names?.length === 0 || ids?.length === 0) throw new InputError('Nothing was chosen to be adopted.')
  const targets = proposal.targets.filter(({ name }) => names === undefined || names.includes(name))
  if (ids === undefined) return targets.map(target => ({ target, edits: undefined }))

  const offered = proposal.edits.filter(({ status, target }) => {
    return status === 'proposed' && targets.some(({ name }) => name === target)
  })
  checkNames(
    'edit',
    ids,
    offered.map(({ id }) => id),
  )
  const edits = offered.filter(({ id }) => ids.includes(id))
  return targets
    .map(target => ({ target, edits: edits.filter(edit => edit.target === target.name) }))
    .filter(chosen => chosen.edits.length > 0)
}

function checkNames(what: string, wanted: readonly string[], known: readonly string[]): void {
  const unknown = wanted.find(name => !known.includes(name))
  if (unknown === undefined) return
  const list = known.length === 0 ? 'There are none.' : `There are: ${known.join(', ')}.`
  throw new InputError(`The proposal offers no ${what} "${unknown}".`, {
    hint: `${list} Nothing was changed.`,
  })
}

/** A target as it is to be written. */
export interface WrittenTarget {
  readonly name: string
  readonly path: string
  /** Of the whole text. */
  readonly after: string
  /** Whether the region goes into a text that the person changed since the proposal. */
  readonly merged: boolean
}

/** Why nobody has measured exactly this, as a sentence; undefined where somebody has. */
export function unmeasuredBecause(
  proposal: Proposal,
  chosen: readonly ChosenTarget[],
  written: readonly WrittenTarget[],
  { measured }: Pick<Choice, 'measured'>,
): string | undefined {
  if (measured !== undefined && written.every(({ name, after }) => measured.get(name) === after))
    return undefined
  // A text around the region that was not there when it was measured may decide what the region does.
  const merged = written.find(one => one.merged)
  if (merged !== undefined) return `${merged.path} was changed around the region since it was measured.`
  for (const { target, edits } of chosen) {
    const problem = problemOfMeasures(proposal, chosen, target.name, edits !== undefined)
    if (problem !== undefined) return problem
  }
  return undefined
}

function problemOfMeasures(
  { measures }: Proposal,
  chosen: readonly ChosenTarget[],
  name: string,
  isPart: boolean,
): string | undefined {
  if (isPart) return 'Only some of the edits were chosen, and the night measured all of them together.'
  const names = new Set(chosen.map(({ target }) => target.name))
  const own = measures.filter(({ measured, targets }) => measured && targets.includes(name))
  if (own.length === 0) return `${name} was not measured on tasks that no edit was made from.`
  if (own.some(({ targets }) => targets.every(other => names.has(other)))) return undefined
  const others = (own[0]?.targets ?? []).filter(other => !names.has(other))
  return `${name} was measured together with ${others.join(', ')}.`
}
