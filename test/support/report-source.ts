import { lineOrigins, type Span } from '../../src/core/document.js'
import type { ReportSource } from '../../src/report/source.js'
import type { LogBuilder } from './sample-run.js'

/** What a report is made of, from a log that was written by hand. */
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
    splits: [],
    ...given,
  }
}
