import { resolve } from 'node:path'
import type { Config } from '../core/config/config.js'
import { InputError } from '../core/errors/errors.js'
import type { Role } from '../core/ports/model.js'
import type { CollectorSettings } from './collector.js'
import type { LogFileSettings } from './log-file.js'

type Variables = Readonly<Record<string, string | undefined>>

export interface TelemetrySettings {
  readonly spans: CollectorSettings | undefined
  readonly log: LogFileSettings | undefined
  readonly texts: boolean
}

export interface TelemetrySource {
  readonly config: Config['telemetry']
  readonly models: Readonly<Partial<Record<Role, string>>>
  readonly env: Variables
  readonly baseDir: string
  redact(text: string): string
}

/** Undefined if the config enables nothing; OpenTelemetry's variables alone do not enable anything. */
export function telemetrySettings(source: TelemetrySource): TelemetrySettings | undefined {
  const { config, env, baseDir, redact } = source
  const spans = config.spans && read(env, 'OTEL_SDK_DISABLED') !== 'true' ? collectorOf(source) : undefined
  const log =
    config.logFile === undefined
      ? undefined
      : { file: resolve(baseDir, config.logFile), level: config.logLevel, redact }
  return spans === undefined && log === undefined ? undefined : { spans, log, texts: config.texts }
}

function collectorOf({ config, env, models, redact }: TelemetrySource): CollectorSettings {
  checkProtocol(env)
  const headers = headersIn(env)
  const secrets = Object.values(headers)
  return {
    url: urlOf(config.endpoint, env),
    headers,
    timeoutMs: timeoutIn(env),
    service: read(env, 'OTEL_SERVICE_NAME'),
    models,
    texts: config.texts,
    redact: text => secrets.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), redact(text)),
  }
}

/** The URL for traces, as usual in OpenTelemetry: the full URL, or a base URL to which the path is added. */
function urlOf(configured: string | undefined, env: Variables): string {
  const whole = read(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  if (configured === undefined && whole !== undefined) {
    return checked(whole, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  }
  const variable = read(env, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  const name = configured === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'telemetry.endpoint'
  const base = checked(configured ?? variable ?? 'http://localhost:4318', name).replace(/\/+$/, '')
  return base.endsWith('/v1/traces') ? base : `${base}/v1/traces`
}

function checked(address: string, name: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new InputError(`${name} is not a URL: "${address}".`, {
      hint: 'Write it in full, such as http://localhost:4318.',
    })
  }
  if (url.username !== '' || url.password !== '') {
    throw new InputError(`${name} holds a user name or a password.`, {
      hint: 'Put the login into OTEL_EXPORTER_OTLP_HEADERS.',
    })
  }
  return address
}

/** The default is below the usual ten seconds, so that a lost collector cannot delay a run's end. */
function timeoutIn(env: Variables): number {
  const names = ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT']
  const name = names.find(candidate => read(env, candidate) !== undefined)
  const timeout = name === undefined ? 2000 : Number(read(env, name))
  if (timeout > 0) return timeout
  throw new InputError(`${name} is not a number of milliseconds.`, { hint: `Correct ${name}, or unset it.` })
}

function checkProtocol(env: Variables): void {
  const names = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']
  const name = names.find(candidate => read(env, candidate) !== undefined)
  if (name === undefined || read(env, name)?.startsWith('http/') === true) return
  throw new InputError(`${name} is ${read(env, name)}, but spans are sent over HTTP only.`, {
    hint: `Unset ${name} and name the collector's HTTP port, usually 4318.`,
  })
}

/** Reads headers written as `name=value,name=value` with URL-encoded values. */
function headersIn(env: Variables): Record<string, string> {
  const given = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'].flatMap(name =>
    (read(env, name) ?? '')
      .split(',')
      .filter(pair => pair.trim() !== '')
      .map(pair => headerOf(pair, name)),
  )
  return Object.fromEntries(given)
}

function headerOf(pair: string, name: string): [string, string] {
  const at = pair.indexOf('=')
  try {
    if (at < 1) throw new Error('There is no name.')
    return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]
  } catch (error) {
    throw new InputError(`${name} is not a list of headers.`, {
      hint: 'Write it as name=value,name=value, with % before special characters as in an address.',
      cause: error,
    })
  }
}

function read(env: Variables, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}
