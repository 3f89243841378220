import { skillHash } from '../../../core/skill/skill.js'
import type { BlobRef } from '../../../core/task/task.js'
import type { RunView, StepView } from '../../../core/view/run-view.js'
import { testedNames } from '../../../core/view/test-results.js'
import type { SkillVersion } from '../../contract/skill.js'
import { NotFoundError } from '../not-found.js'

/** A skill recorded in the log, with all that is needed to show it. */
export interface KnownSkill {
  readonly shown: SkillVersion
  /** Absent if the log contains only the skill's hash. */
  readonly text: BlobRef | undefined
  readonly origins?: BlobRef
  /** For a candidate: the step that proposed it. */
  readonly proposedIn?: StepView
}

export function candidateId(step: number): string {
  return `c${step}`
}

/** All skills of a run in order of creation. `text` reads the seed, whose hash may not be in the log. */
export async function knownSkills(
  view: RunView,
  text: (ref: BlobRef) => Promise<string>,
): Promise<readonly KnownSkill[]> {
  if (view.versions.length > 0) return trainedSkills(view)
  if (view.skills.length > 0) return evaluatedSkills(view)
  if (view.kind === 'mine' || view.seedSkill === '') return []
  return namedSkills(view, skillHash(await text(view.seedSkill)))
}

/** Finds a skill by `v3`, `c3`, a hash, `seed`, `best` or `last`. */
export function findSkill(view: RunView, known: readonly KnownSkill[], named: string): KnownSkill {
  const found =
    known.find(({ shown }) => shown.id === named) ??
    aliased(known, named) ??
    known.find(({ shown }) => shown.skill === named) ??
    candidatesOf(view).find(({ shown }) => shown.id === named || shown.skill === named)
  if (found !== undefined) return found
  const last = view.versions.at(-1)?.version
  throw new NotFoundError(`The run ${view.run} has no skill of this name.`, {
    hint:
      last === undefined
        ? 'Its page lists those that it has.'
        : `It has v0 to v${last}, c1 and so on for the candidates of its steps, and the names seed, best and last.`,
  })
}

function aliased(known: readonly KnownSkill[], named: string): KnownSkill | undefined {
  const versions = known.filter(({ shown }) => shown.kind !== 'candidate')
  if (named === 'seed') return versions[0]
  if (named === 'best') return known.find(({ shown }) => shown.isBest) ?? versions.at(-1)
  return named === 'last' ? versions.at(-1) : undefined
}

function trainedSkills(view: RunView): readonly KnownSkill[] {
  const firstWith = new Map<string, string>()
  const versions = view.versions.map(({ version, skill, text, origins, score, because }): KnownSkill => {
    const id = `v${version}`
    const sameAs = firstWith.get(skill)
    if (sameAs === undefined) firstWith.set(skill, id)
    return {
      shown: {
        id,
        name: id,
        kind: 'version',
        skill,
        step: version,
        because,
        hasText: true,
        ...(score === undefined ? {} : { score }),
        ...(sameAs === undefined ? {} : { sameAs }),
        isBest: skill === view.best?.skill && sameAs === undefined,
      },
      text,
      origins,
    }
  })
  const refused = candidatesOf(view).filter(({ shown }) => !firstWith.has(shown.skill) && !shown.isBest)
  const all = [...versions, ...refused, ...lostBest(view, firstWith)]
  // A step's candidate precedes the version that the step produced.
  return all.toSorted((a, b) => placeOf(a) - placeOf(b))
}

const placeOf = ({ shown }: KnownSkill): number =>
  (shown.step ?? 0) - (shown.kind === 'candidate' ? 0.5 : shown.isBest ? 0.1 : 0)

/** The best skill, if a slow update in the same step took over its version number. */
function lostBest(view: RunView, versions: ReadonlyMap<string, string>): readonly KnownSkill[] {
  const { best } = view
  if (best === undefined || versions.has(best.skill)) return []
  const { version, skill, score, text, origins } = best
  const because = `step ${version}, before the slow update`
  const about = { id: 'best', name: `v${version} as it was best`, kind: 'version', step: version } as const
  return [{ shown: { ...about, skill, score, because, isBest: true, hasText: true }, text, origins }]
}

function candidatesOf(view: RunView): readonly KnownSkill[] {
  return view.steps.flatMap(step =>
    step.candidate === undefined
      ? []
      : [
          {
            shown: shownCandidate(view, step, step.candidate.skill),
            text: step.candidate.text,
            proposedIn: step,
          },
        ],
  )
}

function shownCandidate(view: RunView, { step, gate, outcome }: StepView, skill: string): SkillVersion {
  return {
    id: candidateId(step),
    name: `step ${step}`,
    kind: 'candidate',
    skill,
    step,
    ...(gate?.score === undefined || gate.action === 'abstain' ? {} : { score: gate.score }),
    ...(gate?.verdict.complete === false ? { isEstimate: true } : {}),
    because: gate?.verdict.reason ?? 'not judged yet',
    ...(outcome === undefined ? {} : { outcome }),
    isBest: skill === view.best?.skill,
    hasText: true,
  }
}

/** The skills of an evaluation, under their given names. */
function evaluatedSkills(view: RunView): readonly KnownSkill[] {
  return view.skills.map(({ name, skill, text }) => {
    const done = view.evaluations.filter(evaluation => evaluation.skill === skill).at(-1)
    const because = done === undefined ? 'not evaluated yet' : `evaluated on the ${done.split} split`
    const score = done === undefined ? {} : { score: done.score }
    const about = { id: skill, name, kind: 'named', skill, because } as const
    return { shown: { ...about, ...score, isBest: false, hasText: text !== '' }, text }
  })
}

/** The skill of a run that trains none, and the skills that a comparison of baselines measured it against. */
function namedSkills(view: RunView, seed: string): readonly KnownSkill[] {
  const named = (id: string, name: string, skill: string, text: BlobRef | undefined): KnownSkill => {
    const test = view.tests.findLast(each => each.skill === skill)
    const because =
      text === undefined ? 'from another run: its text is in that run’s log' : 'what the run was given'
    return {
      shown: {
        id,
        name,
        kind: 'named',
        skill,
        isBest: false,
        hasText: text !== undefined,
        ...(test === undefined ? {} : { score: test.score }),
        because: id === 'one-shot' ? 'written by the optimizer in one go' : because,
      },
      text,
    }
  }
  const { oneShot } = view
  const written =
    oneShot?.skill === undefined
      ? []
      : [named('one-shot', testedNames['one-shot'], oneShot.skill, oneShot.text)]
  const trained = view.tests.findLast(({ which }) => which === 'trained')
  const known = [named('seed', testedNames.initial, seed, view.seedSkill), ...written]
  if (trained === undefined || known.some(({ shown }) => shown.skill === trained.skill)) return known
  return [...known, named('trained', testedNames.trained, trained.skill, undefined)]
}
