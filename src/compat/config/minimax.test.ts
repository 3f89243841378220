import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadProject } from '../../project/load.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-minimax-'))
  await mkdir(join(folder, 'data'))
  await writeFile(join(folder, 'SKILL.md'), '# Search\n')
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

async function load(model: string, env: Record<string, string> = {}) {
  const text = `model:
  target_backend: minimax_chat
  optimizer_backend: minimax
${model}env:
  name: searchqa
  skill_init: SKILL.md
  split_mode: split_dir
  split_dir: data
`
  await writeFile(join(folder, 'run.yaml'), text)
  return loadProject({ config: 'run.yaml', env, cwd: folder, trust: true })
}

describe('minimax_chat', () => {
  it('becomes the provider minimax, with the defaults of the reference', async () => {
    const { config, mapped } = await load('')
    expect(config.models.target).toMatchObject({
      model: 'minimax/MiniMax-M2.7',
      temperature: 0.7,
      maxOutputTokens: 8000,
      extraBody: { chat_template_kwargs: { enable_thinking: false } },
    })
    expect(config.models.target).not.toHaveProperty('endpoint')
    expect(config.models.optimizer).toMatchObject({ model: 'minimax/MiniMax-M2.7', timeout: 300 })
    expect(mapped).toContain('model.target_backend -> models.target = minimax_chat')
  })

  it('takes model, limits and thinking from its own keys, and keys from the environment', async () => {
    const keys = `  target: MiniMax-M1
  optimizer: MiniMax-M3
  minimax_model: MiniMax-M2.1
  minimax_temperature: 0.2
  minimax_max_tokens: 900
  minimax_enable_thinking: "true"
`
    const env = { MINIMAX_API_KEY: 'k', OPTIMIZER_MINIMAX_API_KEY: 'o', MINIMAX_TIMEOUT_SECONDS: '30' }
    const { config } = await load(keys, env)
    expect(config.models.target).toMatchObject({
      model: 'minimax/MiniMax-M2.1',
      apiKeyEnv: 'MINIMAX_API_KEY',
      temperature: 0.2,
      maxOutputTokens: 900,
      timeout: 30,
      extraBody: { chat_template_kwargs: { enable_thinking: true } },
    })
    expect(config.models.optimizer).toMatchObject({
      model: 'minimax/MiniMax-M3',
      apiKeyEnv: 'OPTIMIZER_MINIMAX_API_KEY',
    })
  })

  it.each([
    ['minimax_region: cn', 'https://api.minimaxi.com/v1'],
    ['minimax_region: global', 'https://api.minimax.io/v1'],
    ['minimax_base_url: http://127.0.0.1:8000/v1/chat/completions', 'http://127.0.0.1:8000/v1'],
  ])('%s names the endpoint', async (line, endpoint) => {
    const { config } = await load(`  ${line}\n`)
    expect(config.models.target).toMatchObject({ endpoint })
  })

  it('refuses a region and a switch that it does not know, and a key in the file', async () => {
    await expect(load('  minimax_region: mars\n')).rejects.toThrow(
      'model.minimax_region must be global or cn, but is "mars" (run.yaml:4)',
    )
    await expect(load('  minimax_enable_thinking: perhaps\n')).rejects.toThrow(
      'model.minimax_enable_thinking must be true or false, but is "perhaps"',
    )
    await expect(load('  minimax_api_key: sk-secret\n')).rejects.toThrow(/holds a secret.*MINIMAX_API_KEY/)
  })

  it('says of its keys that nothing reads them where another backend is selected', async () => {
    const text = `model:
  backend: openai_compatible
  target: a
  optimizer: b
  openai_compatible_base_url: http://127.0.0.1:8000/v1
  minimax_model: MiniMax-M2.7
env:
  name: searchqa
  skill_init: SKILL.md
  split_mode: split_dir
  split_dir: data
`
    await writeFile(join(folder, 'run.yaml'), text)
    const { mapped } = await loadProject({ config: 'run.yaml', env: {}, cwd: folder })
    expect(mapped).toContain('model.minimax_model: not needed (only read by a backend that is not selected)')
  })
})
