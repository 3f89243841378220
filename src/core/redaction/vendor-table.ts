/** A kind of key that is recognised by its format. */
export interface VendorKey {
  readonly kind: string
  /** Text that every key of this kind contains. The pattern begins there, or `before` characters earlier. */
  readonly anchors: readonly string[]
  readonly pattern: string
  readonly before?: number
  /** The part of the match that stays visible, such as the host of a URL. */
  readonly keep?: string
  /** Whether a key also counts right after a letter or a digit. */
  readonly isAnywhere?: boolean
}

const key = (kind: string, anchors: string | readonly string[], pattern: string): VendorKey => ({
  kind,
  anchors: typeof anchors === 'string' ? [anchors] : anchors,
  pattern,
})

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** Bot tokens begin with the bot's numeric id in base64, which has few possible beginnings. */
const discordBeginnings = ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT']

/**
 * If the prefix is distinctive, the minimum length is below the real one, so that truncated keys match too.
 * Unbounded repetitions come last, so that a match never backtracks far.
 */
export const vendorKeys: readonly VendorKey[] = [
  // Password hashes, from which passwords can be guessed
  key(
    'password hash',
    ['$1$', '$5$', '$6$'],
    '\\$[156]\\$(?:rounds=\\d{1,9}\\$)?[./\\w]{1,16}\\$[./\\w]{20,}',
  ),
  key('password hash', ['$2a$', '$2b$', '$2x$', '$2y$'], '\\$2[abxy]\\$\\d\\d\\$[./\\w]{40,}'),
  key('password hash', '$y$', '\\$y\\$[./\\w]{1,8}\\$[./\\w]{1,90}\\$[./\\w]{30,}'),
  key(
    'password hash',
    '$argon2',
    '\\$argon2(?:id|i|d)\\$v=\\d{1,3}\\$[mtp=,\\d]{5,40}\\$[+/\\w]{8,90}\\$[+/\\w]{16,}',
  ),
  // Models
  key('anthropic key', 'sk-ant-', 'sk-ant-[\\w-]{12,}'),
  key('openrouter key', 'sk-or-', 'sk-or-(?:v\\d-)?[0-9a-f]{16,}'),
  key('langfuse key', 'sk-lf-', `sk-lf-[0-9a-f]{8}-[0-9a-f-]{8,}`),
  key('openai key', 'sk-', 'sk-(?:proj|svcacct|admin|service|None)-[\\w-]{16,}'),
  key(
    'model provider key',
    'sk-',
    'sk-(?!ant-|or-|lf-|proj-|svcacct-|admin-|service-|None-)(?=[\\w-]{0,40}\\d)[\\w-]{20,}',
  ),
  key('openai session', 'sess-', 'sess-[A-Za-z0-9]{32,}'),
  key('google api key', 'AIza', 'AIza[\\w-]{24,}'),
  key('google api key', 'AQ.Ab', 'AQ\\.Ab[\\w-]{30,}'),
  key('google oauth token', 'ya29.', 'ya29\\.[\\w.-]{16,}'),
  key('google oauth secret', 'GOCSPX-', 'GOCSPX-[\\w-]{16,}'),
  key('google refresh token', '1//', '1//0[\\w-]{24,}'),
  key('hugging face token', ['hf_', 'api_org_'], '(?:hf_|api_org_)[A-Za-z0-9]{20,}'),
  key('replicate token', 'r8_', 'r8_[A-Za-z0-9]{24,}'),
  key('groq key', 'gsk_', 'gsk_[A-Za-z0-9]{24,}'),
  key('xai key', 'xai-', 'xai-[A-Za-z0-9]{32,}'),
  key('perplexity key', 'pplx-', 'pplx-[A-Za-z0-9]{24,}'),
  key('fireworks key', 'fw_', 'fw_(?=[A-Za-z0-9]{0,20}\\d)[A-Za-z0-9]{20,}'),
  key('tavily key', 'tvly-', 'tvly-(?:dev-|prod-)?[A-Za-z0-9-]{20,}'),
  key('cerebras key', 'csk-', 'csk-[a-z0-9]{32,}'),
  key('together key', 'tgp_v1_', 'tgp_v1_[\\w-]{24,}'),
  key('nvidia key', 'nvapi-', 'nvapi-[\\w-]{32,}'),
  key('langsmith key', 'lsv2_', 'lsv2_(?:pt|sk)_[0-9a-f]{20,}[\\w]{0,20}'),
  key('pinecone key', 'pcsk_', 'pcsk_\\w{30,}'),
  key('jina key', 'jina_', 'jina_[\\w-]{32,}'),
  // Clouds
  key('aws access key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], 'A(?:KIA|SIA|BIA|CCA)[A-Z2-7][A-Z0-9]{13,}'),
  key('aws session token', ['IQoJb3JpZ2lu', 'FwoGZXIvYXdz'], '(?:IQoJ|FwoG)[\\w+/=%-]{60,}'),
  key('aws bedrock key', 'ABSK', 'ABSK[A-Za-z0-9+/]{60,}={0,2}'),
  { ...key('azure storage key', '+ASt', '[A-Za-z0-9+/]{76}\\+ASt[A-Za-z0-9+/]{6}={0,2}'), before: 76 },
  { ...key('azure key', 'JQQJ99', '[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{16,}'), before: 52 },
  { ...key('azure client secret', 'Q~', '[\\w.~-]{3}\\dQ~[\\w.~-]{24,}'), before: 4 },
  key('digitalocean token', ['doo_v1_', 'dop_v1_', 'dor_v1_'], 'do[opr]_v1_[0-9a-f]{32,}'),
  key('heroku key', 'HRKU-', 'HRKU-[\\w-]{30,}'),
  key('cloudflare origin key', 'v1.0-', 'v1\\.0-[0-9a-f]{24}-[0-9a-f]{64,}'),
  key('databricks token', 'dapi', 'dapi[0-9a-f]{32}(?:-\\d)?'),
  key('fly token', ['fm1', 'fm2_', 'fo1_'], '(?:fm1[ar]|fm2|fo1)_[\\w+/=-]{32,}'),
  key('vercel token', 'vercel_', 'vercel_blob_rw_\\w{20,}'),
  key('netlify token', 'nfp_', 'nfp_[A-Za-z0-9]{30,}'),
  key('render key', 'rnd_', 'rnd_[A-Za-z0-9]{24,}'),
  key('supabase key', ['sbp_', 'sb_secret_'], '(?:sbp_[0-9a-f]{32,}|sb_secret_[\\w-]{20,})'),
  key('planetscale key', 'pscale_', 'pscale_(?:tkn|pw|oauth)_[\\w.=-]{24,}'),
  key('dynatrace token', 'dt0', 'dt0[a-z]\\d\\d\\.[A-Z0-9]{24}\\.[A-Z0-9]{32,}'),
  // Code and packages
  key('github token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], 'gh[pousr]_[A-Za-z0-9]{20,}'),
  key('github token', 'github_pat_', 'github_pat_\\w{22,}'),
  key(
    'gitlab token',
    ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glsoat-', 'gloas-', 'glimt-', 'glagent-'],
    'gl(?:pat|dt|rt|cbt|ptt|ft|soat|oas|imt|agent)-[\\w.-]{16,}',
  ),
  key('gitlab token', 'GR1348941', 'GR1348941[\\w-]{16,}'),
  key('bitbucket password', 'ATBB', 'ATBB[A-Za-z0-9]{24,}'),
  key('npm token', 'npm_', 'npm_[A-Za-z0-9]{30,}'),
  key('pypi token', 'pypi-', 'pypi-[\\w-]{40,}'),
  key('rubygems key', 'rubygems_', 'rubygems_[0-9a-f]{32,}'),
  key('nuget key', 'oy2', 'oy2[a-z0-9]{43}'),
  key('crates.io token', 'cio', 'cio[A-Za-z0-9]{32}(?![A-Za-z0-9])'),
  key('docker hub token', 'dckr_', 'dckr_(?:pat|oat)_[\\w-]{20,}'),
  key('artifactory token', ['AKCp', 'cmVmdGtu'], '(?:AKCp|cmVmdGtu)[A-Za-z0-9]{50,}'),
  key('sonar token', ['sqp_', 'squ_', 'sqa_'], 'sq[pua]_[0-9a-f]{32,}'),
  key('sourcegraph token', 'sgp_', 'sgp_[\\w]{32,}'),
  key('buildkite token', ['bkua_', 'bkct_'], 'bk(?:ua|ct)_[\\w]{32,}'),
  key('circleci token', ['CCIPAT_', 'CCIPRJ_'], 'CCIP(?:AT|RJ)_\\w{24,}'),
  key('postman key', 'PMAK-', 'PMAK-[0-9a-f]{24}-[0-9a-f]{20,}'),
  { ...key('terraform token', '.atlasv1.', '[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{32,}'), before: 14 },
  key('pulumi token', 'pul-', 'pul-[0-9a-f]{32,}'),
  key('vault token', ['hvs.', 'hvb.', 'hvr.'], 'hv[sbr]\\.[\\w-]{20,}'),
  key('doppler token', 'dp.', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.-]{32,}'),
  key('1password token', 'ops_', 'ops_eyJ[\\w=-]{40,}'),
  key('age key', 'AGE-SECRET-KEY-', 'AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{30,}'),
  key('tailscale key', 'tskey-', 'tskey-[a-z]{2,12}-[\\w-]{16,}'),
  // Messages and payments
  key('slack token', 'xox', 'xox[abceoprsd](?:-|\\.xox[bp]-)[\\w.%-]{10,}'),
  key('slack token', ['xapp-', 'xwfp-'], '(?:xapp|xwfp)-[\\w-]{16,}'),
  {
    ...key('slack webhook', 'hooks.slack', 'hooks\\.slack(?:-gov)?\\.com/[a-z]{4,12}/[\\w/+-]{20,}'),
    keep: 'hooks\\.slack(?:-gov)?\\.com/[a-z]{4,12}/',
  },
  {
    ...key('discord webhook', '/api/webhooks/', '/api/webhooks/\\d{15,20}/[\\w-]{30,}'),
    keep: '/api/webhooks/',
    isAnywhere: true,
  },
  {
    ...key('teams webhook', '/webhookb2/', `/webhookb2/${uuid}@[\\w@/-]{30,}`),
    keep: '/webhookb2/',
    isAnywhere: true,
  },
  key('discord token', discordBeginnings, '[MNO][\\w-]{22,26}\\.[\\w-]{6}\\.[\\w-]{25,}'),
  { ...key('telegram bot token', ':AA', '(?<=\\d{8,10}):AA[\\w-]{30,}'), isAnywhere: true },
  key('twilio key', 'SK', 'SK[0-9a-f]{32}(?![0-9a-f])'),
  key('sendgrid key', 'SG.', 'SG\\.[\\w-]{16,24}\\.[\\w-]{16,}'),
  key('mailgun key', 'key-', 'key-[0-9a-f]{32}(?![0-9a-f])'),
  { ...key('mailchimp key', '-us', '[0-9a-f]{32}-us\\d{1,2}(?!\\w)'), before: 32 },
  key('brevo key', 'xkeysib-', 'xkeysib-[0-9a-f]{32,}(?:-[A-Za-z0-9]{1,20})?'),
  key('resend key', 're_', 're_[A-Za-z0-9]{8}_[A-Za-z0-9]{16,}'),
  key('stripe key', ['sk_', 'rk_'], '[sr]k_(?:live|test|prod)_[A-Za-z0-9]{12,}'),
  key('webhook secret', 'whsec_', 'whsec_[\\w+/=-]{20,}'),
  key('elevenlabs key', 'sk_', 'sk_[0-9a-f]{40,}'),
  key('square token', 'sq0', 'sq0[a-z]{3}-[\\w-]{20,}'),
  key('square token', 'EAAA', 'EAAA(?=[\\w-]{0,59}[_-])[\\w-]{56,60}(?![\\w-])'),
  key('facebook token', 'EAA', 'EAA[A-Za-z0-9]{60,}'),
  key('shopify token', 'shp', 'shp(?:at|ca|pa|ss|ua|tka)_[0-9a-fA-F]{24,}'),
  key('plaid token', 'access-', `access-(?:sandbox|development|production)-${uuid}`),
  key('shippo token', 'shippo_', 'shippo_(?:live|test)_[0-9a-f]{32,}'),
  // Project management
  key('linear key', 'lin_', 'lin_(?:api|oauth)_[A-Za-z0-9]{24,}'),
  key('notion token', 'secret_', 'secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])'),
  key('notion token', 'ntn_', 'ntn_[A-Za-z0-9]{30,}'),
  key('atlassian token', ['ATATT3', 'ATCTT3'], 'AT[AC]TT3[\\w=-]{24,}'),
  key('figma token', ['figd_', 'figo'], 'fig(?:d|o[ur]?)_[\\w-]{24,}'),
  key('airtable token', 'pat', 'pat[A-Za-z0-9]{14}\\.[0-9a-f]{40,}'),
  key('hubspot token', 'pat-', `pat-(?:na|eu|ap)\\d-${uuid}`),
  key('dropbox token', 'sl.', 'sl\\.(?:u\\.)?[\\w-]{100,}'),
  key('contentful token', 'CFPAT-', 'CFPAT-[\\w-]{30,}'),
  key('typeform token', 'tfp_', 'tfp_[\\w-]{32,}'),
  // Monitoring
  key('sentry token', ['sntrys_', 'sntryu_'], 'sntry[su]_[\\w+/=-]{40,}'),
  key('new relic key', ['NRAK-', 'NRII-', 'NRJS-', 'NRAA-'], 'NR(?:AK|II|JS|AA)-[\\w-]{16,}'),
  { ...key('new relic key', 'FFFFNRAL', '[0-9a-f]{32}FFFFNRAL'), before: 32 },
  key('grafana token', ['glc_', 'glsa_'], 'gl(?:c|sa)_[\\w+/=]{30,}'),
  key('posthog key', 'phx_', 'phx_[A-Za-z0-9]{32,}'),
  key('launchdarkly key', ['sdk-', 'api-', 'mob-'], `(?:sdk|api|mob)-${uuid}`),
  // Keys of no specific vendor. A base64-encoded PEM block counts as a private key unless it is a certificate
  // or a public key.
  key('private key', 'LS0tLS1CRUdJTi', 'LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)[A-Za-z0-9+/]{20,}={0,2}'),
]
