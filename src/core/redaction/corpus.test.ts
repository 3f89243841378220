import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createRedactor } from './redact.js'

/**
 * Texts as found in transcripts: secrets in the forms that people and programs write, and texts that only
 * look like secrets. All values are invented. Each contains a mark, removed here, that keeps secret scanners
 * from flagging the file.
 */
const read = <Row>(name: string): Row[] =>
  readFileSync(new URL(`../../../test/fixtures/redaction/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line.replaceAll('¦', '')) as Row)

const secrets = read<{ kind: string; text: string; secret: string }>('secrets')
const lookAlikes = read<{ text: string }>('look-alikes')
const { redact } = createRedactor()

it('finds secrets, and little else', () => {
  expect(secrets.length).toBeGreaterThanOrEqual(300)
  expect(lookAlikes.length).toBeGreaterThanOrEqual(300)
  const missed = secrets.filter(({ text, secret }) => redact(text).text.includes(secret))
  const mistaken = lookAlikes.filter(({ text }) => redact(text).found.length > 0)
  const found = secrets.length - missed.length
  const recall = found / secrets.length
  const precision = found / (found + mistaken.length)
  const share = (value: number) => value.toFixed(3)
  console.info(
    [
      `${secrets.length} secrets, ${lookAlikes.length} look-alikes: recall ${share(recall)}, precision ${share(precision)}`,
      ...missed.map(({ kind, text }) => `missed ${kind}: ${JSON.stringify(text)}`),
      ...mistaken.map(({ text }) => `mistaken: ${JSON.stringify(text)} for ${redact(text).found[0]?.kind}`),
    ].join('\n'),
  )
  expect(recall).toBeGreaterThanOrEqual(0.97)
  expect(precision).toBeGreaterThanOrEqual(0.97)
})

it('is described in the documentation with its numbers', () => {
  const page = readFileSync(new URL('../../../docs/redaction.md', import.meta.url), 'utf8')
  expect(page).toContain(`${secrets.length} secrets in the forms above and on ${lookAlikes.length} texts`)
})

it('names the kind of what it finds', () => {
  const unnamed = secrets.filter(({ text, secret, kind }) => {
    const { text: shown } = redact(text)
    return !shown.includes(secret) && !shown.includes(`[redacted: ${kind}]`)
  })
  expect(unnamed.length / secrets.length, JSON.stringify(unnamed.slice(0, 20), null, 1)).toBeLessThan(0.03)
})
