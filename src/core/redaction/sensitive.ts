import { mapUnseen } from '../text/unseen-characters.js'
import { createRedactor } from './redact.js'

/**
 * Content that a person must see before a skill may include it: addresses that an agent may call, commands
 * that it may run, locations of credentials, and secrets. A gate measures whether an edit helps with tasks,
 * not what else it does.
 */
export interface SensitiveFinding {
  readonly kind: 'address' | 'shell command' | 'credential path' | 'secret'
  /** Verbatim from the text; for a secret only its kind. */
  readonly text: string
}

/** Sensitive content of `after` that `before` does not have, in a good reading order. */
export function sensitiveAdditions(before: string, after: string): readonly SensitiveFinding[] {
  const known = new Map<string, number>()
  for (const finding of sensitiveIn(before)) known.set(keyOf(finding), (known.get(keyOf(finding)) ?? 0) + 1)
  const listed = new Set<string>()
  return sensitiveIn(after).filter(finding => {
    const key = keyOf(finding)
    const left = known.get(key) ?? 0
    // Secrets are known only by kind, so one more of the same kind counts as new.
    if (finding.kind === 'secret' && left > 0) {
      known.set(key, left - 1)
      return false
    }
    if (left > 0 || listed.has(key)) return false
    listed.add(key)
    return true
  })
}

/**
 * Sensitive content that an edit adds; text that it replaces, or that the skill already has, does not count.
 */
export function editAdditions(
  edit: { readonly target?: string | undefined; readonly content?: string | undefined },
  skill = '',
): readonly SensitiveFinding[] {
  return sensitiveAdditions(`${skill}\n${edit.target ?? ''}`, edit.content ?? '')
}

/** All findings in one line; undefined if there are none. */
export function sensitiveText(findings: readonly SensitiveFinding[]): string | undefined {
  if (findings.length === 0) return undefined
  return findings.map(({ kind, text }) => `${kind} ${shortened(text)}`).join('; ')
}

const longestShown = 120
const shortened = (text: string) => (text.length > longestShown ? `${text.slice(0, longestShown)}…` : text)

const keyOf = ({ kind, text }: SensitiveFinding) => `${kind} ${text.toLowerCase()}`

const { redact } = createRedactor()

function sensitiveIn(given: string): SensitiveFinding[] {
  const hidden = redact(given)
  // A model also reads full-width letters and invisible characters, so both are normalised first.
  const text = mapUnseen(hidden.text, () => '').normalize('NFKC')
  const secrets = [
    ...hidden.found.map(({ kind }) => kind),
    ...[...given.matchAll(/\[redacted: ([\w -]{1,60})\]/g)].map(([, kind = '']) => kind),
  ]
  return [
    ...commandsIn(text).map(command => ({ kind: 'shell command' as const, text: command })),
    ...matchesIn(text, credentialPath).map(path => ({ kind: 'credential path' as const, text: path })),
    ...addressesIn(text).map(address => ({ kind: 'address' as const, text: address })),
    ...secrets.map(secret => ({ kind: 'secret' as const, text: secret })),
  ]
}

function matchesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([found]) => found.replace(/[.,;:!?'"`)\]}>*_]+$/, ''))
}

// ── Addresses ───────────────────────────────────────────────────────────────

const url =
  /\b(?:[a-z][a-z0-9+.-]{1,20}:\/\/|hxxps?:\/\/|data:[a-z]+\/|javascript:|mailto:)[^\s<>"'`|\\]{1,500}/gi
const email = /(?<![\w.+-])[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}\b/gi
/** Domain endings that are neither file extensions nor names in code. */
const plainEndings =
  'com|net|org|io|dev|ai|app|xyz|onion|ru|cn|uk|eu|top|site|online|edu|gov|cloud|biz|mobi|de|fr|nl|ch|se|dk|fi|br|jp|kr|tw|hk|sg|vn|ua|kz|ir|il|nz|au|ca|mx|ar|cl|cz|sk|hu|ro|bg|gr|lt|lv|ee|tk|ga|cf|gq|tv|gg|ly|icu|pw|su|website|club|vip|click|corp|intranet|example'
/**
 * Domain endings that may also be file extensions or names in code: they count only before a path or a port.
 */
const otherEndings =
  'info|me|co|to|in|at|is|it|so|us|be|no|es|pt|pl|ml|cc|ws|tr|id|my|sh|rs|st|la|im|fm|am|link|live|store|shop|tech|space|pro|page|zone|host|press|fun|work|life|world|today|news|agency|digital|network|systems|local|internal|lan|zip|mov'
const hostName = String.raw`(?<![\w./@-])(?:[a-z0-9][a-z0-9-]{0,62}(?:\.|\[\.\])){1,6}`
const rest = String.raw`\/[^\s<>"'${'`'}|\\)]{0,300}`
const host = new RegExp(
  [
    String.raw`${hostName}(?:${plainEndings})(?![\w(-]|\.\w)(?::\d{2,5})?(?:${rest})?`,
    String.raw`${hostName}(?:${otherEndings})(?::\d{4,5}(?:${rest})?|(?=/[\w?~@-])${rest})`,
    String.raw`(?<![:\w/])//(?:[a-z0-9][a-z0-9-]{0,62}\.){1,6}[a-z]{2,24}(?![\w(-])(?::\d{2,5})?(?:${rest})?`,
  ].join('|'),
  'g',
)
const ipAddress = /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])(?::\d{2,5})?(?:\/[^\s<>"'`|\\)]{0,300})?/g

function addressesIn(text: string): string[] {
  const urls = matchesIn(text, url)
  const withoutUrls = text.replaceAll(url, ' ')
  const emails = matchesIn(withoutUrls, email)
  const bare = withoutUrls.replaceAll(email, ' ')
  return [...urls, ...emails, ...matchesIn(bare, host), ...matchesIn(bare, ipAddress)]
}

// ── Credential paths ────────────────────────────────────────────────────────

const home = String.raw`(?:~|\$\{?HOME\}?|%USERPROFILE%|\$env:USERPROFILE|/home/[\w.-]+|/Users/[\w.-]+|/root)`
const credentialPath = new RegExp(
  [
    String.raw`(?:${home}[/\\])?\.(?:ssh|gnupg|aws|azure|kube|docker|password-store|mozilla)[/\\][\w./\\*-]*`,
    String.raw`${home}[/\\]\.(?:ssh|gnupg|aws|azure|kube|netrc|npmrc|pypirc|pgpass)\b`,
    String.raw`(?:${home}[/\\])?\.(?:netrc|_netrc|pgpass|pypirc|git-credentials|vault-token|htpasswd|bash_history|zsh_history)\b`,
    String.raw`\b(?:id_rsa|id_dsa|id_ecdsa|id_ed25519|authorized_keys)\b`,
    String.raw`(?<![\w.])\.env(?:\.(?:local|production|prod|staging|development))?(?![\w.])`,
    String.raw`(?<![\w.])\.npmrc\b`,
    String.raw`/etc/(?:passwd|shadow|sudoers|ssl/private)\b[\w./-]*`,
    String.raw`/proc/(?:self|\d+)/environ\b`,
    String.raw`/run/secrets/[\w./-]*`,
    String.raw`(?<![\w./~-])[\w./~-]{0,120}(?<![a-z])(?:credentials|service[-_]?account|client_secret|secrets?)\.(?:json|ya?ml|toml|ini|env|db)\b`,
    String.raw`(?:${home}[/\\]|%APPDATA%[/\\])?(?:\.config[/\\])?(?:gcloud|gh)[/\\](?:[\w.-]*credentials\.db|hosts\.ya?ml)\b`,
    String.raw`(?:${home})?/Library/Keychains\b[\w./-]*`,
    // In prose, a variable name has no `$` before it.
    String.raw`(?<![\w$.])[A-Z][A-Z0-9]*_(?:[A-Z0-9]+_)*(?:API_KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY|SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIALS)\b`,
    String.raw`(?<![\w./~-])[\w./~-]{1,120}\.(?:pem|p12|pfx|jks|keystore|kdbx)\b`,
    String.raw`\b(?:Login Data|Cookies|cookies\.sqlite|wallet\.dat|key4\.db|login\.keychain(?:-db)?)\b(?=.{0,40}(?:Chrome|Firefox|profile|upload|send|copy|read))`,
    String.raw`\$\{?(?:env:)?[A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS)\b\}?`,
    String.raw`\b(?:process\.env|os\.environ|import\.meta\.env)(?:\.|\[["'])[A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS)\b`,
  ].join('|'),
  'g',
)

// ── Commands ────────────────────────────────────────────────────────────────

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

function commandsIn(text: string): string[] {
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
