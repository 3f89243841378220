import { messageOf } from '../core/errors/errors.js'
import type { Role } from '../core/ports/model.js'
import type { ReaderContext } from '../core/ports/store.js'
import { optionalPackage } from '../system/optional-package.js'
import { version } from '../system/version.js'

export interface CollectorSettings {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly service: string | undefined
  readonly models: Readonly<Partial<Record<Role, string>>>
  readonly texts: boolean
  redact(text: string): string
}

/** Maximum milliseconds that the end of a run waits for a slow collector. */
const patienceMs = 2000
/** Pause in milliseconds after a failed delivery, because trying every batch would only cost time. */
const restMs = 30_000

const packages = [
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace-base',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
]

function loadPackages() {
  return optionalPackage(packages, '`telemetry.spans`', () =>
    Promise.all([
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('./spans.js'),
    ]),
  )
}

/** Loads the packages before a run starts, so that a missing one is reported before any money is spent. */
export async function checkSpanPackages(): Promise<void> {
  await loadPackages()
}

/** Sends spans to a collector in batches, without slowing down or failing the run. */
export async function openSpans(settings: CollectorSettings, { run, notice }: ReaderContext) {
  const [{ BasicTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, resources, { SpanReader }] =
    await loadPackages()
  const { url, headers, timeoutMs, service } = settings
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: timeoutMs })
  const delivery = countDelivered(exporter, error =>
    notice(`Spans do not reach ${url}: ${settings.redact(messageOf(error))}. The run goes on without them.`),
  )
  const { detectResources, envDetector, resourceFromAttributes } = resources
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'skillopt', 'service.version': version })
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes(service === undefined ? {} : { 'service.name': service })),
    spanProcessors: [delivery.counter, new BatchSpanProcessor(delivery.exporter, { maxQueueSize: 20_000 })],
  })
  const reader = new SpanReader({ ...settings, run, tracer: provider.getTracer('skillopt', version) })
  return {
    event: reader.event.bind(reader),
    async close(): Promise<void> {
      await reader.close()
      delivery.lastChance()
      // Failed deliveries have already been counted.
      await within(patienceMs, Promise.allSettled([provider.shutdown()]))
      const { ended, delivered } = delivery.counts
      if (delivered < ended) notice(`${ended - delivered} of ${ended} spans did not reach ${url}.`)
    },
  }
}

type Exporter = InstanceType<
  Awaited<typeof import('@opentelemetry/exporter-trace-otlp-http')>['OTLPTraceExporter']
>

/**
 * Wraps the exporter: it counts delivered spans, reports only the first failure, and pauses while the
 * collector is unreachable.
 */
function countDelivered(exporter: Exporter, onFailure: (error: unknown) => void) {
  const counts = { ended: 0, delivered: 0 }
  let spoken = false
  let restUntil = 0
  const failed = (error: unknown) => {
    restUntil = Date.now() + restMs
    if (!spoken) onFailure(error)
    spoken = true
  }
  return {
    counts,
    /** Call at the end. If the last delivery failed, the collector is not tried again. */
    lastChance: () => {
      if (restUntil > 0) restUntil = Number.POSITIVE_INFINITY
    },
    counter: {
      onStart: () => undefined,
      onEnd: () => {
        counts.ended += 1
      },
      forceFlush: () => Promise.resolve(),
      shutdown: () => Promise.resolve(),
    },
    exporter: {
      export(...[spans, done]: Parameters<Exporter['export']>): void {
        if (Date.now() < restUntil) {
          done({ code: 1 })
          return
        }
        exporter.export(spans, result => {
          if (result.code === 0) {
            counts.delivered += spans.length
            restUntil = 0
          } else failed(result.error ?? new Error('it was refused'))
          done(result)
        })
      },
      shutdown: () => exporter.shutdown(),
    },
  }
}

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, limitMs)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
