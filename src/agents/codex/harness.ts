import { join } from 'node:path'
import type {
  AgentDefinition,
  AgentJob,
  AgentPreparation,
  AgentUserFile,
} from '../shared/harness/definition.js'
import type { AgentPlace } from '../shared/harness/place.js'
import { writtenPrompt } from '../shared/harness/prompt.js'
import { readCodex } from './output.js'

/**
 * Codex applies `<name>.config.toml` on top of the user's `config.toml`, so these settings take precedence.
 */
const layer = 'skillopt'
const keyVariable = 'SKILLOPT_AGENT_KEY'
const toolTokenVariable = 'SKILLOPT_TOOL_TOKEN'
const ownKeys = ['CODEX_API_KEY', 'OPENAI_API_KEY']

export const agent: AgentDefinition = {
  id: 'codex',
  title: 'Codex',
  program: 'codex',
  install: 'npm install -g @openai/codex',
  login: 'Run `codex login`, or set CODEX_API_KEY to a key of the OpenAI API.',
  version: {
    arguments: ['--version'],
    read: printed => /codex-cli (\d\S*)/.exec(printed)?.[1],
    tested: { from: '0.166.0', below: '0.167.0' },
  },
  supports: ['chat', 'tools', 'turns', 'images', 'workspace'],
  chats: true,
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  soldBy: 'openai',
  variables: ['OPENAI_ORGANIZATION', 'OPENAI_PROJECT', 'CODEX_CA_CERTIFICATE'],
  secrets: [...ownKeys, 'CODEX_ACCESS_TOKEN'],
  logins: ['CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'],
  grants: {
    workspace:
      "It runs commands in its own sandbox: they can write only to a copy of the task's files and to a temporary folder, they have no network, and they can read what you can read. Tasks without files get no commands.",
    full: 'It runs any command, reads and writes any file that you can, and uses the network and web search, without asking.',
  },
  filesOf({ home, env }, place) {
    const named = env.CODEX_HOME ?? ''
    const own = named === '' ? join(home, '.codex') : named
    const lend = (name: string): AgentUserFile => ({ from: join(own, name), to: join(place.config, name) })
    return {
      login: [lend('auth.json')],
      setup: [
        ...['config.toml', 'AGENTS.md', 'AGENTS.override.md', 'hooks.json'].map(lend),
        ...['skills', 'rules', 'agents', 'plugins', 'memories'].map(lend),
        { from: join(home, '.agents'), to: join(place.home, '.agents') },
      ],
    }
  },
  skillsFolder: place => join(place.config, 'skills'),
  prepare(job, place) {
    const { text, files, pictures } = writtenPrompt(job, place, job.skill && `$${job.skill.name}`)
    const chat = job.kind === 'chat' ? chatInstructions(job, place) : undefined
    const settings = {
      ...quiet(place),
      ...(job.inherit ? {} : withoutExtras),
      ...modelSettings(job),
      ...permissions(job),
      ...toolServer(job),
      ...chat?.settings,
    }
    return {
      files: [
        { path: join(place.config, `${layer}.config.toml`), content: toml(settings) },
        ...(chat?.files ?? []),
        ...files,
      ],
      environment: { CODEX_HOME: place.config, ...keys(job) },
      arguments: [
        'exec',
        '--json',
        '--skip-git-repo-check',
        '--ephemeral',
        '--profile',
        layer,
        ...pictures.map(path => `--image=${path}`),
        '-',
      ],
      stdin: text,
    }
  },
  read: readCodex,
}

type Settings = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** Keys are already dotted paths, such as `features.plugins`; the JSON form of the values is valid TOML. */
function toml(settings: Settings): string {
  return Object.entries(settings)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
    .join('')
}

function quiet(place: AgentPlace): Settings {
  return {
    check_for_update_on_startup: false,
    'analytics.enabled': false,
    'feedback.enabled': false,
    'history.persistence': 'none',
    // Disables the user's notification program, which would run on every turn.
    notify: [],
    'features.unbounded_connection_retries': false,
    // A config file that comes with a task could start programs outside the sandbox.
    [`projects.${JSON.stringify(place.workspace)}.trust_level`]: 'untrusted',
    // Without this, Codex also looks for instructions and skills in the parent folders.
    project_root_markers: [],
  }
}

/**
 * Turns off features that a vendor or an administrator may have enabled. With `inherit`, they stay as the
 * user has them.
 */
const withoutExtras: Settings = {
  'features.plugins': false,
  'features.remote_plugin': false,
  'features.apps': false,
  'features.hooks': false,
  'skills.bundled.enabled': false,
}

function modelSettings({ model, effort, endpoint, key, env }: AgentJob): Settings {
  const ownKey = ownKeys.find(name => (env[name] ?? '') !== '')
  const envKey = key === undefined ? ownKey : keyVariable
  return {
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { model_reasoning_effort: effort }),
    ...(endpoint === undefined
      ? {}
      : {
          model_provider: layer,
          [`model_providers.${layer}.name`]: 'The endpoint of the run',
          [`model_providers.${layer}.base_url`]: endpoint.replace(/\/+$/, ''),
          [`model_providers.${layer}.wire_api`]: 'responses',
          ...(envKey === undefined ? {} : { [`model_providers.${layer}.env_key`]: envKey }),
          [`model_providers.${layer}.request_max_retries`]: 0,
          [`model_providers.${layer}.stream_max_retries`]: 0,
          [`model_providers.${layer}.supports_websockets`]: false,
        }),
  }
}

function keys({ endpoint, key, tools }: AgentJob): Record<string, string> {
  return {
    ...(key === undefined ? {} : { [endpoint === undefined ? 'CODEX_API_KEY' : keyVariable]: key }),
    ...(tools === undefined ? {} : { [toolTokenVariable]: tools.token }),
  }
}

function permissions({ kind, access, hasWorkspace, tools }: AgentJob): Settings {
  // Nobody is present to answer prompts.
  const unattended = { approval_policy: 'never', 'tools.experimental_request_user_input.enabled': false }
  if (kind === 'work' && access === 'full')
    return { ...unattended, sandbox_mode: 'danger-full-access', web_search: 'live' }
  const offline = {
    ...unattended,
    web_search: 'disabled',
    'features.image_generation': false,
    // Otherwise shell commands would see the keys in their environment.
    'shell_environment_policy.ignore_default_excludes': false,
  }
  if (kind === 'chat' || !hasWorkspace)
    return {
      ...offline,
      sandbox_mode: 'read-only',
      ...withoutTools,
      // Some models have only one tool, which runs programs that call the other tools. It needs this host.
      'features.code_mode_host': tools !== undefined,
    }
  return {
    ...offline,
    sandbox_mode: 'workspace-write',
    'sandbox_workspace_write.network_access': false,
    // TMPDIR stays writable. /tmp is excluded, because it may contain other programs' folders and those of
    // this attempt.
    'sandbox_workspace_write.exclude_slash_tmp': true,
  }
}

const withoutTools: Settings = {
  'features.shell_tool': false,
  'features.unified_exec': false,
  'features.view_image': false,
  'features.multi_agent': false,
  'agents.enabled': false,
  'features.goals': false,
  'features.sleep_tool': false,
  'features.tool_suggest': false,
  'tools.update_plan.enabled': false,
}

function toolServer({ tools }: AgentJob): Settings {
  if (tools === undefined) return {}
  const at = `mcp_servers.${tools.name}`
  return {
    [`${at}.url`]: tools.url,
    [`${at}.bearer_token_env_var`]: toolTokenVariable,
    [`${at}.required`]: true,
    [`${at}.tool_timeout_sec`]: 3600,
    [`${at}.default_tools_approval_mode`]: 'approve',
  }
}

/**
 * Replaces Codex's own instructions about itself, its folder and its skills, so that only the question is
 * sent.
 */
function chatInstructions(
  { instructions }: AgentJob,
  place: AgentPlace,
): Pick<AgentPreparation, 'files'> & { readonly settings: Settings } {
  const path = join(place.config, 'instructions.md')
  return {
    files: [{ path, content: instructions }],
    settings: {
      model_instructions_file: path,
      project_doc_max_bytes: 0,
      include_permissions_instructions: false,
      include_environment_context: false,
      include_collaboration_mode_instructions: false,
      include_apps_instructions: false,
      'skills.include_instructions': false,
      'features.plugins': false,
      'features.apps': false,
      'features.hooks': false,
    },
  }
}
