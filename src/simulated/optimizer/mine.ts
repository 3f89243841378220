import { partsIn } from '../marked-parts.js'
import type { Dice } from '../random.js'
import { solverOf } from '../solvers/index.js'
import { parseObject } from './sections.js'

/** Share of complaints that the optimizer overlooks. */
const overlookRate = 0.1
const mostPoints = 8

/**
 * Writes a task from recurring requests: the most typical request and a rubric with one point for each
 * complaint. Without complaints nothing tells what a good answer is, so no task is written.
 */
export function writeTask(text: string, dice: Dice): object {
  const parts = partsIn(text)
  const requests = textsIn(parts.requests, 'text')
  const complaints = textsIn(parts.rework, 'said').filter(() => !dice.chance(overlookRate))
  const [typical = ''] = requests
  const rubric = distinctPoints(complaints.map(demandIn), typical)
  const nothing = { intent: '', rubric: [], checks: [] }
  if (typical === '') return { ...nothing, skip: 'There are no requests.' }
  if (rubric.length === 0)
    return { ...nothing, skip: 'Nothing shows what the person would not have accepted.' }
  return { intent: intentOf(typical), rubric: rubric.slice(0, mostPoints), checks: [], skip: null }
}

function textsIn(lines: string | undefined, name: 'text' | 'said'): readonly string[] {
  return (lines ?? '').split('\n').flatMap(line => {
    const text = parseObject(line)?.[name]
    return typeof text === 'string' ? [text] : []
  })
}

/** Matches the phrases that lead to the actual complaint, such as "no, that's wrong". */
const leadIn =
  /^(?:(?:no+|nope|wrong|incorrect|not (?:like )?that|not what i (?:asked for|meant|wanted)|(?:that|this|it)(?:['’]s| is) (?:still )?(?:wrong|incorrect|not (?:right|it|what i asked for))|i (?:told you|already said|meant|said|asked (?:you )?for)(?: that| to)?|you (?:forgot|missed|ignored)(?: that)?|again|please|sorry|but)(?![\p{L}])[\s,.:;!–—-]*)+/iu

function demandIn(complaint: string): string {
  return sentence(complaint.replace(leadIn, ''))
}

/** Formats a text as a sentence without double quotation marks, which would mark required words. */
function sentence(text: string): string {
  const plain = text.replaceAll(/["“”]/g, "'").replaceAll(/\s+/g, ' ').trim()
  if (plain === '') return ''
  return plain.slice(0, 1).toUpperCase() + plain.slice(1) + (/[.!?]$/.test(plain) ? '' : '.')
}

/** Merges complaints that mean the same, as far as the solver for this kind of work can tell. */
function distinctPoints(points: readonly string[], typical: string): readonly string[] {
  const solver = solverOf({ model: 'target', messages: [{ role: 'user', content: typical }] })
  const byMeaning = new Map<string, string>()
  for (const point of points.filter(each => each !== '')) {
    const meanings = Object.entries(solver?.lessons ?? {}).filter(([, lesson]) => lesson.isStatedIn(point))
    const meaning = meanings.length === 0 ? point.toLowerCase() : meanings.map(([id]) => id).join()
    if (!byMeaning.has(meaning)) byMeaning.set(meaning, point)
  }
  return [...byMeaning.values()]
}

/** The intent of a request. Pasted text is left out, because it belongs to a single session. */
function intentOf(request: string): string {
  const words = request.replaceAll(/```[\s\S]*?(?:```|$)/g, ' ').trim()
  return sentence(words.replace(/[\s:,;–—-]+$/, ''))
}
