import { home, matchesIn } from './sensitive-paths.js'

const fetchers = 'curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod|fetch|aria2c'
const shells = String.raw`(?:sudo\s+)?(?:/\S{0,100}/)?(?:env\s+)?(?:ba|z|da|k|fi)?sh|(?:sudo\s+)?(?:python|node|perl|ruby|php|deno|bun)[\d.]*|iex|Invoke-Expression|pwsh|powershell`

const intoShell = new RegExp(String.raw`\|\s*(?:${shells})\b`)

/** Matched anywhere, even within a sentence. */
const idioms = new RegExp(
  [
    String.raw`\b(?:${shells})\s+(?:-c|-e|<\()[^\n]{1,200}`,
    String.raw`\b(?:${fetchers})\s+(?:-|["']?https?:|["']?\$|[\w.-]+\.[a-z]{2,})[^\n]{0,200}`,
    String.raw`\b(?:scp|sftp|rsync|ssh)\s+[^\n]{0,120}(?:@|:)[^\n]{1,120}`,
    String.raw`\b(?:nc|ncat|netcat|telnet)\s+(?:-\S+\s+)*[\w.-]+\s+\d{1,5}`,
    String.raw`\brm\s+-[a-zA-Z]*[rf][^\n]{0,120}`,
    String.raw`\bsudo\s+[\w./-]+[^\n]{0,120}`,
    String.raw`\bchmod\s+(?:\+x|[0-7]{3,4})\s+[^\n]{1,120}`,
    String.raw`\bbase64\s+(?:-d|--decode|-D)\b[^\n]{0,120}`,
    String.raw`\b(?:eval|exec|source)\s+["'$(][^\n]{1,120}`,
    String.raw`/dev/tcp/[^\s]+`,
    // Code given on the command line, also after other options, and code from a document in the script.
    String.raw`\b(?:python|node|perl|ruby|php|deno|bun|(?:ba|z|da|k)?sh)[\d.]*\s+(?:-[\w:=]{1,40}\s+){0,4}(?:-[a-zA-Z]{0,6}[cerpE]|--eval|--print|eval|-)\s+(?:["'$<]|\w+\()[^\n]{0,200}`,
    String.raw`\b(?:python[\d.]*|node|perl|ruby|php|(?:ba|z|da|k)?sh)\s*<<[^\n]{1,120}`,
    String.raw`\b(?:powershell|pwsh)(?:\.exe)?\s+(?:-\w{1,30}\s+(?:[\w.]{1,30}\s+)?){0,6}-[eE](?:[nN][\w]{0,20})?\s+\S{4,}`,
    String.raw`\b(?:[iI][eE][xX]|[iI]nvoke-[eE]xpression)\s*[($&"'][^\n]{0,200}`,
    String.raw`\bNew-Object\s+(?:System\.)?Net\.WebClient\b[^\n]{0,160}`,
    String.raw`\bFromBase64String\s*\([^\n]{0,120}`,
    String.raw`\bcmd(?:\.exe)?\s+/[cCkK]\s+[^\n]{1,160}`,
    // A command that another one spells out.
    String.raw`\$\(\s*(?:printf|echo|curl|wget|base64|xxd|rev|tr|openssl|python\d?|perl)\s[^\n]{1,160}`,
    String.raw`\$'(?:\\(?:[0-7]{3}|x[0-9a-fA-F]{2})){3}[^\n]{0,120}`,
    String.raw`(?:^|[;&|]\s{0,3})\$\{?\w{1,30}\}?\$\{?\w{1,30}\}?\s+\S[^\n]{0,120}`,
    String.raw`(?<![\w/])/(?:[\w?*]{1,20}/){1,4}[\w*]{0,20}\?[\w?*]{0,20}\s+\S[^\n]{0,120}`,
    // Code that runs a text or a program.
    String.raw`\b(?:eval|exec|Function)\s*\(\s*(?:atob|base64|bytes|compile|require|String\.|unescape|decodeURI|Buffer|fetch|await|__import__|open|requests|codecs|zlib|marshal|["'$])[^\n]{0,120}`,
    String.raw`\b(?:os\.(?:system|popen|exec[lv]\w{0,3})|subprocess\.(?:run|call|Popen|check_\w{4,12}|getoutput)|child_process['"]?\)?\.\w{4,12}|Runtime\.getRuntime\(\)\.exec)\s*\([^\n]{0,160}`,
    String.raw`\b(?:xxd\s+-r|openssl\s+(?:enc|base64)\s+[^\n]{0,40}-d)\b[^\n]{0,120}`,
    // Packages and images run third-party code.
    String.raw`\b(?:npx|bunx|uvx|pnpm\s+dlx|pipx\s+run)\s+(?:-\S+\s+)*[\w@./:-]+[^\n]{0,120}`,
    String.raw`\b(?:pip3?|npm|gem|cargo|go|brew|apt|apt-get|dnf|yum|apk)\s+install\s+[^\n]{1,120}`,
    String.raw`\b(?:yarn|pnpm|bun)\s+add\s+[^\n]{1,120}`,
    String.raw`\b(?:docker|podman)\s+run\s+[^\n]{1,120}`,
    String.raw`\b(?:rundll32|regsvr32|mshta|certutil|bitsadmin)\s+[^\n]{1,120}`,
    String.raw`\b(?:nslookup|dig|host)\s+[^\n]{0,60}\$[({\w][^\n]{0,120}`,
    String.raw`\bcrontab\s+-`,
    String.raw`\bgit\s+config\s+--(?:global|system)\s+[^\n]{1,120}`,
    String.raw`\bsecurity\s+(?:dump-keychain|find-(?:generic|internet)-password)[^\n]{0,120}`,
    // The next shell runs whatever these files contain.
    String.raw`${home}[/\\]\.(?:bashrc|bash_profile|profile|zshrc|zprofile|zshenv)\b`,
  ].join('|'),
  'g',
)

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
const shellFence = /^(?:sh|bash|zsh|fish|shell|console|terminal|powershell|ps1|pwsh|cmd|bat|batch)\b/i

/** Commands in code blocks, in code spans and in sentences. */
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
