/**
 * Project files that make agents start programs or contact servers on their own. During a session a person
 * watches this. At night nobody does, and what these programs reach is no copy.
 */
export const liveSettings: readonly string[] = [
  '.mcp.json',
  '.vscode/mcp.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.codex/config.toml',
  '.codex/hooks.json',
  '.cursor/mcp.json',
  '.cursor/hooks.json',
  '.cursor/cli.json',
  '.gemini/settings.json',
  '.gemini/extensions',
  '.qwen/settings.json',
  '.qwen/extensions',
  '.github/hooks',
  '.github/copilot/settings.json',
  '.github/copilot/settings.local.json',
  'opencode.json',
  'opencode.jsonc',
  '.opencode/opencode.json',
  '.opencode/opencode.jsonc',
  '.opencode/plugin',
  '.opencode/plugins',
  '.opencode/tool',
  '.opencode/tools',
  '.pi/settings.json',
  '.pi/extensions',
]
