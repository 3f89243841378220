import { describe, expect, it } from 'vitest'
import { type ConfigInput, configSchema } from '../core/config/config.js'
import { telemetrySettings } from './settings.js'

function settings(telemetry: ConfigInput['telemetry'], env: Record<string, string> = {}) {
  const models = { target: 'a/b', optimizer: 'a/b' }
  const { telemetry: config } = configSchema.parse({ environment: {}, models, telemetry })
  return telemetrySettings({ config, models, env, baseDir: '/project', redact: text => text })
}

const url = (telemetry: object, env?: Record<string, string>) =>
  settings({ spans: true, ...telemetry }, env)?.spans?.url

describe('telemetry', () => {
  it('is off unless switched on, whatever the environment says', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_EXPORTER: 'otlp' }
    expect(settings(undefined, env)).toBeUndefined()
    expect(settings({ endpoint: 'http://collector:4318', texts: true }, env)).toBeUndefined()
    expect(settings({ spans: true }, { OTEL_SDK_DISABLED: 'true' })).toBeUndefined()
  })

  it('sends spans where the config says, then where the variables say, then to this machine', () => {
    const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://base.example/otlp/' }
    const whole = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in' }
    expect(url({})).toBe('http://localhost:4318/v1/traces')
    expect(url({}, base)).toBe('https://base.example/otlp/v1/traces')
    expect(url({}, { ...base, ...whole })).toBe('https://traces.example/in')
    expect(url({ endpoint: 'http://mine:4318' }, { ...base, ...whole })).toBe('http://mine:4318/v1/traces')
    expect(url({ endpoint: 'http://mine:4318/v1/traces' })).toBe('http://mine:4318/v1/traces')
  })

  it('takes headers, time limit and service from the variables, and keeps the headers out of messages', () => {
    const spans = settings(
      { spans: true },
      {
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc==, x-team=a',
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=b',
        OTEL_EXPORTER_OTLP_TIMEOUT: '700',
        OTEL_SERVICE_NAME: 'trainer',
      },
    )?.spans
    expect(spans?.headers).toEqual({ authorization: 'Basic abc==', 'x-team': 'b' })
    expect([spans?.timeoutMs, spans?.service]).toEqual([700, 'trainer'])
    expect(spans?.redact('sent Basic abc== to it')).toBe('sent [redacted] to it')
  })

  it('writes the log file beside the config', () => {
    expect(settings({ logFile: 'logs/run.log' })?.log).toMatchObject({
      file: '/project/logs/run.log',
      level: 'info',
    })
  })

  it.each([
    [{ endpoint: 'collector:4318' }, {}, /telemetry\.endpoint is not a URL/],
    [{ endpoint: 'http://me:word@collector' }, {}, /telemetry\.endpoint holds a user name/],
    [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere' }, /OTEL_EXPORTER_OTLP_ENDPOINT is not a URL/],
    [{}, { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTEL_EXPORTER_OTLP_PROTOCOL is grpc/],
    [{}, { OTEL_EXPORTER_OTLP_HEADERS: 'nothing' }, /OTEL_EXPORTER_OTLP_HEADERS is not a list/],
    [{}, { OTEL_EXPORTER_OTLP_HEADERS: 'a=%' }, /OTEL_EXPORTER_OTLP_HEADERS is not a list/],
    [{}, { OTEL_EXPORTER_OTLP_TIMEOUT: 'soon' }, /OTEL_EXPORTER_OTLP_TIMEOUT is not a number/],
  ])('refuses %j with %j', (telemetry, env, message) => {
    expect(() => url(telemetry, env as Record<string, string>)).toThrow(message)
  })
})
