import type { Run } from '../../core/ports/run.js'
import type { SkillDocument } from '../../core/skill/document.js'
import { skillHash } from '../../core/skill/skill.js'

/** What training carries from step to step. */
export interface TrainingState {
  readonly current: SkillDocument
  /** Absent while the current text has never been evaluated as it stands: a score is never inherited. */
  readonly score: number | undefined
  /** Version N is the skill that step N + 1 starts with. */
  readonly version: number
  readonly best: { readonly document: SkillDocument; readonly score: number; readonly version: number }
}

export function initialState(seed: SkillDocument): TrainingState {
  const best = { document: seed, score: Number.NEGATIVE_INFINITY, version: 0 }
  return { current: seed, score: undefined, version: 0, best }
}

/** Takes in what the current skill scored; a score above the best so far makes it the best. */
export async function withScore(run: Run, state: TrainingState, score: number): Promise<TrainingState> {
  if (score <= state.best.score) return { ...state, score }
  const { current, version } = state
  const body = { ...storedSkill(run, current), version, score }
  await run.emit('best.changed', body, `${version} ${body.skill}`)
  return { ...state, score, best: { document: current, score, version } }
}

/** The current skill gives way to another one, whose score is known or still to be found. */
export async function withSkill(
  run: Run,
  state: TrainingState,
  current: SkillDocument,
  score: number | undefined,
): Promise<TrainingState> {
  const changed = { ...state, current, score: undefined }
  return score === undefined ? changed : withScore(run, changed, score)
}

export function storedSkill(
  run: Run,
  document: SkillDocument,
): { skill: string; text: string; origins: string } {
  return {
    skill: skillHash(document.text),
    text: run.put(document.text),
    origins: run.put(JSON.stringify(document.origins)),
  }
}
