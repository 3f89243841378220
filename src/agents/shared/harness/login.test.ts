import { expect, it } from 'vitest'
import { loginHint } from './login.js'

const agent = { login: 'Run `agent login`.' }

it('points users of the login to the login', () => {
  expect(loginHint(agent, { key: undefined, endpoint: undefined })).toBe('Run `agent login`.')
})

it('points users of their own key to the config variable, whatever the server', () => {
  for (const endpoint of [undefined, 'http://127.0.0.1:9'])
    expect(loginHint(agent, { key: 'k', endpoint })).toContain('`apiKeyEnv`')
})

it('does not send to a login that no endpoint gets', () => {
  const advice = loginHint(agent, { key: undefined, endpoint: 'http://127.0.0.1:9' })
  expect(advice).toContain('`apiKeyEnv`, beside `endpoint`')
  expect(advice).not.toContain('agent login')
})
