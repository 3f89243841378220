import { InputError } from '../core/errors.js'
import type { Proposal, ProposalEdit, ProposalTarget } from '../core/proposal.js'

export interface Choice {
  /** Names of targets; all of them if none are named. */
  readonly targets?: readonly string[]
  /** Ids of edits: the texts are then made anew from what the files say now, with these alone. */
  readonly edits?: readonly string[]
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

/** Whether the chosen targets were measured together, with nothing that is not among them. */
export function isMeasured({ measures }: Proposal, chosen: readonly ChosenTarget[]): boolean {
  const names = new Set(chosen.map(({ target }) => target.name))
  return chosen.every(
    ({ target, edits }) =>
      edits === undefined &&
      measures.some(
        ({ measured, targets }) =>
          measured && targets.includes(target.name) && targets.every(name => names.has(name)),
      ),
  )
}
