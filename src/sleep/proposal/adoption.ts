import { InputError } from '../../core/errors/errors.js'
import { hiddenWarning } from '../../core/text/visible.js'
import { type AdoptionPlace, preview, type Settled } from '../adopt/index.js'
import type { ProposalEdit } from '../model/proposal.js'
import type { SleepTask } from '../model/sleep-task.js'
import { periodOf } from '../model/wording.js'
import type { SleepProject, Surroundings } from '../settings/places.js'
import { adoptionState } from './adoption-place.js'
import type { NightProposal, ProjectProposals } from './night-proposals.js'

/** Adopts proposals for the command line and the dashboard. */

/** Current and proposed text of a target. `problem` says why the proposal cannot be adopted as it is. */
export interface TargetDiff {
  readonly name: string
  readonly before: string
  readonly after: string
  readonly problem?: string | undefined
}

/** For operations that need no roots, such as undo, because the adoption has already checked the roots. */
export const stateFor = (surroundings: Surroundings, project: SleepProject): AdoptionPlace => ({
  ...adoptionState(project, surroundings),
  roots: [],
})

export function settledText({ receipt, stands }: Settled): string {
  const what = receipt.kind === 'adopt' ? 'An adoption' : 'The taking back of an adoption'
  const files = receipt.changes.map(({ path }) => path).join(', ')
  return stands
    ? `${what} was stopped at its very end; it is complete: ${files}.`
    : `${what} was stopped in the middle; all of it was put back as it was: ${files}.`
}

/**
 * Returns the current and the proposed text of each target. If a target cannot be adopted, its text at the
 * start of the night stands for the current one.
 */
export async function diffsOf(found: NightProposal, place: AdoptionPlace): Promise<readonly TargetDiff[]> {
  return Promise.all(
    found.proposal.targets.map(async ({ name }) => {
      try {
        const { changes } = await preview(found.folder, place, { targets: [name] })
        const [change] = changes
        return { name, before: change?.before ?? '', after: change?.after ?? '' }
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        const planned = found.night.plan?.targets.find(target => target.name === name)
        const after = found.texts.get(name) ?? ''
        return { name, before: planned?.live ?? '', after, problem: error.message }
      }
    }),
  )
}

/** Looks for hidden text in new lines only, because the person's own lines are not checked. */
export function hiddenIn({ before, after }: Pick<TargetDiff, 'before' | 'after'>): string | undefined {
  const own = new Set(before.split(/\r?\n/))
  return hiddenWarning(after.split(/\r?\n/).filter(line => !own.has(line)))
}

/** Display name of the night that a receipt belongs to. */
export function nightOf({ proposals }: ProjectProposals, proposal: string): string {
  const found = proposals.find(one => one.proposal.id === proposal)
  return found === undefined ? `the proposal ${proposal}` : `night ${found.night.number}`
}

/** The evidence that an edit was derived from. */
export interface EditEvidence {
  readonly tasks: readonly { readonly id: string; readonly task: SleepTask | undefined }[]
  readonly sessions: number
  /** Period in which the tasks were requested. */
  readonly period: string | undefined
}

export function evidenceOf(edit: ProposalEdit, all: readonly SleepTask[]): EditEvidence {
  const known = new Map(all.map(task => [task.id, task]))
  const ids = [...new Set(edit.tasks.map(id => taskOf(id, known)))]
  const tasks = ids.map(id => ({ id, task: known.get(id) }))
  const period = periodOf(tasks.flatMap(({ task }) => task?.evidence ?? []))
  return { tasks, sessions: new Set(edit.sessions).size, period }
}

/**
 * Returns the id of an attempt's task. Each example of a task is replayed separately, under the task's id
 * with a number.
 */
function taskOf(id: string, known: ReadonlyMap<string, SleepTask>): string {
  const whole = id.replace(/\.\d+$/, '')
  return known.has(id) || !known.has(whole) ? id : whole
}
