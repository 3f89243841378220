import { InputError } from '../../core/errors/errors.js'
import type { Proposal, ProposalEdit, ProposalTarget } from '../model/proposal.js'

export interface Choice {
  /** Names of the targets to adopt; all targets if omitted. */
  readonly targets?: readonly string[]
  /** Edit ids. If given, the texts are rebuilt from the current files with only these edits. */
  readonly edits?: readonly string[]
  /**
   * Hash, by target name, of the text that was measured for this choice. The measurement says nothing about
   * other texts.
   */
  readonly measured?: ReadonlyMap<string, string>
  /** The `seen` value of a confirmed preview. Adoption is refused if it would now write anything else. */
  readonly seen?: string
}

export interface ChosenTarget {
  readonly target: ProposalTarget
  /** The chosen edits; undefined if the text is adopted as proposed. */
  readonly edits: readonly ProposalEdit[] | undefined
}

/** Resolves the choice to targets. Throws if it names a target or edit that is not in the proposal. */
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

/** A target with the text to be written. */
export interface WrittenTarget {
  readonly name: string
  readonly path: string
  /** Hash of the whole new text. */
  readonly after: string
  /** True if the person changed the surrounding text since the proposal. */
  readonly merged: boolean
}

/** Explains in a sentence why exactly this text was not measured; undefined if it was. */
export function unmeasuredBecause(
  proposal: Proposal,
  chosen: readonly ChosenTarget[],
  written: readonly WrittenTarget[],
  { measured }: Pick<Choice, 'measured'>,
): string | undefined {
  if (measured !== undefined && written.every(({ name, after }) => measured.get(name) === after))
    return undefined
  // The region was measured with the old text around it. New text there may change the region's effect.
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
