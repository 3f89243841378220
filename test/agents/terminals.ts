import { join } from 'node:path'
import type { ToolUse } from './kit.js'

/**
 * How a person starts an agent in their own terminal, without anything that the product does for an attempt.
 */
export interface Terminal {
  /** The person's set-up, so that the agent uses the test server and no network. */
  files(person: Person): readonly { readonly path: string; readonly content: string }[]
  env(person: Person): Readonly<Record<string, string>>
  /** Variable that makes the agent write elsewhere, and the folder of the home that it replaces. */
  readonly variable: string
  readonly standsFor: string
  /** The command for a prompt, in a new session or in the folder's last one. */
  command(prompt: string, goesOn: boolean, model: string): readonly string[]
  /** The tool call with which the agent reads a file. */
  reads(path: string): ToolUse
  /** The program deletes, at its next start, a session that was continued in a later minute than it began. */
  readonly keepsWithinAMinute?: true
}

export interface Person {
  readonly home: string
  readonly model: string
  /** The server's address in the form that the agent expects. */
  readonly endpoint: string
}

const key = 'loopback-key'
const when = (goesOn: boolean, ...words: readonly string[]) => (goesOn ? words : [])
const json = (value: unknown) => JSON.stringify(value, undefined, 2)

export const terminals: Readonly<Record<string, Terminal>> = {
  'claude-code': {
    variable: 'CLAUDE_CONFIG_DIR',
    standsFor: '.claude',
    files: () => [],
    env: ({ endpoint }) => ({
      ANTHROPIC_BASE_URL: endpoint,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_MAX_RETRIES: '0',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    command: (prompt, goesOn, model) => [
      '-p',
      prompt,
      ...when(goesOn, '--continue'),
      '--model',
      model,
      '--permission-mode',
      'acceptEdits',
    ],
    reads: path => ({ name: 'Read', arguments: { file_path: path } }),
  },
  codex: {
    variable: 'CODEX_HOME',
    standsFor: '.codex',
    files: ({ home, model, endpoint }) => [
      {
        path: join(home, '.codex', 'config.toml'),
        content: `model = "${model}"
model_provider = "loopback"
approval_policy = "never"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false
analytics.enabled = false
features.plugins = false
features.remote_plugin = false

[model_providers.loopback]
name = "Loopback"
base_url = "${endpoint}"
wire_api = "responses"
env_key = "CODEX_API_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
`,
      },
    ],
    env: () => ({ CODEX_API_KEY: key }),
    command: (prompt, goesOn) => [
      'exec',
      ...when(goesOn, 'resume', '--last'),
      '--skip-git-repo-check',
      prompt,
    ],
    reads: path => ({ name: 'exec_command', arguments: { cmd: `cat '${path}'` } }),
  },
  copilot: {
    variable: 'COPILOT_HOME',
    standsFor: '.copilot',
    files: () => [],
    env: ({ endpoint, model }) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_MODEL: model,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_BASE_URL: endpoint,
    }),
    command: (prompt, goesOn) => ['-p', prompt, ...when(goesOn, '--continue'), '--allow-all-tools'],
    reads: path => ({ name: 'view', arguments: { path } }),
  },
  gemini: {
    variable: 'GEMINI_CLI_HOME',
    standsFor: '',
    files: ({ home }) => [
      {
        path: join(home, '.gemini', 'settings.json'),
        content: json({
          general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 1 },
          privacy: { usageStatisticsEnabled: false },
          security: { auth: { selectedType: 'gemini-api-key' } },
        }),
      },
    ],
    env: ({ endpoint }) => ({ GOOGLE_GEMINI_BASE_URL: endpoint }),
    command: (prompt, goesOn, model) => [
      '-p',
      prompt,
      ...when(goesOn, '--resume', 'latest'),
      '--model',
      model,
      '--approval-mode',
      'auto_edit',
      '--skip-trust',
    ],
    reads: path => ({ name: 'read_file', arguments: { file_path: path } }),
    keepsWithinAMinute: true,
  },
  opencode: {
    variable: 'XDG_DATA_HOME',
    standsFor: '.local/share',
    files: ({ home, model, endpoint }) => {
      const own = (...names: string[]) => join(home, '.config', 'opencode', ...names)
      const dependencies = { '@opencode-ai/plugin': '*' }
      const provider = {
        npm: '@ai-sdk/openai-compatible',
        name: 'Loopback',
        options: { baseURL: endpoint, apiKey: key },
        models: { [model]: {} },
      }
      return [
        {
          path: own('opencode.json'),
          content: json({ share: 'disabled', provider: { loopback: provider } }),
        },
        // Pretends that the plugin package, which it would download at the first start, is installed.
        { path: own('package-lock.json'), content: json({ packages: { '': { dependencies } } }) },
        { path: own('node_modules', '.keep'), content: '' },
      ]
    },
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    }),
    command: (prompt, goesOn, model) => [
      'run',
      '--model',
      `loopback/${model}`,
      ...when(goesOn, '--continue'),
      prompt,
    ],
    reads: path => ({ name: 'read', arguments: { filePath: path } }),
  },
  pi: {
    variable: 'PI_CODING_AGENT_DIR',
    standsFor: '.pi/agent',
    files: ({ home, model, endpoint }) => {
      const provider = {
        baseUrl: endpoint,
        api: 'openai-completions',
        apiKey: key,
        models: [{ id: model }],
        compat: { supportsStore: false, supportsDeveloperRole: false },
      }
      return [
        {
          path: join(home, '.pi', 'agent', 'models.json'),
          content: json({ providers: { loopback: provider } }),
        },
      ]
    },
    env: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' }),
    command: (prompt, goesOn, model) => [
      '--provider',
      'loopback',
      '--model',
      model,
      ...when(goesOn, '--continue'),
      '-p',
      prompt,
    ],
    reads: path => ({ name: 'read', arguments: { path } }),
  },
  'qwen-code': {
    variable: 'QWEN_HOME',
    standsFor: '.qwen',
    files: ({ home }) => [
      {
        path: join(home, '.qwen', 'settings.json'),
        content: json({
          general: { enableAutoUpdate: false },
          privacy: { usageStatisticsEnabled: false },
          security: { auth: { selectedType: 'openai' } },
        }),
      },
    ],
    env: ({ endpoint, model }) => ({ OPENAI_BASE_URL: endpoint, OPENAI_MODEL: model }),
    command: (prompt, goesOn) => [prompt, ...when(goesOn, '--continue'), '--approval-mode', 'auto-edit'],
    reads: path => ({ name: 'read_file', arguments: { file_path: path } }),
  },
}
