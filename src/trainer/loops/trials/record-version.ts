import type { Run } from '../../../core/ports/run.js'
import { storedSkill } from '../training.js'
import type { TrialState } from './trial-state.js'

export async function recordVersion(run: Run, state: TrialState, because: string): Promise<void> {
  const body = { ...storedSkill(run, state.current), version: state.version, because }
  await run.emit('skill.version', body, `v${state.version} ${because}`)
}
