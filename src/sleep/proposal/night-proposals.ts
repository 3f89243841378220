import { InputError } from '../../core/errors/errors.js'
import { type ReadProposal, type Receipt, readAdoptions, readProposal } from '../adopt/index.js'
import { proposalId } from '../model/proposal.js'
import { listNights, type Night } from '../nights/nights.js'

/** A night's proposal and its adoption state. */
export interface NightProposal extends ReadProposal {
  readonly night: Night
  /** Names of targets not adopted yet, neither from this proposal nor from a later one. */
  readonly open: readonly string[]
  /** Adoptions of this proposal that still stand. Those that were undone are in `takenBack`. */
  readonly adopted: readonly Receipt[]
  readonly takenBack: readonly Receipt[]
}

export interface ProjectProposals {
  readonly nights: readonly Night[]
  /** Proposals sorted from oldest to newest. */
  readonly proposals: readonly NightProposal[]
  /** Nights whose proposal cannot be used, with the reason as a sentence. */
  readonly damaged: readonly { readonly night: Night; readonly problem: string }[]
}

/** Reads all proposals of a project. An unreadable one does not hide the others. */
export async function readProposals(projectFolder: string): Promise<ProjectProposals> {
  const nights = await listNights(projectFolder)
  const { all, standing } = await readAdoptions(projectFolder)
  const read: { readonly night: Night; readonly proposal: ReadProposal }[] = []
  const damaged: { readonly night: Night; readonly problem: string }[] = []
  for (const night of nights) {
    if (night.proposal === undefined) continue
    try {
      read.push({ night, proposal: await readProposal(night.proposal) })
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      damaged.push({ night, problem: error.message })
    }
  }
  const proposals = read.map(({ night, proposal: found }, index) => {
    const { id, targets } = found.proposal
    const damagedSince = damaged.filter(other => other.night.number > night.number)
    const notEarlier = new Set([
      ...read.slice(index).map(({ proposal }) => proposal.proposal.id),
      ...damagedSince.map(other => proposalId(other.night.number)),
    ])
    const settled = new Set(
      standing
        .filter(({ proposal }) => notEarlier.has(proposal))
        .flatMap(({ changes }) => changes.map(({ name }) => name)),
    )
    const own = all.filter(({ proposal, kind }) => proposal === id && kind === 'adopt')
    return {
      ...found,
      night,
      open: targets.map(({ name }) => name).filter(name => !settled.has(name)),
      adopted: own.filter(receipt => standing.includes(receipt)),
      takenBack: own.filter(receipt => !standing.includes(receipt)),
    }
  })
  return { nights, proposals, damaged }
}

/** Returns the newest proposal that still needs a decision. */
export function waiting({ proposals }: Pick<ProjectProposals, 'proposals'>): NightProposal | undefined {
  return proposals.findLast(({ open, proposal }) => open.length > 0 && proposal.verdict.accepted)
}

/**
 * Returns the proposal of the given night, or the newest open one; throws with the reason if there is none.
 */
export function chooseProposal(found: ProjectProposals, number: number | undefined): NightProposal {
  const chosen =
    number === undefined ? waiting(found) : found.proposals.find(({ night }) => night.number === number)
  const last = found.proposals.at(-1)
  const newest = (chosen ?? last)?.night.number ?? 0
  const isMeant = ({ night }: { readonly night: Night }) =>
    number === undefined ? night.number > newest : night.number === number
  // Without a number, the newest proposal is meant, so it is an error if that one is damaged.
  const broken = found.damaged.findLast(isMeant)
  if (broken !== undefined) {
    const older = chosen === undefined ? '' : ` That of night ${newest} waits too: --night ${newest}.`
    throw new InputError(`The proposal of night ${broken.night.number} cannot be used: ${broken.problem}`, {
      hint: `Nothing was changed. The next night makes another.${older}`,
    })
  }
  if (chosen !== undefined) return chosen
  if (number !== undefined) throw noSuchNight(found, number)
  throw new InputError('No proposal waits for a review.', {
    hint:
      last === undefined
        ? '`skillopt sleep run` looks for something to propose; `skillopt sleep status` says how the last night ended.'
        : `The newest is that of night ${last.night.number}, which was decided on: --night ${last.night.number} shows it.`,
  })
}

function noSuchNight({ nights, proposals }: ProjectProposals, number: number): InputError {
  const problem = nights.some(night => night.number === number)
    ? `Night ${number} proposed nothing.`
    : `There is no night ${number} in this project.`
  const known = proposals.map(({ night }) => night.number)
  const list =
    known.length === 0
      ? 'No night has proposed anything yet.'
      : `Nights with a proposal: ${known.join(', ')}.`
  return new InputError(problem, { hint: list })
}
