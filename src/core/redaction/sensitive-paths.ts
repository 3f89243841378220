export function matchesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([found]) => found.replace(/[.,;:!?'"`)\]}>*_]+$/, ''))
}

export const home = String.raw`(?:~|\$\{?HOME\}?|%USERPROFILE%|\$env:USERPROFILE|/home/[\w.-]+|/Users/[\w.-]+|/root)`
export const credentialPath = new RegExp(
  [
    String.raw`(?:${home}[/\\])?\.(?:ssh|gnupg|aws|azure|kube|docker|password-store|mozilla)[/\\][\w./\\*-]*`,
    String.raw`${home}[/\\]\.(?:ssh|gnupg|aws|azure|kube|netrc|npmrc|pypirc|pgpass)\b`,
    String.raw`(?:${home}[/\\])?\.(?:netrc|_netrc|pgpass|pypirc|git-credentials|vault-token|htpasswd|bash_history|zsh_history)\b`,
    String.raw`\b(?:id_rsa|id_dsa|id_ecdsa|id_ed25519|authorized[_ ]keys)\b`,
    String.raw`(?<![\w./\\~-])\.(?:ssh|gnupg|aws|kube|password-store)(?![\w(./\\])`,
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
