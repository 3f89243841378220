/**
 * Files of a project by which agents start programs or reach servers of their own accord. In a session a person is there
 * to see what these do; in a copy, at night, nobody is, and what they reach is no copy.
 */
export const liveSettings: readonly string[] = [
  ...['.mcp.json', '.vscode/mcp.json'],
  ...['.claude/settings.json', '.claude/settings.local.json'],
  ...['.codex/config.toml', '.codex/hooks.json'],
  ...['.cursor/mcp.json', '.cursor/hooks.json', '.cursor/cli.json'],
  ...['.gemini/settings.json', '.gemini/extensions', '.qwen/settings.json', '.qwen/extensions'],
  ...['.github/hooks', '.github/copilot/settings.json', '.github/copilot/settings.local.json'],
  ...['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
  ...['.opencode/plugin', '.opencode/plugins', '.opencode/tool', '.opencode/tools'],
  ...['.pi/settings.json', '.pi/extensions'],
]
