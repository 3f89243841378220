import { join } from 'node:path'
import type { NightsOptions } from './nights.js'
import { loadPersona, personaNames } from './personas.js'
import { learnPersona } from './run-persona.js'
import { type Matrix, transferMatrix } from './transfer-matrix.js'

export interface PersonaMatrixOptions extends Omit<NightsOptions, 'target'> {
  /** `all` for every persona. */
  readonly persona: string
  readonly keep?: string | undefined
  readonly onName?: ((persona: string) => void) | undefined
}

/** Attempts per held-out request: there are more requests than tasks in a set. */
const samples = 2

/** Evaluates what a persona's nights learned with one target on the other targets. */
export async function personaMatrices(options: PersonaMatrixOptions): Promise<readonly Matrix[]> {
  const { persona: named, keep, signal, onName } = options
  const matrices: Matrix[] = []
  for (const name of named === 'all' ? personaNames() : [named]) {
    const { project } = await loadPersona(name)
    onName?.(name)
    const rows = await transferMatrix(
      project,
      (place, target) => learnPersona(name, place, { ...options, target }),
      { samples, signal, keep: keep === undefined ? undefined : join(keep, name) },
    )
    matrices.push({ name, rows })
  }
  return matrices
}
