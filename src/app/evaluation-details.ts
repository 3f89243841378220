import { comparePaired, compareSkills, type PairedScores } from '../core/comparison/skill-comparison.js'
import { shortNames } from '../core/comparison/skill-comparison-text.js'
import type { EvaluationDetails } from '../core/comparison/split-result.js'
import { configSchema } from '../core/config/config.js'
import { valueAt } from '../core/config/paths.js'
import { metricScore } from '../core/task/metric.js'
import type { BlobRef, Row, Scores, Split } from '../core/task/task.js'
import type { RunView } from '../core/view/fold.js'
import { recordedPair } from '../core/view/test-results.js'
import { parseRows, scoresByType } from '../trainer/loops/evaluation.js'

/** The score by which a run's settings compare skills. Imported runs may lack most settings. */
export function scoreOf(config: unknown): (scores: Scores) => number {
  const { metric, mixedWeight } = configSchema.shape.evaluation.unwrap().shape
  const how = metric.parse(valueAt(config, ['evaluation', 'metric']))
  const weight = mixedWeight.parse(valueAt(config, ['evaluation', 'mixedWeight']))
  return scores => metricScore(scores, how, weight)
}

/**
 * The results of the last evaluation. Its events contain the mean scores; the rows that they refer to contain
 * the rest.
 */
export async function evaluatedIn(
  { config, skills, evaluations }: Pick<RunView, 'config' | 'skills' | 'evaluations'>,
  text: (ref: BlobRef) => Promise<string>,
): Promise<EvaluationDetails> {
  const score = scoreOf(config)
  const names = shortNames(skills.map(({ name }) => name))
  const last = new Map(evaluations.map(one => [`${one.split} ${one.skill}`, one]))
  const evaluated: { split: Split; name: string; rows: readonly Row[] }[] = []
  for (const { split, skill, rows } of last.values()) {
    const parsed = parseRows(await text(rows))
    const own = names.filter((_, index) => skills[index]?.skill === skill)
    for (const name of own.length === 0 ? [''] : own) evaluated.push({ split, name, rows: parsed })
  }
  const inOrder = evaluated.toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name))
  const splits = (['train', 'val', 'test'] as const).filter(split =>
    evaluated.some(one => one.split === split),
  )
  const of = (split: Split) => inOrder.filter(one => one.split === split)
  return {
    splits: splits.flatMap(split =>
      of(split).map(({ name, rows }) => ({ split, skill: name, ...scoresByType(rows, score) })),
    ),
    comparisons: splits
      .filter(split => of(split).length > 1)
      .map(split => ({ split, ...compareSkills(of(split), score) })),
  }
}

/**
 * Compares the best skill with the initial one task by task on the test split. Undefined unless both were
 * tested. Logs of earlier versions contain only the rows, not the comparison.
 */
export async function testedPairs(
  { config, tests, testRows, comparison }: Pick<RunView, 'config' | 'tests' | 'testRows' | 'comparison'>,
  text: (ref: BlobRef) => Promise<string>,
): Promise<PairedScores | undefined> {
  const recorded = recordedPair(comparison)
  if (recorded !== undefined) return recorded
  const refOf = (which: 'initial' | 'best') => testRows[tests.find(test => test.which === which)?.skill ?? '']
  const [initial, best] = [refOf('initial'), refOf('best')]
  if (initial === undefined || best === undefined) return undefined
  return comparePaired(parseRows(await text(best)), parseRows(await text(initial)), {
    score: scoreOf(config),
  })
}
