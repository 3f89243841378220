import { answerOf, answerWords, pairedFigures, tellingSentence } from '../comparison/paired-answer.js'
import type { EventBody } from '../log/event.js'
import { plural } from './figures.js'
import type { RunView } from './run-view.js'

export type Tested = EventBody<'test.finished'>['which']
export type ComparedPair = EventBody<'comparison.finished'>['pairs'][number]

/** Display names of the tested skills, in display order. */
export const testedNames: Readonly<Record<Tested, string>> = {
  none: 'no skill',
  'one-shot': 'one-shot',
  initial: 'initial',
  best: 'best',
  last: 'last',
  trained: 'trained',
}

export function inTestOrder<T extends { readonly which: Tested }>(tests: readonly T[]): T[] {
  const order = Object.keys(testedNames)
  return tests.toSorted((a, b) => order.indexOf(a.which) - order.indexOf(b.which))
}

/** Gain of the best skill over the initial one on the test split; undefined if either has no score. */
export function testGain({ tests }: Pick<RunView, 'tests'>): number | undefined {
  const of = (which: Tested) => tests.find(test => test.which === which && test.scored > 0)
  const [initial, best] = [of('initial'), of('best')]
  return initial && best && best.score - initial.score
}

/** The comparison of the shipped skill with the seed, which a training records at its end. */
export function recordedPair(comparison: RunView['comparison']): ComparedPair | undefined {
  return comparison?.pairs.find(({ which, against }) => which === 'best' && against === 'initial')
}

/** The pairs that involve the trained skill or, if there is none, the one-shot skill. */
export function pairsInQuestion(pairs: readonly ComparedPair[]): readonly ComparedPair[] {
  const of = (which: Tested) => pairs.filter(pair => pair.which === which)
  if (of('trained').length > 0) return inQuestionOrder(of('trained'))
  return pairs.filter(pair => pair.which === 'one-shot' || pair.against === 'one-shot')
}

const inQuestionOrder = (pairs: readonly ComparedPair[]) => {
  const order: readonly Tested[] = ['one-shot', 'initial', 'none']
  return pairs.toSorted((a, b) => order.indexOf(a.against) - order.indexOf(b.against))
}

/** States in one sentence whether training was worth it. */
export function worthSentence(pairs: readonly ComparedPair[]): string {
  const pair = pairs.find(({ which, against }) => which === 'trained' && against === 'one-shot')
  if (pair !== undefined) return trainedSentence(pair, 'the one-shot skill')
  const initial = pairs.find(({ which, against }) => which === 'trained' && against === 'initial')
  if (initial !== undefined)
    return `${trainedSentence(initial, 'the initial skill')} There is no one-shot skill to compare with.`
  return 'There is no trained skill to compare with. Train, then run this again: what is known already is not paid for twice.'
}

function trainedSentence(pair: ComparedPair, than: string): string {
  if (pair.tasks === 0) return `No task was scored for both the trained skill and ${than}.`
  const answer = answerOf(pair)
  const words = {
    better: `Better than ${than}`,
    worse: `Worse than ${than}`,
    'no-change': `No better than ${than}`,
    'cannot-tell': `${answerWords['cannot-tell']} whether the trained skill is better than ${than}`,
  }
  const figures = `${words[answer]}: ${pairedFigures(pair, plural(pair.tasks, 'unseen test task'))}.`
  return answer === 'cannot-tell' ? `${figures} ${tellingSentence(pair)}` : figures
}
