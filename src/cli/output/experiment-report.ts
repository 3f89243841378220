import type { Interval } from '../../core/statistics/intervals.js'
import type { GbrainResult } from '../../experiment/gbrain/index.js'
import type { Matrix, MatrixRow } from '../../experiment/transfer-matrix.js'
import { type Colors, clean, plural, points, signedPoints, table } from './text.js'

/** Output of `sleep experiment` for skill sets and for transfer. */

export const simulatedNote =
  'SIMULATED: the models cost nothing. This shows that nights work, not what a real model would gain.'

// ── Skill sets ──────────────────────────────────────────────────────────────

export function setTable(results: readonly GbrainResult[], colors: Colors): string {
  const rows = results.map(({ skill, nights, measured }) => [
    colors.bold(skill),
    `${nights.filter(({ result }) => result.outcome === 'proposed').length} of ${nights.length}`,
    scoreCell(measured.before),
    scoreCell(measured.after),
    gainCell(measured.difference),
  ])
  const head = ['skill', 'successful nights', 'before', 'after', 'after − before']
  return table(head, rows, { colors })
}

export const callsOf = (nights: GbrainResult['nights']): number =>
  nights.reduce((sum, { result }) => sum + (result.night?.outcome?.spent.calls ?? 0), 0)

const scoreCell = ({ mean, low, high }: Interval): string =>
  `${points(mean)}\n${points(low)} to ${points(high)}`
const gainCell = ({ mean, low, high }: Interval): string =>
  `${signedPoints(mean)}\n${signedPoints(low)} to ${signedPoints(high)}`

/** Lists what each skill lacked and what the nights added. */
export function learnedTexts(results: readonly GbrainResult[], colors: Colors): string {
  return results
    .map(
      ({ skill, lacks, learned }) =>
        `${colors.bold(skill)} (it should say that ${lacks})\n${learned === '' ? 'nothing' : clean(learned)}`,
    )
    .join('\n\n')
}

/** Whether a skill improved: the lower bound of the gain's interval is above zero. */
export const hasRisen = ({ measured }: Pick<GbrainResult, 'measured'>): boolean => measured.difference.low > 0

export function setSentence(results: readonly GbrainResult[]): string {
  const risen = results.filter(hasRisen)
  const { tasks = 0, attempts = 0 } = results[0]?.measured ?? {}
  const measured = `Measured on ${plural(tasks, 'task')} that no night had seen, ${plural(attempts, 'attempt')} before and after.`
  if (risen.length === results.length)
    return `${results.length === 1 ? 'The skill improved' : `All ${results.length} skills improved`}. ${measured}`
  const others = results.filter(result => !hasRisen(result)).map(({ skill }) => skill)
  return `${risen.length} of ${plural(results.length, 'skill')} improved; not ${others.join(', ')}. ${measured}`
}

// ── Transfer between targets ────────────────────────────────────────────────

export function matrixTable(rows: readonly MatrixRow[], colors: Colors): string {
  const targets = rows.map(({ trainedWith }) => trainedWith)
  const lines = rows.map(({ trainedWith, cells }) => [
    colors.bold(trainedWith),
    ...(cells.length === 0
      ? targets.map((_, index) => (index === 0 ? 'learned nothing' : '–'))
      : cells.map(
          ({ scores: { seed, trained, gain } }) =>
            `${points(seed.score)} → ${points(trained.score)}\n${signedPoints(gain.difference.low)} to ${signedPoints(gain.difference.high)}`,
        )),
  ])
  return table(['learned with ↓, tried with →', ...targets], lines, { colors })
}

/** Sentences on which other targets each skill helps. */
export function matrixSentences(matrices: readonly Matrix[]): string[] {
  const elsewhere = matrices
    .flatMap(({ rows }) => rows)
    .flatMap(({ trainedWith, cells }) => cells.filter(({ target }) => target !== trainedWith))
  const of = (verdict: MatrixRow['cells'][number]['scores']['verdict']) =>
    elsewhere.filter(({ scores }) => scores.verdict === verdict).length
  const rest = elsewhere.length - of('transfers') - of('harms')
  return [
    `With other targets than the one it was learned with, a skill helped in ${of('transfers')} of ${plural(elsewhere.length, 'case')} and did harm in ${of('harms')}${rest === 0 ? '' : '; the rest are within chance'}.`,
    'First line: without → with the learned skill. Second line: simultaneous 95% interval of the difference, in points.',
  ]
}

/** Whether every skill helps its own target and harms no other target. */
export const matrixHolds = (matrices: readonly Matrix[]): boolean =>
  matrices
    .flatMap(({ rows }) => rows)
    .every(
      ({ trainedWith, cells }) =>
        cells.some(({ target, scores }) => target === trainedWith && scores.verdict === 'transfers') &&
        cells.every(({ scores }) => scores.verdict !== 'harms'),
    )
