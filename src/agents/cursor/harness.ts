import { join } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import type { AgentDefinition, AgentFile, AgentJob, AgentUser } from '../shared/harness/definition.js'
import type { AgentPlace } from '../shared/harness/place.js'
import { writtenPrompt } from '../shared/harness/prompt.js'
import { readCursor } from './output.js'

/** Written from Cursor's documentation and not tested, because Cursor runs only with its own service. */
export const agent: AgentDefinition = {
  id: 'cursor',
  title: 'Cursor CLI',
  // `agent` is the same program, but other tools use that name too.
  program: 'cursor-agent',
  install: 'curl https://cursor.com/install -fsS | bash',
  login: 'Run `cursor-agent login`; or set CURSOR_API_KEY to a key from the Cursor dashboard.',
  version: {
    arguments: ['--version'],
    read: printed => /^\d{4}\.\d{1,2}\.\d{1,2}\S*/m.exec(printed)?.[0],
    // The first version with skills. None was tested, so every later version is reported as untested.
    tested: { from: '2026.1.22', below: '2026.1.22' },
  },
  supports: ['chat', 'tools', 'turns', 'workspace'],
  chats: false,
  efforts: [],
  variables: [],
  secrets: ['CURSOR_API_KEY', 'CURSOR_AUTH_TOKEN'],
  grants: {
    workspace:
      'It may read files and change those of its task; its own permission rules refuse it the shell and the web. That follows its documentation and was not tried.',
    full: 'It may run any command and read or change any file that you can, with the network and without its sandbox; it asks nobody.',
  },
  filesOf(user, place) {
    const own = (name: string) => ({
      from: join(user.home, '.cursor', name),
      to: join(folderOf(place), name),
    })
    const shared = join('.agents', 'skills')
    return {
      login: [
        { from: join(settingsOf(user), 'auth.json'), to: join(place.home, '.config', 'cursor', 'auth.json') },
        own('auth.json'),
      ],
      setup: [
        { from: cliConfigOf(user), to: cliConfig(place) },
        ...['mcp.json', 'hooks.json', 'hooks', 'rules', 'skills', 'commands', 'agents', 'plugins'].map(own),
        { from: join(user.home, shared), to: join(place.home, shared) },
      ],
    }
  },
  skillsFolder: place => join(place.workspace, '.cursor', 'skills'),
  prepare(job, place) {
    if (job.endpoint !== undefined) {
      throw new InputError(
        `Cursor CLI only supports Cursor's own service, not the endpoint ${job.endpoint}.`,
        { hint: 'Leave the endpoint out, or choose another agent: pi and OpenCode support any server.' },
      )
    }
    const { text, files } = writtenPrompt(job, place, job.skill && `/${job.skill.name}`)
    return {
      files: [
        ...files,
        { path: cliConfig(place), content: settings(job) },
        ...(job.tools === undefined ? [] : [servers(job.tools, place)]),
      ],
      environment: keyVariables(job.key),
      arguments: [
        '-p',
        '--output-format',
        'stream-json',
        '--trust',
        ...(job.model === undefined ? [] : ['--model', job.model]),
        ...(job.tools === undefined && !job.inherit ? [] : ['--approve-mcps']),
        ...(job.access === 'full' ? ['--force', '--sandbox', 'disabled'] : modeArguments(job)),
      ],
      stdin: [text, ...(job.access === 'full' ? [] : [note(job)])].join('\n\n'),
    }
  },
  read: readCursor,
  isNoise: line => line.startsWith('{"type":"thinking"'),
}

function keyVariables(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { CURSOR_API_KEY: key, CURSOR_AUTH_TOKEN: '' }
}

/** Cursor reads user data only below the home, and each attempt has its own home. */
const folderOf = (place: AgentPlace) => join(place.home, '.cursor')

const cliConfig = (place: AgentPlace) => join(folderOf(place), 'cli-config.json')

/**
 * Folder of the user's login on Linux. Elsewhere the login is in `.cursor` or in the system keychain, which
 * cannot be copied.
 */
function settingsOf({ home, env }: AgentUser): string {
  return join(env.XDG_CONFIG_HOME ?? join(home, '.config'), 'cursor')
}

function cliConfigOf(user: AgentUser): string {
  const { CURSOR_CONFIG_DIR: named, XDG_CONFIG_HOME: shared } = user.env
  const folder = named ?? (shared === undefined ? join(user.home, '.cursor') : settingsOf(user))
  return join(folder, 'cli-config.json')
}

function settings(job: AgentJob): Record<string, unknown> {
  return {
    version: 1,
    editor: { vimMode: false },
    permissions: permissions(job),
    approvalMode: job.access === 'full' ? 'unrestricted' : 'allowlist',
    attribution: { attributeCommitsToAgent: false, attributePRsToAgent: false },
  }
}

/**
 * Permission rules. Paths without a leading slash are relative to the workspace, and a deny rule always wins
 * over an allow rule.
 */
function permissions({ access, hasWorkspace, tools, inherit }: AgentJob) {
  const servers = inherit ? ['Mcp(*:*)'] : tools === undefined ? [] : [`Mcp(${tools.name}:*)`]
  if (access === 'full')
    return { allow: ['Shell(*)', 'Read(**)', 'Write(**)', 'WebFetch(*)', ...servers], deny: [] }
  const refused = ['Shell(*)', 'WebFetch(*)']
  return hasWorkspace
    ? { allow: ['Read(**)', 'Write(**)', ...servers], deny: refused }
    : { allow: servers, deny: [...refused, 'Write(**)'] }
}

/** Uses the read-only mode `ask` if there are neither files nor session tools. */
function modeArguments({ hasWorkspace, tools }: AgentJob): string[] {
  return hasWorkspace || tools !== undefined ? [] : ['--mode', 'ask']
}

/** Cursor's tools cannot be removed, only refused, so the prompt says which ones to use. */
function note({ hasWorkspace }: AgentJob): string {
  const files = hasWorkspace ? 'work on files with your tools for files' : 'there are no files to work on'
  return `(In this task the terminal and the web are switched off, and calls of them are refused: ${files}.)`
}

function servers({ name, url, token }: NonNullable<AgentJob['tools']>, place: AgentPlace): AgentFile {
  const content = { mcpServers: { [name]: { url, headers: { Authorization: `Bearer ${token}` } } } }
  return { path: join(folderOf(place), 'mcp.json'), content }
}
