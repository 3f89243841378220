import type { EventBody } from '../log/event.js'
import { plural, signedPoints } from './figures.js'
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

function trainedSentence({ difference, tasks }: ComparedPair, than: string): string {
  const { mean, low, high } = difference
  if (tasks === 0) return `No task was scored for both the trained skill and ${than}.`
  const figures = (sign: 1 | -1) => {
    const [from, to] = sign === 1 ? [low, high] : [-high, -low]
    return `${magnitude(mean)} points ${sign === 1 ? 'over' : 'against'} ${than} (${plain(from)} to ${plain(to)})`
  }
  if (low > 0) return `Training gained ${figures(1)}.`
  if (high < 0) return `Training lost ${figures(-1)}.`
  return `The trained skill and ${than} show no measurable difference with ${plural(tasks, 'task')} (${signedPoints(mean)} points, ${signedPoints(low)} to ${signedPoints(high)}).`
}

const plain = (share: number) => signedPoints(share).replace('+', '')
const magnitude = (share: number) => plain(Math.abs(share))
