import type { Run } from '../../core/ports/run.js'
import type { SkillDocument } from '../../core/skill/document.js'
import { skillHash } from '../../core/skill/skill.js'

/** State carried from step to step. */
export interface TrainingState {
  readonly current: SkillDocument
  /** Absent until the current text itself was evaluated: a score is never inherited. */
  readonly score: number | undefined
  /** Version N is the skill that step N + 1 starts with. */
  readonly version: number
  readonly best: { readonly document: SkillDocument; readonly score: number; readonly version: number }
}

export function initialState(seed: SkillDocument): TrainingState {
  const best = { document: seed, score: Number.NEGATIVE_INFINITY, version: 0 }
  return { current: seed, score: undefined, version: 0, best }
}

/** Records the score of the current skill, which becomes the best if it scores above the best so far. */
export async function withScore(run: Run, state: TrainingState, score: number): Promise<TrainingState> {
  if (score <= state.best.score) return { ...state, score }
  const { current, version } = state
  const body = { ...storedSkill(run, current), version, score }
  await run.emit('best.changed', body, `${version} ${body.skill}`)
  return { ...state, score, best: { document: current, score, version } }
}

/** Replaces the current skill by another, whose score may still be unknown. */
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
