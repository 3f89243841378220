import type { ChatRequest } from '../chat.js'
import { solver as alfworld } from './alfworld.js'
import { solver as changes } from './changes.js'
import { solver as docvqa } from './docvqa.js'
import { solver as figures } from './figures.js'
import { solver as livemath } from './livemath.js'
import { solver as officeqa } from './officeqa.js'
import { solver as references } from './references.js'
import { solver as searchqa } from './searchqa.js'
import type { Solver } from './solver.js'
import { solver as spreadsheetbench } from './spreadsheetbench.js'
import { solver as writing } from './writing.js'

/** Every solver that the simulated models know. */
const solvers: readonly Solver[] = [
  searchqa,
  docvqa,
  livemath,
  spreadsheetbench,
  officeqa,
  alfworld,
  references,
  changes,
  figures,
  writing,
]

export function solverOf(request: ChatRequest): Solver | undefined {
  return solvers.find(solver => solver.recognises(request))
}

/** The lessons that a skill states. Each line is checked by itself. */
export function lessonsIn(solver: Solver, skill: string): ReadonlySet<string> {
  const lines = skill.split('\n').filter(line => line.trim() !== '')
  const stated = Object.entries(solver.lessons).filter(([, lesson]) =>
    lines.some(line => lesson.isStatedIn(line)),
  )
  return new Set(stated.map(([id]) => id))
}
