import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Canary, makeCanaries } from '../../../test/support/canaries.js'
import { createRedactor } from './redact.js'
import { vendorKeys } from './vendor-table.js'

const { redact } = createRedactor()
const canaries = makeCanaries()
const kinds = new Set(canaries.map(({ kind }) => kind))
const byForm = canaries.filter(({ isKnownByForm }) => isKnownByForm)
const byKind = (of: readonly Canary[]) =>
  [...kinds].map(kind => ({ kind, of: of.filter(each => each.kind === kind) }))

/** Not even the tail may be visible: it would identify the whole secret if the rest had leaked before. */
function expectHidden(text: string, { secret, kind }: Canary): void {
  const { text: shown, found } = redact(text)
  expect(shown, `${kind}: ${text}`).not.toContain(secret.slice(-Math.min(16, secret.length)))
  expect(found.length, text).toBeGreaterThan(0)
  expect(redact(shown).text).toBe(shown)
}

describe('secrets recognised by their format', () => {
  it('has a canary of every kind', () => {
    expect(vendorKeys.map(({ kind }) => kind).filter(kind => !kinds.has(kind))).toEqual([])
  })

  it.each(byKind(byForm).filter(({ of }) => of.length > 0))('$kind: is found and named', ({ kind, of }) => {
    for (const canary of of) {
      expect(redact(canary.text).found.map(each => each.kind)).toEqual([kind])
      expectHidden(canary.text, canary)
    }
  })

  const places: readonly [string, (secret: string) => string][] = [
    ['at the very start', secret => `${secret} was it`],
    ['at the very end', secret => `it was ${secret}`],
    ['alone', secret => secret],
    ['in JSON', secret => JSON.stringify({ text: `first line\n${secret}\nthird "line"` })],
    ['in JSON in JSON', secret => JSON.stringify({ content: JSON.stringify({ text: `one\t${secret}\n` }) })],
    ['in a command', secret => `export SOME_VARIABLE='${secret}' && deploy --quiet`],
    ['in an address', secret => `https://api.example.com/v1/items?q=1&x=${secret}&page=2`],
    ['after an encoded character', secret => `q=%20${secret}`],
    ['in a terminal’s colours', secret => `\u001b[31m${secret}\u001b[0m`],
    ['in Markdown', secret => `Use \`${secret}\`, or [this](<${secret}>).`],
    ['on a line of a file that was read', secret => `     1→const x = "${secret}"\n     2→`],
  ]
  it.each(places)('is found %s', (_place, write) => {
    for (const canary of byForm) expectHidden(write(canary.secret), canary)
  })
})

it('the documentation names every kind', () => {
  const page = readFileSync(new URL('../../../docs/redaction.md', import.meta.url), 'utf8').replaceAll(
    /\s+/g,
    ' ',
  )
  expect([...kinds].filter(kind => !page.includes(kind))).toEqual([])
})

describe('secrets recognised by their context', () => {
  it.each(byKind(canaries.filter(({ isKnownByForm }) => !isKnownByForm)).filter(({ of }) => of.length > 0))(
    '$kind: is found and named',
    ({ kind, of }) => {
      for (const canary of of) {
        expect(
          redact(canary.text).found.map(each => each.kind),
          canary.text,
        ).toContain(kind)
        expectHidden(canary.text, canary)
      }
    },
  )

  it('is found in JSON, also in JSON in JSON, and leaves valid JSON', () => {
    for (const canary of canaries) {
      const once = JSON.stringify({ role: 'user', text: `before\n${canary.text}\nafter` })
      const twice = JSON.stringify({ content: once })
      for (const text of [once, twice]) {
        expectHidden(text, canary)
        expect(() => JSON.parse(redact(text).text), redact(text).text).not.toThrow()
      }
    }
  })

  it('is found at the start and at the end', () => {
    for (const canary of canaries) expectHidden(`${canary.text}`, canary)
    for (const canary of canaries) expectHidden(`It was:\n${canary.text}\nThat is all.\n`, canary)
  })

  it.each([
    ['no closing mark', '{"password": "Xk2'.concat('9vQ!')],
    ['no closing escaped mark', String.raw`{\"apiKey\": \"Xk29vQ77`],
    ['a word in quotation marks', 'password = "correcthorse"'],
    ['a fallback in a shell', 'x=$' + '{DB_PASSWORD:-Xk29vQ7}'],
    ['a value on the next line', 'password: >-\n  Xk29vQ7'],
    ['a list', '"apiKeys": ["Xk29vQ77aa1b", "Xk2b9vQ77c1d"]'],
    ['a list in JSON in JSON', String.raw`\"apiKeys\":[\"Xk29vQ77aa1b\",\"Xk2b9vQ77c1d\"]`],
    ['a phrase', 'passphrase: "correct horse battery staple"'],
    ['a short flag', '--token=Xk29vQ7'],
    ['an address in JSON of PHP', String.raw`"postgres:\/\/u:Xk29vQ7@db\/x"`],
    ['Oracle', 'jdbc:oracle:thin:me/Xk29vQ7@//db:1521/x'],
    ['MySQL', 'mysql -u root -pXk29vQ7 shop'],
    ['Redis', 'redis-cli -a Xk29vQ7 ping'],
    ['a flag', 'deploy --api-key Xk29vQ7 --now'],
    ['characters of a shell', 'DB_PASSWORD=Xk2(9v)Q7!x'],
    ['a slash in a password', 'postgres://app:Xk29/vQ7@db:5432/x'],
    ['German', 'Passwort: Xk29vQ7'],
  ])('is found with %s', (_what, text) => {
    const shown = redact(text).text
    expect(shown).toContain('[redacted: ')
    expect(shown).not.toMatch(/Xk2|9v|vQ7|horse/)
  })
})

describe('wrapped or truncated secrets', () => {
  const key = canaries.find(({ kind }) => kind === 'private key')?.text ?? ''

  it.each([
    ['the end', key.slice(0, -300)],
    ['the beginning', key.slice(200)],
    ['nothing, but its line breaks are escaped', JSON.stringify({ key })],
    ['the end, with escaped line breaks', JSON.stringify({ key }).slice(0, 500)],
    [
      'nothing, but lines are numbered',
      key
        .split('\n')
        .map((line, index) => `${String(index + 1).padStart(6)}→${line}`)
        .join('\n'),
    ],
    ['nothing, but it is quoted', key.replaceAll(/^/gm, '> ')],
  ])('a private key that lacks %s is hidden whole', (_what, text) => {
    expect(redact(`See:\n${text}`).text).not.toMatch(/[A-Za-z0-9+/]{20}/)
  })

  it('a token over several lines is hidden whole', () => {
    for (const { secret } of canaries.filter(({ kind }) => kind === 'json web token')) {
      const wrapped = secret.replaceAll(/.{76}/g, '$&\n')
      const { text } = redact(`Authorization: Bearer ${wrapped}\nAccept: text/plain`)
      expect(text).toBe('Authorization: Bearer [redacted: json web token]\nAccept: text/plain')
    }
  })

  it('only mentions of a private key stay', () => {
    const text = `Look for "${key.slice(0, 27)}" in the file, and for the end of it after that.`
    expect(redact(text).text).toBe(text)
  })
})

describe('ordinary text', () => {
  const harmless = readFileSync(
    new URL('../../../test/fixtures/redaction/harmless.txt', import.meta.url),
    'utf8',
  )

  it('stays as it is, line by line, as a whole, and in JSON', () => {
    const lines = harmless.trim().split('\n')
    expect(lines.length).toBeGreaterThan(200)
    const changed = [...lines, JSON.stringify({ harmless })].filter(line => redact(line).text !== line)
    expect(changed).toEqual([])
    expect(redact(harmless).text).toBe(harmless)
  })
})

describe('findings', () => {
  it('have the kind and the position in the original text, never the value', () => {
    const [first, second] = byForm
    const text = `one\ntwo ${first?.secret}\nDB_PASSWORD=hunter2 ${second?.secret}`
    expect(redact(text).found).toEqual([
      { kind: first?.kind, offset: 8, line: 2 },
      { kind: 'password', offset: text.indexOf('hunter2'), line: 3 },
      { kind: second?.kind, offset: text.lastIndexOf(' ') + 1, line: 3 },
    ])
  })

  it('are empty for a text without secrets, which stays unchanged', () => {
    expect(redact('Nothing to hide.')).toEqual({ text: 'Nothing to hide.', found: [] })
  })

  it('keeps the rest readable', () => {
    expect(redact('DB_PASSWORD=hunter2 npm start').text).toBe('DB_PASSWORD=[redacted: password] npm start')
    expect(redact('postgres://app:hunter2@db:5432/x').text).toBe(
      'postgres://app:[redacted: password in an address]@db:5432/x',
    )
  })
})

describe('patterns of one’s own', () => {
  const own = createRedactor({ patterns: [{ name: 'customer', pattern: 'ACME-\\d{4}' }] })

  it('are hidden by their name, twice the same', () => {
    const { text, found } = own.redact('for ACME-1234, not ACME-12')
    expect(text).toBe('for [redacted: customer], not ACME-12')
    expect(found).toEqual([{ kind: 'customer', offset: 4, line: 1 }])
    expect(own.redact(text)).toEqual({ text, found: [] })
  })

  it('do not touch what is hidden already', () => {
    const { redact } = createRedactor({ patterns: [{ name: 'a word', pattern: 'redacted|word' }] })
    const { text } = redact('DB_PASSWORD=hunter2')
    expect(redact(text)).toEqual({ text, found: [] })
  })
})

describe('twice', () => {
  const pieces = [
    'password',
    'token',
    'API_KEY',
    'secret',
    'Authorization',
    'Bearer',
    'Cookie',
    'postgres',
    '-----',
    'PRIVATE KEY',
    '=',
    ': ',
    ' = ',
    '"',
    "'",
    '\\"',
    '\\',
    '\n',
    ' ',
    ',',
    ';',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '@',
    '://',
    '[redacted',
    '[redacted: token]',
    ' is ',
    'sk-',
    'ghp_',
    'a1b2c3d4e5f6a7b8c9d0',
    'hunter2',
    'x',
    '--',
    '-u ',
    '$',
    ...canaries.slice(0, 40).map(({ secret }) => secret),
  ]

  it('changes nothing more, whatever the text', () => {
    const own = createRedactor({ patterns: [{ name: 'token', pattern: 'a1b2|redacted|\\]' }] })
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), parts => {
        for (const redactor of [own, { redact }]) {
          const once = redactor.redact(parts.join('')).text
          expect(redactor.redact(once)).toEqual({ text: once, found: [] })
        }
      }),
      { numRuns: 3000, seed: 7 },
    )
  })
})
