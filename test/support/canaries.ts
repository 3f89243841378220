/**
 * Fake secrets, assembled from parts at run time: none is stored in a file, so that secret scanners find
 * nothing in this repository.
 */
export interface Canary {
  readonly kind: string
  /** The secret, which must never appear. */
  readonly secret: string
  /** Typical context of the secret; a secret with a recognisable format needs none. */
  readonly text: string
  readonly isKnownByForm: boolean
}

const small = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'
const hexadecimal = `${digits}abcdef`
const alphanumeric = `${small}${small.toUpperCase()}${digits}`
const base64 = `${alphanumeric}+/`
const base64url = `${alphanumeric}-_`

/** Pseudo-random letters and digits, deterministic by seed; always includes a digit. */
function characters(seed: number) {
  let state = (seed * 2_654_435_761) >>> 0
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  return (from: string, length: number): string => {
    const made = Array.from({ length }, () => from[next(from.length)] ?? '0')
    // Long keys contain both letters and digits.
    if (length > 6) made.splice(1, 4, ...['7', 'a', '3', 'd'].map(each => (from.includes(each) ? each : '4')))
    return made.join('').replace(/^[-_+/]|[-_+/]$/g, '5')
  }
}

type Make = (some: (from: string, length: number) => string) => string

const uuid: Make = some => [8, 4, 4, 4, 12].map(length => some(hexadecimal, length)).join('-')
const begins =
  (beginning: string, from: string, length: number): Make =>
  some =>
    `${beginning}${some(from, length)}`

const upper = `${small.toUpperCase()}${digits}`

const known: readonly (readonly [kind: string, ...makes: Make[]])[] = [
  ['anthropic key', begins('sk-ant-api03-', base64url, 95), begins('sk-ant-oat01-', base64url, 95)],
  ['openrouter key', begins('sk-or-v1-', hexadecimal, 64)],
  ['langfuse key', some => `sk-lf-${uuid(some)}`],
  ['openai key', ...['proj-', 'svcacct-', 'admin-'].map(part => begins(`sk-${part}`, base64url, 120))],
  ['model provider key', begins('sk-', alphanumeric, 48), begins('sk-', hexadecimal, 32)],
  ['openai session', begins('sess-', alphanumeric, 40)],
  ['google api key', begins('AIza', base64url, 35), begins('AQ.Ab', base64url, 48)],
  ['google oauth token', begins('ya29.', base64url, 120)],
  ['google oauth secret', begins('GOCSPX-', base64url, 28)],
  ['google refresh token', begins('1//0', base64url, 60)],
  ['hugging face token', begins('hf_', alphanumeric, 34), begins('api_org_', alphanumeric, 34)],
  ['replicate token', begins('r8_', alphanumeric, 37)],
  ['groq key', begins('gsk_', alphanumeric, 52)],
  ['xai key', begins('xai-', alphanumeric, 80)],
  ['perplexity key', begins('pplx-', alphanumeric, 48)],
  ['fireworks key', begins('fw_', alphanumeric, 24)],
  ['tavily key', begins('tvly-dev-', alphanumeric, 32)],
  ['cerebras key', begins('csk-', `${small}${digits}`, 48)],
  ['together key', begins('tgp_v1_', base64url, 43)],
  ['nvidia key', begins('nvapi-', base64url, 64)],
  ['langsmith key', some => `lsv2_pt_${some(hexadecimal, 32)}_${some(hexadecimal, 10)}`],
  ['pinecone key', begins('pcsk_', alphanumeric, 60)],
  ['jina key', begins('jina_', base64url, 60)],
  ['aws access key', begins('AKIAQ', upper, 15), begins('ASIAY', upper, 15)],
  ['aws session token', begins('IQoJb3JpZ2luX2Vj', base64, 200)],
  ['aws bedrock key', begins('ABSK', base64, 120)],
  ['azure storage key', some => `${some(base64, 76)}+ASt${some(base64, 6)}==`],
  ['azure key', some => `${some(alphanumeric, 52)}JQQJ99${some(alphanumeric, 26)}`],
  ['azure client secret', some => `${some(alphanumeric, 3)}8Q~${some(base64url, 34)}`],
  ['digitalocean token', begins('dop_v1_', hexadecimal, 64), begins('doo_v1_', hexadecimal, 64)],
  ['heroku key', begins('HRKU-AA', base64url, 58)],
  ['cloudflare origin key', some => `v1.0-${some(hexadecimal, 24)}-${some(hexadecimal, 146)}`],
  ['databricks token', begins('dapi', hexadecimal, 32)],
  ['fly token', begins('fm2_', base64, 120), begins('fo1_', base64url, 43)],
  ['vercel token', begins('vercel_blob_rw_', alphanumeric, 40)],
  ['netlify token', begins('nfp_', alphanumeric, 36)],
  ['render key', begins('rnd_', alphanumeric, 28)],
  ['supabase key', begins('sbp_', hexadecimal, 40), begins('sb_secret_', base64url, 31)],
  ['planetscale key', begins('pscale_tkn_', base64url, 43), begins('pscale_pw_', base64url, 43)],
  ['dynatrace token', some => `dt0c01.${some(upper, 24)}.${some(upper, 64)}`],
  ['github token', ...['p', 'o', 'u', 's', 'r'].map(letter => begins(`gh${letter}_`, alphanumeric, 36))],
  ['github token', some => `github_pat_${some(alphanumeric, 22)}_${some(alphanumeric, 59)}`],
  [
    'gitlab token',
    ...['glpat-', 'gldt-', 'glrt-', 'glptt-', 'GR1348941'].map(part => begins(part, base64url, 20)),
  ],
  ['bitbucket password', begins('ATBB', alphanumeric, 32)],
  ['npm token', begins('npm_', alphanumeric, 36)],
  ['pypi token', begins('pypi-AgEIcHlwaS5vcmc', base64url, 150)],
  ['rubygems key', begins('rubygems_', hexadecimal, 48)],
  ['nuget key', begins('oy2', `${small}${digits}`, 43)],
  ['crates.io token', begins('cio', alphanumeric, 32)],
  ['docker hub token', begins('dckr_pat_', base64url, 27), begins('dckr_oat_', base64url, 32)],
  ['artifactory token', begins('AKCp', alphanumeric, 69)],
  ['sonar token', begins('squ_', hexadecimal, 40), begins('sqp_', hexadecimal, 40)],
  ['sourcegraph token', begins('sgp_', hexadecimal, 40)],
  ['buildkite token', begins('bkua_', hexadecimal, 40)],
  ['circleci token', begins('CCIPAT_', alphanumeric, 60)],
  ['postman key', some => `PMAK-${some(hexadecimal, 24)}-${some(hexadecimal, 34)}`],
  ['terraform token', some => `${some(alphanumeric, 14)}.atlasv1.${some(base64url, 67)}`],
  ['pulumi token', begins('pul-', hexadecimal, 40)],
  ['vault token', begins('hvs.', base64url, 90), begins('hvb.', base64url, 138)],
  ['doppler token', begins('dp.st.dev.', alphanumeric, 43), begins('dp.pt.', alphanumeric, 43)],
  ['1password token', begins('ops_eyJ', base64url, 200)],
  ['age key', begins('AGE-SECRET-KEY-1', upper, 58)],
  ['tailscale key', some => `tskey-auth-${some(alphanumeric, 12)}-${some(alphanumeric, 32)}`],
  ['slack token', some => `xoxb-${some(digits, 12)}-${some(digits, 13)}-${some(alphanumeric, 24)}`],
  [
    'slack token',
    some => `xoxp-${some(digits, 12)}-${some(digits, 12)}-${some(digits, 12)}-${some(hexadecimal, 32)}`,
  ],
  ['slack token', some => `xapp-1-A${some(upper, 10)}-${some(digits, 13)}-${some(hexadecimal, 64)}`],
  ['discord token', some => `MT${some(alphanumeric, 24)}.${some(base64url, 6)}.${some(base64url, 38)}`],
  ['telegram bot token', some => `71${some(digits, 8)}:AA${some(base64url, 33)}`],
  ['twilio key', begins('SK', hexadecimal, 32)],
  ['sendgrid key', some => `SG.${some(base64url, 22)}.${some(base64url, 43)}`],
  ['mailgun key', begins('key-', hexadecimal, 32)],
  ['mailchimp key', some => `${some(hexadecimal, 32)}-us21`],
  ['brevo key', some => `xkeysib-${some(hexadecimal, 64)}-${some(alphanumeric, 16)}`],
  ['resend key', some => `re_${some(alphanumeric, 8)}_${some(alphanumeric, 24)}`],
  ['stripe key', begins('sk_live_', alphanumeric, 24), begins('rk_live_', alphanumeric, 98)],
  ['webhook secret', begins('whsec_', alphanumeric, 32)],
  ['elevenlabs key', begins('sk_', hexadecimal, 48)],
  ['square token', begins('sq0csp-', base64url, 43), begins('sq0atp-', base64url, 22)],
  ['facebook token', begins('EAAB', alphanumeric, 180)],
  ['shopify token', begins('shpat_', hexadecimal, 32), begins('shpss_', hexadecimal, 32)],
  ['plaid token', some => `access-production-${uuid(some)}`],
  ['shippo token', begins('shippo_live_', hexadecimal, 40)],
  ['linear key', begins('lin_api_', alphanumeric, 40)],
  ['notion token', begins('secret_', alphanumeric, 43), begins('ntn_', alphanumeric, 46)],
  ['atlassian token', begins('ATATT3xFfGF0', base64url, 170)],
  ['figma token', begins('figd_', base64url, 40)],
  ['airtable token', some => `pat${some(alphanumeric, 14)}.${some(hexadecimal, 64)}`],
  ['hubspot token', some => `pat-na1-${uuid(some)}`],
  ['dropbox token', begins('sl.', base64url, 140)],
  ['contentful token', begins('CFPAT-', base64url, 43)],
  ['typeform token', begins('tfp_', base64url, 59)],
  ['sentry token', begins('sntrys_', base64, 120), begins('sntryu_', hexadecimal, 64)],
  ['new relic key', begins('NRAK-', upper, 27), some => `${some(hexadecimal, 32)}FFFFNRAL`],
  ['grafana token', some => `glsa_${some(alphanumeric, 32)}_${some(hexadecimal, 8)}`],
  ['posthog key', begins('phx_', alphanumeric, 43)],
  ['launchdarkly key', some => `sdk-${uuid(some)}`],
  ['password hash', some => `$6$${some(alphanumeric, 12)}$${some(alphanumeric, 86)}`],
  ['json web token', some => `eyJ${some(base64url, 33)}.eyJ${some(base64url, 120)}.${some(base64url, 43)}`],
]

/** Recognisable only by their context. `%` marks the secret in the text. */
const placed: readonly (readonly [kind: string, from: string, length: number, ...texts: string[]])[] = [
  [
    'aws secret key',
    base64,
    40,
    'aws_secret_access_key = %',
    'AWS_SECRET_ACCESS_KEY=%',
    '{"SecretAccessKey": "%"}',
  ],
  [
    'token',
    hexadecimal,
    32,
    'TWILIO_AUTH_TOKEN=%',
    'authToken: "%"',
    '//registry.npmjs.org/:_authToken=%',
    'the token is %',
  ],
  [
    'token',
    alphanumeric,
    24,
    'git config http.token %',
    'https://api.example.com/v1?access_token=%&page=2',
    'token: %',
  ],
  [
    'api key',
    alphanumeric,
    32,
    'MISTRAL_API_KEY=%',
    'HEROKU_API_KEY=%',
    'x-api-key: %',
    'DD_API_KEY: "%"',
    "client = Client(api_key='%')",
  ],
  [
    'api key',
    hexadecimal,
    32,
    'export DATADOG_APP_KEY="%"',
    'const apiKey: string = `%`',
    'os.environ["CO_API_KEY"] = "%"',
  ],
  [
    'password',
    alphanumeric,
    9,
    'password: %',
    'DB_PASSWORD=%',
    '"password": "%"',
    "spring.datasource.password='%'",
    'PGPASSWORD=% psql',
  ],
  [
    'password',
    alphanumeric,
    12,
    '<password>%</password>',
    'mysql --password=% -h db',
    'sshpass -p % ssh host',
    'the password is %',
  ],
  [
    'password',
    alphanumeric,
    12,
    'Server=db;Uid=me;Pwd=%;',
    'Server=db;PWD={%};',
    'curl -u me:% https://x.example',
    'machine h login me password %',
  ],
  [
    'password in an address',
    alphanumeric,
    14,
    'postgres://app:%@db:5432/x',
    'redis://:%@cache:6379',
    'mongodb+srv://u:%@c.example.net',
    'amqps://u:%@mq/vhost',
    'https://me:%@git.example.com/x.git',
  ],
  [
    'token in an address',
    hexadecimal,
    32,
    'https://%@o123.ingest.sentry.io/42',
    'https://%@github.example.com/x.git',
  ],
  [
    'azure storage key',
    base64,
    86,
    'AccountName=x;AccountKey=%==;EndpointSuffix=core.windows.net',
    'SharedAccessKey=%=',
  ],
  [
    'signature',
    base64url,
    43,
    'https://x.blob.core.windows.net/c/b?sv=2024-11-04&sig=%%3D',
    'https://s3.example/k?X-Amz-Signature=%&x=1',
  ],
  [
    'secret',
    alphanumeric,
    20,
    'client_secret=%',
    'clientSecret: "%"',
    'webhook.secret = "%"',
    'SECRET_KEY_BASE_SECRET=%',
  ],
  [
    'authorization header',
    base64url,
    40,
    'Authorization: Bearer %',
    'authorization: Token %',
    '"Authorization": "ApiKey %"',
    "-H 'Authorization: %'",
    'sent Bearer % to it',
  ],
  [
    'authorization header',
    base64,
    24,
    'Authorization: Basic %==',
    'Proxy-Authorization: Basic %',
    'Authorization: Digest username="me", response="%"',
  ],
  [
    'cookie',
    hexadecimal,
    32,
    'Cookie: theme=dark; sid=%; a=b',
    'Set-Cookie: session=%; Path=/; HttpOnly',
    "curl --cookie 'sid=%' https://x.example",
  ],
  ['slack webhook', alphanumeric, 24, 'https://hooks.slack.com/services/T01ABCDEF/B02ABCDEF/%'],
  ['discord webhook', base64url, 68, 'https://discord.com/api/webhooks/123456789012345678/%'],
  [
    'teams webhook',
    hexadecimal,
    32,
    'https://x.webhook.office.com/webhookb2/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f@0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f/IncomingWebhook/%/0a',
  ],
]

/** Several of each kind. */
export function makeCanaries(): Canary[] {
  let seed = 1
  const byForm = known.flatMap(([kind, ...makes]) =>
    makes.flatMap(make =>
      [0, 1].map(() => {
        const secret = make(characters(seed++))
        return { kind, secret, text: `It says ${secret} there.`, isKnownByForm: true }
      }),
    ),
  )
  const byPlace = placed.flatMap(([kind, from, length, ...texts]) =>
    texts.map(text => {
      const secret = characters(seed++)(from, length)
      return { kind, secret, text: text.replace('%', () => secret), isKnownByForm: false }
    }),
  )
  return [...byForm, ...byPlace, ...privateKeys()]
}

function privateKeys(): Canary[] {
  const some = characters(99)
  const lines = Array.from({ length: 12 }, () => some(base64, 64))
  const dashes = '-'.repeat(5)
  return ['', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '].map(type => {
    const [begin, end] = ['BEGIN', 'END'].map(word => `${dashes}${word} ${type}PRIVATE KEY${dashes}`)
    return {
      kind: 'private key',
      secret: lines[3] ?? '',
      text: `${begin}\n${lines.join('\n')}\n${some(base64, 30)}==\n${end}`,
      isKnownByForm: false,
    }
  })
}
