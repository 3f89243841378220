import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { evaluate } from '../app/evaluate.js'
import { type Interval, pairedDifference } from '../core/statistics/intervals.js'
import { readRegion, writeRegion } from '../sleep/model/managed-region.js'
import { type HeldOut, writeHeldOut } from './measure.js'
import type { ExperimentPlace } from './place.js'

/** How a text changes the scores of a document that is good without it. */
export interface Effect {
  readonly text: string
  /** Score with the text in the document minus the score without it. */
  readonly difference: Interval
}

export const isHarmful = ({ difference }: Effect): boolean => difference.high < 0

/**
 * Measures the effect of each text by itself. The document is evaluated with and without the text, on tasks
 * that no night has used.
 */
export async function effectsOf(
  place: ExperimentPlace,
  document: string,
  texts: readonly string[],
  heldOut: HeldOut,
): Promise<readonly Effect[]> {
  const changed = texts.flatMap(text => variantOf(document, text) ?? [])
  if (changed.length === 0) return []
  const { config, cwd, seedSkill } = await writeHeldOut(place, { before: document, after: document }, heldOut)
  const files = changed.map((_, index) => `with-${index + 1}.md`)
  for (const [index, file] of files.entries())
    await writeFile(join(cwd, file), changed[index]?.document ?? '')
  const { samples, signal } = heldOut
  const result = await evaluate({
    config,
    cwd,
    samples,
    split: 'test',
    skill: [seedSkill, ...files],
    env: place.env,
    signal,
    onNotice: () => undefined,
  })
  if (result.error !== undefined) throw result.error
  const tasks = result.skills[0]?.splits[0]?.scored ?? 0
  const differing = result.comparisons[0]?.changed ?? []
  return changed.map(({ text, hasText }, index) => {
    const pairs = differing.flatMap(({ scores }) => {
      const both = [scores[0], scores[index + 1]]
      const [current, candidate] = hasText ? both : both.toReversed()
      return typeof current === 'number' && typeof candidate === 'number' ? [{ current, candidate }] : []
    })
    const same = Array.from({ length: tasks - differing.length }, () => ({ current: 1, candidate: 1 }))
    return { text, difference: pairedDifference([...pairs, ...same], changed.length) }
  })
}

interface Variant {
  readonly text: string
  readonly document: string
  /** True if this variant contains the text, false if it was removed. */
  readonly hasText: boolean
}

/**
 * Builds the variant for one text: adds the text if the document lacks it and removes it otherwise. Undefined
 * if the result cannot be written.
 */
function variantOf(document: string, text: string): Variant | undefined {
  const region = readRegion(document)
  const lines = region.state === 'found' ? region.text.split('\n') : []
  const hasText = !lines.includes(text)
  const changed = hasText ? [...lines, text] : lines.filter(line => line !== text)
  const written = writeRegion(document, changed.join('\n'))
  return written.state === 'written' ? { text, document: written.document, hasText } : undefined
}
