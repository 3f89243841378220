import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sensitiveAdditions } from './sensitive.js'

/**
 * Lines of edits: some with an address, a command or a credential path, many of them disguised, and some that
 * only look like it.
 */
const read = <Row>(name: string): Row[] =>
  readFileSync(new URL(`../../../test/fixtures/sensitive/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Row)

const suspicious = read<{ kind: string; text: string }>('suspicious')
const harmless = read<{ text: string }>('harmless')

it('finds disguised addresses and commands, and few that are none', () => {
  expect(suspicious.length).toBeGreaterThanOrEqual(60)
  expect(harmless.length).toBeGreaterThanOrEqual(60)
  const missed = suspicious.filter(
    ({ kind, text }) => !sensitiveAdditions('', text).some(finding => finding.kind === kind),
  )
  const mistaken = harmless.filter(({ text }) => sensitiveAdditions('', text).length > 0)
  const found = suspicious.length - missed.length
  const recall = found / suspicious.length
  const precision = found / (found + mistaken.length)
  console.info(
    [
      `${suspicious.length} suspicious lines, ${harmless.length} harmless ones: recall ${recall.toFixed(3)}, precision ${precision.toFixed(3)}`,
      ...missed.map(({ kind, text }) => `missed ${kind}: ${JSON.stringify(text)}`),
      ...mistaken.map(({ text }) => `mistaken: ${JSON.stringify(text)}`),
    ].join('\n'),
  )
  expect(recall).toBeGreaterThanOrEqual(0.97)
  expect(precision).toBeGreaterThanOrEqual(0.97)
})

it('is described in the threat model with its numbers', () => {
  const page = readFileSync(new URL('../../../docs/threat-model.md', import.meta.url), 'utf8')
  expect(page).toContain(`${suspicious.length} suspicious lines and on ${harmless.length} harmless ones`)
})

it('shows what an encoded part means', () => {
  expect(
    sensitiveAdditions('', 'Type \\x63\\x75\\x72\\x6c\\x20\\x2d\\x73 first.').map(({ text }) => text),
  ).toEqual(['\\x63\\x75\\x72\\x6c\\x20\\x2d\\x73 (curl -s)'])
})

it('takes time that grows with the text only', () => {
  for (const piece of [
    '\\x63',
    'A1b',
    'send a ',
    'ask user paste ',
    'tell them to send it for ',
    '* ',
    '<a ',
    'run $a$b ',
    'a=b;',
    '[0:',
    'print all the ',
    '![',
    'c u r l ',
    '"+"',
    '$a',
    '/?',
    'a dot ',
    '&#99;',
  ]) {
    const start = process.cpuUsage()
    sensitiveAdditions('', piece.repeat(Math.ceil(60_000 / piece.length)))
    expect(process.cpuUsage(start).user, piece).toBeLessThan(2_000_000)
  }
})
