import { join } from 'node:path'
import type { NightsOptions } from './nights.js'
import { loadPersona, personaNames } from './personas.js'
import { learnPersona } from './run-persona.js'
import { type Matrix, transferMatrix } from './transfer-matrix.js'

export interface PersonaMatrixOptions extends Omit<NightsOptions, 'target'> {
  /** The persona's id; `all` for every persona. */
  readonly persona: string
  readonly keep?: string | undefined
  readonly onName?: ((persona: string) => void) | undefined
}

/** Attempts per held-out request. Two suffice, because a persona has more requests than a set has tasks. */
const samples = 2

/** Trains a persona's document with each target and evaluates it with all targets. */
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
