import { messageOf } from '../core/errors/errors.js'
import type { EventReader, ReaderContext } from '../core/ports/store.js'
import { openSpans } from './collector.js'
import { openLogFile } from './log-file.js'
import type { TelemetrySettings } from './settings.js'
import { withTexts } from './texts.js'

export { checkSpanPackages } from './collector.js'
export { prepareLogFile } from './log-file.js'
export { telemetrySettings } from './settings.js'

/** Opens the readers that export a run's events. Their libraries are loaded only here. */
export async function openTelemetry(
  { spans, log, texts }: TelemetrySettings,
  context: ReaderContext,
): Promise<readonly EventReader[]> {
  const opened = [
    ...(log === undefined ? [] : [await openLogFile(log, context)]),
    ...(spans === undefined ? [] : [await openSpans(spans, context)]),
  ]
  return opened.map(reader => harmless(texts ? withTexts(reader, context.get) : reader, context))
}

/** Wraps a reader so that its first failure is reported and no failure affects the run. */
function harmless(reader: EventReader, { notice }: ReaderContext): EventReader {
  let broken = false
  const giveUp = (error: unknown) => {
    if (!broken) notice(`Telemetry has stopped: ${messageOf(error)}. The run goes on without it.`)
    broken = true
  }
  return {
    event(event) {
      if (broken) return
      try {
        reader.event(event)
      } catch (error) {
        giveUp(error)
      }
    },
    close: () => reader.close().catch(giveUp),
  }
}
