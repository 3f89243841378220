import { expect } from 'vitest'
import { testedPairs } from '../../src/app/evaluation-details.js'
import { lineOrigins, type Span } from '../../src/core/skill/document.js'
import type { ReportSource } from '../../src/report/blocks/source.js'
import type { LogBuilder } from './sample-run.js'

/** Input of a report, from a hand-made log. */
export async function reportSource(
  log: LogBuilder,
  given: Partial<ReportSource> = {},
): Promise<ReportSource> {
  const view = log.view()
  const { get } = log.reader()
  const { best } = view
  const text = best && (await get(best.text))
  const origins = best && (JSON.parse(await get(best.origins)) as readonly Span[])
  return {
    view,
    state: view.outcome,
    seed: view.seedSkill === '' ? '' : await get(view.seedSkill),
    best:
      text === undefined || origins === undefined
        ? undefined
        : { text, lines: lineOrigins({ text, origins }) },
    oneShot: view.oneShot?.text === undefined ? undefined : await get(view.oneShot.text),
    settings: [{ path: 'train.epochs', value: '2', source: 'flag' }],
    tested: await testedPairs(view, get),
    splits: [],
    comparisons: [],
    ...given,
  }
}

/** Tags that are opened and closed in order; throws if they are not. */
export function tagsOf(page: string): string[] {
  const open: string[] = []
  const seen: string[] = []
  const body = page.replace(/<style>[\s\S]*?<\/style>/, '<style></style>')
  for (const [whole, slash, name = ''] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:\s[^<>]*)?)>/g)) {
    if (whole === '<!doctype html>' || name === 'meta') continue
    if (slash === '/') expect(open.pop(), `before ${whole}`).toBe(name)
    else {
      open.push(name)
      seen.push(name)
    }
  }
  expect(open).toEqual([])
  return seen
}
