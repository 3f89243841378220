import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Changed, jobWith, place, tools } from '../../../test/support/agent-job.js'
import { agent } from './harness.js'

/** The settings that Codex gets, by key, each as written in the file. */
function settingsFor(changed: Changed): Record<string, unknown> {
  const { files } = agent.prepare(jobWith(changed), place)
  const file = files.find(({ path }) => path === join(place.config, 'skillopt.config.toml'))
  const lines = String(file?.content).trim().split('\n')
  return Object.fromEntries(
    lines.map(line => {
      const at = line.indexOf(' = ')
      return [line.slice(0, at), JSON.parse(line.slice(at + 3)) as unknown]
    }),
  )
}

describe('a task', () => {
  it('comes by stdin, with the skill invoked first', () => {
    const prepared = agent.prepare(jobWith({ skill: { name: 'sums', text: '# Sums' } }), place)
    expect(prepared.stdin).toBe('$sums\n\nBe brief.\n\nWhat is 2 + 2?')
    expect(prepared.arguments).toEqual([
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--ephemeral',
      '--profile',
      'skillopt',
      '-',
    ])
    expect(prepared.environment).toEqual({ CODEX_HOME: place.config })
    expect(agent.skillsFolder(place)).toBe(join(place.config, 'skills'))
  })

  it('has its pictures with it, and its documents in the workspace alone', () => {
    const prepared = agent.prepare(
      jobWith({
        prompt: [
          { type: 'document', name: 'plan.pdf', mediaType: 'application/pdf', data: 'cGRm' },
          { type: 'image', name: 'jar.png', mediaType: 'image/png', data: 'cG5n' },
        ],
      }),
      place,
    )
    const pictures = prepared.arguments.filter(argument => argument.startsWith('--image='))
    expect(pictures).toEqual([`--image=${join(place.workspace, 'task-files/2-jar.png')}`])
    expect(prepared.arguments.at(-1)).toBe('-')
    expect(prepared.files.map(({ path }) => path)).toContain(join(place.workspace, 'task-files/1-plan.pdf'))
  })

  it('leaves model, effort and provider to Codex by default', () => {
    const settings = Object.keys(settingsFor({}))
    expect(settings.filter(key => key.startsWith('model'))).toEqual([])
  })

  it('has the model and the effort that the user names', () => {
    expect(settingsFor({ model: 'gpt-5.2', effort: 'xhigh' })).toMatchObject({
      model: 'gpt-5.2',
      model_reasoning_effort: 'xhigh',
    })
  })

  it('takes no settings, instructions or hooks from folders and vendors', () => {
    const settings = settingsFor({})
    expect(settings).toMatchObject({
      project_root_markers: [],
      [`projects."${place.workspace}".trust_level`]: 'untrusted',
      'features.plugins': false,
      'features.hooks': false,
      'skills.bundled.enabled': false,
    })
    expect(settingsFor({ inherit: true })).not.toHaveProperty('features.hooks')
  })
})

describe('an endpoint', () => {
  const provider = (name: string) => `model_providers.skillopt.${name}`

  it('is asked without retries, with the key in a variable', () => {
    const job = jobWith({ endpoint: 'http://gateway.test/v1/', key: 'key-of-the-run' })
    expect(settingsFor(job)).toMatchObject({
      model_provider: 'skillopt',
      [provider('base_url')]: 'http://gateway.test/v1',
      [provider('wire_api')]: 'responses',
      [provider('env_key')]: 'SKILLOPT_AGENT_KEY',
      [provider('request_max_retries')]: 0,
      [provider('stream_max_retries')]: 0,
    })
    const { environment, ...rest } = agent.prepare(job, place)
    expect(environment).toEqual({ CODEX_HOME: place.config, SKILLOPT_AGENT_KEY: 'key-of-the-run' })
    expect(JSON.stringify(rest)).not.toContain('key-of-the-run')
  })

  it.each([
    [{ CODEX_API_KEY: 'a', OPENAI_API_KEY: 'b' }, 'CODEX_API_KEY'],
    [{ OPENAI_API_KEY: 'b' }, 'OPENAI_API_KEY'],
    [{}, undefined],
  ])('gets the key of the user where none is named: %o', (env, name) => {
    expect(settingsFor({ endpoint: 'http://gateway.test/v1', env })[provider('env_key')]).toBe(name)
  })

  it('is not needed for a key', () => {
    const { environment } = agent.prepare(jobWith({ key: 'key-of-the-run' }), place)
    expect(environment).toMatchObject({ CODEX_API_KEY: 'key-of-the-run' })
  })
})

describe('access', () => {
  it('to the workspace is a sandbox without network, and without the shared temporary folder', () => {
    expect(settingsFor({ hasWorkspace: true })).toMatchObject({
      approval_policy: 'never',
      'tools.experimental_request_user_input.enabled': false,
      sandbox_mode: 'workspace-write',
      'sandbox_workspace_write.network_access': false,
      'sandbox_workspace_write.exclude_slash_tmp': true,
      'shell_environment_policy.ignore_default_excludes': false,
      web_search: 'disabled',
    })
    expect(settingsFor({ hasWorkspace: true })).not.toHaveProperty('features.shell_tool')
  })

  it('without a workspace is no tool but those of the session', () => {
    expect(settingsFor({ tools })).toMatchObject({
      sandbox_mode: 'read-only',
      'features.shell_tool': false,
      'features.unified_exec': false,
      'features.view_image': false,
      'agents.enabled': false,
      'features.code_mode_host': true,
      'mcp_servers.task.url': tools.url,
      'mcp_servers.task.required': true,
      'mcp_servers.task.default_tools_approval_mode': 'approve',
    })
    expect(settingsFor({})).toMatchObject({ 'features.shell_tool': false, 'features.code_mode_host': false })
  })

  it('in full is everything, unattended', () => {
    const settings = settingsFor({ access: 'full', hasWorkspace: true })
    expect(settings).toMatchObject({
      approval_policy: 'never',
      sandbox_mode: 'danger-full-access',
      web_search: 'live',
    })
    expect(settingsFor({ access: 'full' })).not.toHaveProperty('features.shell_tool')
  })

  it('to the tools of the session is by a token in a variable', () => {
    const { environment, ...rest } = agent.prepare(jobWith({ tools }), place)
    expect(environment).toMatchObject({ SKILLOPT_TOOL_TOKEN: tools.token })
    expect(settingsFor({ tools })['mcp_servers.task.bearer_token_env_var']).toBe('SKILLOPT_TOOL_TOKEN')
    expect(JSON.stringify(rest)).not.toContain(tools.token)
  })
})

describe('a question', () => {
  const question: Changed = { kind: 'chat', instructions: 'You are a judge.' }

  it('has our instructions in place of its own, and none of its tools, whatever the access', () => {
    const { files, stdin } = agent.prepare(jobWith({ ...question, access: 'full', inherit: true }), place)
    const path = join(place.config, 'instructions.md')
    expect(files).toContainEqual({ path, content: 'You are a judge.' })
    expect(stdin).toBe('What is 2 + 2?')
    expect(settingsFor({ ...question, access: 'full', inherit: true })).toMatchObject({
      model_instructions_file: path,
      sandbox_mode: 'read-only',
      web_search: 'disabled',
      'features.shell_tool': false,
      'features.code_mode_host': false,
      'features.plugins': false,
      'skills.include_instructions': false,
    })
  })
})

describe("the user's files", () => {
  it('are where CODEX_HOME says, or in the home', () => {
    const from = (env: Record<string, string>) => agent.filesOf({ home: '/home/ann', env }, place).login
    expect(from({ CODEX_HOME: '' })).toEqual(from({}))
    expect(from({})).toEqual([
      { from: join('/home/ann', '.codex', 'auth.json'), to: join(place.config, 'auth.json') },
    ])
    expect(from({ CODEX_HOME: '/own' })).toEqual([
      { from: join('/own', 'auth.json'), to: join(place.config, 'auth.json') },
    ])
  })

  it('that set it up are more than those by which it is logged in', () => {
    const { setup } = agent.filesOf({ home: '/home/ann', env: {} }, place)
    const names = setup.map(({ from }) => from)
    expect(names).toContain(join('/home/ann', '.codex', 'AGENTS.md'))
    expect(names).toContain(join('/home/ann', '.agents'))
    expect(names).not.toContain(join('/home/ann', '.codex', 'auth.json'))
  })
})

it.each([
  ['codex-cli 0.166.0', '0.166.0'],
  ['codex-cli 0.167.0-alpha.2\n', '0.167.0-alpha.2'],
  ['command not found', undefined],
])('reads its version from %j', (printed, version) => {
  expect(agent.version.read(printed)).toBe(version)
})
