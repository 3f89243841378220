import type { Run } from '../../core/ports.js'
import { storedSkill } from '../state.js'
import type { TrialState } from './state.js'

export async function recordVersion(run: Run, state: TrialState, because: string): Promise<void> {
  const body = { ...storedSkill(run, state.current), version: state.version, because }
  await run.emit('skill.version', body, `v${state.version} ${because}`)
}
