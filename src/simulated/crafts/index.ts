import type { ChatRequest } from '../chat.js'
import { craft as alfworld } from './alfworld.js'
import { craft as changes } from './changes.js'
import type { Craft } from './craft.js'
import { craft as docvqa } from './docvqa.js'
import { craft as figures } from './figures.js'
import { craft as livemath } from './livemath.js'
import { craft as officeqa } from './officeqa.js'
import { craft as references } from './references.js'
import { craft as searchqa } from './searchqa.js'
import { craft as spreadsheetbench } from './spreadsheetbench.js'
import { craft as writing } from './writing.js'

/** Every craft that the simulated models know. */
const crafts: readonly Craft[] = [
  ...[searchqa, docvqa, livemath, spreadsheetbench, officeqa, alfworld],
  ...[references, changes, figures, writing],
]

export function craftOf(request: ChatRequest): Craft | undefined {
  return crafts.find(craft => craft.recognises(request))
}

/** Which lessons a skill states, line by line. */
export function lessonsIn(craft: Craft, skill: string): ReadonlySet<string> {
  const lines = skill.split('\n').filter(line => line.trim() !== '')
  const stated = Object.entries(craft.lessons).filter(([, lesson]) =>
    lines.some(line => lesson.isStatedIn(line)),
  )
  return new Set(stated.map(([id]) => id))
}
