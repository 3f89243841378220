import { describe, expect, it } from 'vitest'
import * as library from '../../src/app/index.js'
import type { Library } from '../../src/cli/library.js'
import { main } from '../../src/cli/main.js'
import { fakeIo } from '../support/fake-io.js'
import { canaries, expectSilence, ProxiedProject } from './secrets-support.js'
import { filesOf, put } from './support.js'

/** Keys and passwords appear only on the wire: in no log, file or output, whatever the server replies. */

const project = new ProxiedProject()

it('uses keys from the environment and from .env, and the password of a proxy, without a trace', async () => {
  const trained = await project.run('train', 'project', '--out', 'clean', '--yes')
  expect(trained.code).toBe(0)
  expect(trained.stderr.trim().split('\n')).toEqual([
    'warning: CANARY_TARGET and all texts of the target go to http://models.invalid.',
    'warning: CANARY_OPTIMIZER_KEY and all texts of the optimizer go to http://models.invalid.',
  ])
  expect(project.passed).toBe(project.requests)
  expect(project.requests).toBeGreaterThan(100)
  const looks = [
    await project.run('show', 'clean', '--sources'),
    await project.run('show', 'clean', '--json'),
    await project.run('doctor', 'project', '--online'),
    await project.run('runs', '--dir', '.', '--json'),
  ]
  expect(looks.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  expect(looks[2]?.stdout).toMatch(/HTTP_PROXY = http:\/\/\*\*\*@127\.0\.0\.1/)
  await project.expectNoTrace('clean', trained, ...looks)
})

describe('a secret in the wrong place is refused and not repeated', () => {
  const { unused } = canaries
  const train = ['train', 'project', '--out', 'never', '--yes']
  it.concurrent.each<[string, string[], Record<string, string>]>([
    ['a flag', [...train, '--set', `models.target.apiKey=${unused}`], {}],
    ['an option', [...train, '--cfg-options', `models.target.apiKey=${unused}`], {}],
    ['an option without a name', [...train, '--cfg-options', `=${unused}`], {}],
    ['the name of the key’s variable', [...train, '--set', `models.target.apiKeyEnv=${unused}`], {}],
    ['an endpoint', [...train, '--set', `models.target.endpoint=http://me:${unused}@127.0.0.1/v1`], {}],
    ['an extra field', [...train, '--set', `models.target.extraBody.api_key=${unused}`], {}],
    [
      'an environment variable',
      train,
      { SKILLOPT_MODELS_TARGET_ENDPOINT: `http://me:${unused}@127.0.0.1/v1` },
    ],
    ['the address of a proxy', train, { HTTP_PROXY: `someone:${unused}` }],
    ['a key with a line break', train, { CANARY_TARGET: `${unused}\nmore` }],
  ])('%s', async (_where, args, env) => {
    const before = await filesOf(project.cwd)
    const variables = { CANARY_TARGET: canaries.target, SKILLOPT_DEBUG: '1', ...env }
    const io = fakeIo<Library>({ cwd: project.cwd, env: variables, library })
    expect(await main(args, io)).toBe(2)
    expect(io.err()).toMatch(/^error: /)
    expectSilence(io.out(), io.err())
    expect(await filesOf(project.cwd)).toEqual(before)
    expect(project.requests).toBe(0)
  })

  it('a config of the Python package', async () => {
    await put(
      project.cwd,
      'theirs.yaml',
      `model: { target_backend: qwen_chat, qwen_chat_api_key: ${unused} }\nenv: { name: searchqa }\n`,
    )
    const refused = await project.run('train', '--config', 'theirs.yaml', '--out', 'never')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/qwen_chat_api_key holds a secret/)
    expectSilence(refused.stdout, refused.stderr)
  })
})
