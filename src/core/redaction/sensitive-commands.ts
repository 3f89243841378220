import { idioms, intoShell } from './command-idioms.js'
import { matchesIn } from './sensitive-paths.js'

const programs = [
  'curl',
  'wget',
  'ssh',
  'scp',
  'sftp',
  'rsync',
  'nc',
  'ncat',
  'telnet',
  'ftp',
  'bash',
  'sh',
  'zsh',
  'fish',
  'pwsh',
  'powershell',
  'cmd',
  'eval',
  'exec',
  'source',
  'sudo',
  'su',
  'doas',
  'chmod',
  'chown',
  'rm',
  'mv',
  'cp',
  'dd',
  'mount',
  'kill',
  'pkill',
  'killall',
  'crontab',
  'systemctl',
  'launchctl',
  'apt',
  'apt-get',
  'yum',
  'dnf',
  'apk',
  'pacman',
  'brew',
  'npm',
  'npx',
  'pnpm',
  'yarn',
  'bun',
  'bunx',
  'deno',
  'node',
  'tsx',
  'python',
  'python3',
  'pip',
  'pip3',
  'pipx',
  'uv',
  'uvx',
  'poetry',
  'ruby',
  'gem',
  'bundle',
  'perl',
  'php',
  'composer',
  'go',
  'cargo',
  'make',
  'cmake',
  'docker',
  'podman',
  'kubectl',
  'helm',
  'terraform',
  'aws',
  'gcloud',
  'az',
  'gh',
  'glab',
  'git',
  'openssl',
  'gpg',
  'base64',
  'xxd',
  'tar',
  'unzip',
  'find',
  'xargs',
  'sed',
  'awk',
  'cat',
  'tee',
  'env',
  'export',
  'printenv',
  'history',
  'open',
  'xdg-open',
  'osascript',
  'reg',
  'schtasks',
  'certutil',
  'bitsadmin',
  'iex',
  'iwr',
  'irm',
  'psql',
  'mysql',
  'mongosh',
  'redis-cli',
  'sqlite3',
]
const commandLine = new RegExp(
  String.raw`^(?:[$>#%]\s+)?(?:[A-Z_]+=\S*\s+)*(?:\S*/)?(?:${programs.join('|')})\s+\S`,
)
const shellFence = /^(?:!|(?:sh|bash|zsh|fish|shell|console|terminal|powershell|ps1|pwsh|cmd|bat|batch)\b)/i

/** Finds commands in code blocks, in code spans and in sentences. */
export function commandsIn(text: string): string[] {
  const found: string[] = []
  let fence: { readonly mark: string; readonly isShell: boolean } | undefined
  for (const line of text.split(/\r?\n/)) {
    const [, mark, language = ''] = /^\s{0,12}(`{3,}|~{3,})\s*(\S*)/.exec(line) ?? []
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence.mark))) {
      fence = fence === undefined ? { mark, isShell: shellFence.test(language) } : undefined
      continue
    }
    const content = line.trim()
    if (fence !== undefined) {
      const isCommand =
        content !== '' && !content.startsWith('# ') && (fence.isShell || commandLine.test(content))
      if (isCommand) found.push(content)
      continue
    }
    // Some agents run these spans when they load a skill, whatever the program is.
    found.push(...[...line.matchAll(/!`([^`\n]{1,300})`/g)].map(([, code = '']) => code.trim()))
    const spans = [...line.matchAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g)].map(([, , code = '']) =>
      code.trim(),
    )
    found.push(...spans.filter(code => commandLine.test(code)))
    const rest = line.replaceAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g, (whole, _mark, code: string) =>
      commandLine.test(code.trim()) ? ' ' : whole.replaceAll('`', ''),
    )
    if (/^\s*\$ /.test(rest) || intoShell.test(rest)) found.push(rest.trim())
    else found.push(...matchesIn(rest, idioms).map(command => command.trim()))
  }
  return found
}
