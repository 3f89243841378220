import type { Given, Mapping } from './mapping.js'
import { isChosen, nameModel, type Role } from './settings.js'

interface Backend {
  /** Id of the agent in this program. */
  readonly id: string
  readonly program: string
  readonly path: string
  readonly effort?: string
  /** The key for access rights. Its `wide` values ask for access beyond the task's files. */
  readonly access?: { readonly key: string; readonly wide: readonly unknown[] }
  /** Keys that ask for more than the default access if they are true. */
  readonly beyond?: readonly string[]
  /** Settings of the agent's program that take no effect here, because each attempt is isolated from them. */
  readonly own: readonly string[]
}

/** Backends of the Python reference that run a coding agent. */
const backends: Readonly<Record<string, Backend>> = {
  codex_exec: {
    id: 'codex',
    program: 'codex',
    path: 'codex_exec_path',
    effort: 'codex_exec_reasoning_effort',
    access: { key: 'codex_exec_sandbox', wide: ['danger-full-access'] },
    beyond: ['codex_exec_network_access', 'codex_exec_web_search'],
    own: ['codex_exec_profile', 'codex_exec_full_auto', 'codex_exec_use_sdk', 'codex_exec_approval_policy'],
  },
  claude_code_exec: {
    id: 'claude-code',
    program: 'claude',
    path: 'claude_code_exec_path',
    effort: 'claude_code_exec_effort',
    own: ['claude_code_exec_profile', 'claude_code_exec_use_sdk', 'claude_code_exec_max_thinking_tokens'],
  },
  cursor_exec: {
    id: 'cursor',
    program: 'cursor-agent',
    path: 'cursor_exec_path',
    access: { key: 'cursor_exec_sandbox', wide: ['disabled'] },
    own: [],
  },
  copilot_exec: {
    id: 'copilot',
    program: 'copilot',
    path: 'copilot_exec_path',
    access: { key: 'copilot_exec_allow_all_tools', wide: [true, 'true'] },
    own: ['copilot_exec_home'],
  },
  copilot_chat: { id: 'copilot', program: 'copilot', path: 'copilot_exec_path', own: ['copilot_exec_home'] },
}

export const agentBackends: readonly string[] = Object.keys(backends)

/**
 * Maps the keys of an agent backend. Returns true if the backend is an agent; all of its keys have then been
 * mapped or refused.
 */
export function mapAgent(
  mapping: Mapping,
  role: Role,
  { name, effort }: { readonly name: string; readonly effort: Given | undefined },
): boolean {
  const backend = backends[name]
  if (backend === undefined) return false
  const chosen = mapping.text(`model.copilot_chat_${role}_model`) ?? mapping.text(`model.${role}`)
  const model = isChosen(chosen) ? chosen : mapping.standard(`model.${role}`, 'default')
  nameModel(mapping, role, { provider: backend.id, model })
  const own = backend.effort === undefined ? undefined : mapping.text(`model.${backend.effort}`)
  if (backend.effort !== undefined && (own ?? effort) !== undefined)
    mapping.set(['models', role, 'effort'], own ?? (effort as Given))
  checkPath(backend, mapping)
  if (role === 'target') {
    mapAccess(backend, mapping)
    mapping.handledQuietly('env.max_completion_tokens', 'the agent handles it itself')
  }
  for (const key of backend.own)
    mapping.handledQuietly(`model.${key}`, 'each attempt has its own settings and asks nobody')
  return true
}

function checkPath({ path, program }: Backend, mapping: Mapping): void {
  const key = `model.${path}`
  const given = mapping.text(key)
  mapping.handled(key)
  if (given === undefined || given.value === program) return
  mapping.problem(
    `${key} is ${JSON.stringify(given.value)}${mapping.place(given)}, but agents are found by name; put its folder first in PATH, as "${program}"`,
  )
}

function mapAccess({ access, beyond = [] }: Backend, mapping: Mapping): void {
  const given = access === undefined ? undefined : mapping.text(`model.${access.key}`)
  const isWide = given !== undefined && access?.wide.includes(given.value) === true
  if (isWide) mapping.set(['harness', 'access'], { ...given, value: 'full' })
  if (access !== undefined)
    mapping.handledQuietly(`model.${access.key}`, 'the default, access to the files of the task')
  for (const key of beyond.map(name => `model.${name}`)) {
    const asked = mapping.text(key)
    mapping.handledQuietly(key, 'off by default')
    if (isWide || asked === undefined || mapping.boolean(asked).value === false) continue
    mapping.problem(
      `${key} is on${mapping.place(asked)}, which needs full access; set it to false, or model.codex_exec_sandbox to danger-full-access`,
    )
  }
}
