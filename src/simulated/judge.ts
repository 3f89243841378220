import { type ChatReply, type ChatRequest, fingerprintOf, textOf } from './chat.js'
import { partsIn } from './marked-parts.js'
import { type Dice, diceOf } from './random.js'
import { solverOf } from './solvers/index.js'
import { unknownTask } from './target.js'

/**
 * The simulated judge. It reads the rubric, the reference and the answer from the message, looks for the
 * required words, and errs occasionally. It matches words without understanding them.
 */

/** Share of votes that are off by more than a little. */
const slipRate = 0.12
/** Share of replies that lack the requested JSON. */
const malformedRate = 0.03

export function answerAsJudge(request: ChatRequest): ChatReply {
  const asked = request.messages.find(message => message.role === 'user')
  const parts = partsIn(asked === undefined ? '' : textOf(asked))
  const { rubric, answer } = parts
  if (rubric === undefined || answer === undefined) return { content: unknownTask }

  const dice = diceOf('judge', fingerprintOf(request))
  const { met, missing } =
    compareAsSolver(parts, answer) ?? compare(demandsOf(rubric, parts.reference), answer)
  const score = waver(met.length / Math.max(1, met.length + missing.length), dice)
  const isRepair = request.messages.some(message => message.role === 'assistant')
  if (!isRepair && dice.chance(malformedRate)) return { content: `I would give this about ${score}.` }
  return { content: JSON.stringify({ reason: reasonOf(met, missing), score }) }
}

/**
 * The words that an answer must contain: the rubric's quoted phrases and the reference's words. Without
 * these, the rubric's own words.
 */
function demandsOf(rubric: string, reference = ''): string[] {
  const quoted = [...rubric.matchAll(/["“]([^"”\n]+)["”]/g)].map(match => match[1] ?? '')
  const found = [...quoted, ...wordsOf(reference)]
  return [...new Set((found.length > 0 ? found : wordsOf(rubric)).map(demand => demand.toLowerCase()))]
}

function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}.,]*[\p{L}\p{N}]/gu) ?? []).filter(
    word => word.length > 3 || /\d/.test(word),
  )
}

function compare(demands: readonly string[], answer: string): { met: string[]; missing: string[] } {
  const said = answer.toLowerCase()
  const met = demands.filter(demand => said.includes(demand))
  return { met, missing: demands.filter(demand => !met.includes(demand)) }
}

/** Judges point by point. Undefined unless a solver recognises points of the rubric. */
function compareAsSolver(
  { rubric = '', question = '' }: Partial<Record<string, string>>,
  answer: string,
): ReturnType<typeof compare> | undefined {
  const solver = solverOf({ model: 'target', messages: [{ role: 'user', content: question }] })
  const points = rubric.split('\n').map(line => line.replace(/^- /, '').trim())
  const decided = points.flatMap(point => {
    const lesson = Object.values(solver?.lessons ?? {}).find(each => each.isStatedIn(point))
    const isMet = lesson?.isKeptIn?.({ question, answer })
    return isMet === undefined ? [] : [{ point, isMet }]
  })
  if (decided.length === 0) return undefined
  const named = (wanted: boolean) => decided.filter(({ isMet }) => isMet === wanted).map(({ point }) => point)
  return { met: named(true), missing: named(false) }
}

function waver(score: number, dice: Dice): number {
  const off = dice.chance(slipRate)
    ? dice.pick([-0.4, 0.4] as const)
    : dice.pick([-0.05, 0, 0, 0.05] as const)
  return Math.round(100 * Math.min(1, Math.max(0, score + off))) / 100
}

function reasonOf(met: readonly string[], missing: readonly string[]): string {
  const list = (demands: readonly string[]) =>
    demands
      .slice(0, 4)
      .map(demand => `"${demand}"`)
      .join(', ')
  return [
    met.length > 0 ? `The answer has ${list(met)}.` : 'The answer has nothing of what is asked for.',
    missing.length > 0 ? `It lacks ${list(missing)}.` : 'It lacks nothing.',
  ].join(' ')
}
