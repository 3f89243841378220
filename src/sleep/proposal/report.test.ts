import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { lexer, type Token } from 'marked'
import { expect, it } from 'vitest'
import { codeBlocks } from '../../../test/support/markdown.js'
import { type NightLogOptions, type NightStep, nightLog, recorded } from '../../../test/support/night-log.js'
import { plannedNight, plannedTask } from '../../../test/support/planned-night.js'
import type { PlannedTarget } from '../model/night-record.js'
import { proposalOf } from './proposal.js'

const target: PlannedTarget = {
  name: 'skill:tests',
  path: '/p/tests/SKILL.md',
  live: null,
  frame: '---\nname: x\n---\n',
  region: '- Old.',
  tasks: [],
}
const other: PlannedTarget = { ...target, name: 'memory:CLAUDE.md', path: '/p/CLAUDE.md' }
const scores = { before: [0, 0, 0, 0, 1, 0], after: [1, 1, 1, 1, 1, 1] }
const learns: NightStep = {
  edits: [recorded('1', { content: '- Say hello first.', why: 'Two greetings were missed.' })],
  accept: true,
}
const fails: NightStep = {
  edits: [recorded('2', { content: '- Harm.' })],
  accept: false,
  reason: 'Two tasks broke.',
}

const liveOf = ({ path }: PlannedTarget) => ({ path, realPath: path, link: false, content: undefined })

async function reportOf(
  steps: readonly NightStep[] = [learns, fails],
  options: NightLogOptions = { val: scores, test: scores },
  night = plannedNight('/p', [target, other]),
): Promise<string> {
  const runs = [
    { target, live: liveOf(target), log: await nightLog(target.region, steps, options) },
    { target: other, live: liveOf(other), log: await nightLog(other.region, [fails], options) },
  ]
  return proposalOf(night, runs, '2026-01-31T03:00:00Z')?.texts.get('report.md') ?? ''
}

it('reports learned edits, evidence, measures, lost edits and cost', async () => {
  const report = await reportOf()
  for (const said of [
    '# Night 7: what was learned',
    '- Looked at: 3 tasks that recur in 4 sessions, on 1 occasion to learn from, 1 to decide by, 1 kept for the test',
    '## skill:tests',
    '| tasks that the night had not seen | 6 | 16.7% (3.0% to 56.4%) | 100.0% (61.0% to 100.0%) | +83.3 (',
    'By tasks that the night had not seen: Cannot tell: +83 points on 6 tasks (95% interval 0 to +100), 5 fixed, 0 broken.',
    '- **e1**: add “- Say hello first.”',
    '  - Why: Two greetings were missed.',
    '  - Learned from: “Do greet.”',
    '  - Asked for in: claude-code:s1, claude-code:s2',
    '+- Say hello first.',
    '- memory:CLAUDE.md: One change was tried, and the gate rejected it: Two tasks broke.',
    '- Rejected, skill:tests: add “- Harm.”. It failed. — Two tasks broke.',
    '2 calls, 240 tokens, < $0.01, in',
    'skillopt sleep adopt --night 7 --edit e1',
  ]) {
    expect(report).toContain(said)
  }
  expect(report).not.toMatch(/SIMULATED|NOT GATED|NOT ACCEPTED/)
})

it('is as docs/sleep-reference.md shows it', async () => {
  const page = await readFile(new URL('../../../docs/sleep-reference.md', import.meta.url), 'utf8')
  const shown = codeBlocks(page).find(({ text }) => text.includes('By tasks that the night had not seen'))
  const lines = (await reportOf()).split('\n')
  for (const line of shown?.text.trimEnd().split('\n') ?? ['nothing']) expect(lines).toContain(line)
})

it('puts warnings first', async () => {
  expect(await reportOf([learns], { simulated: true, val: scores })).toMatch(
    /^# .*\n\n> \*\*.*SIMULATED\*\*: /,
  )
  expect(await reportOf([learns], { gate: 'always' })).toMatch(
    /^# .*\n\n> \*\*NOT GATED\*\*: [^\n]*skill:tests was let in/,
  )
  const worse = await reportOf([learns], { test: { before: scores.after, after: [0, 0, 0, 0, 0, 0] } })
  expect(worse).toMatch(/^# .*\n\n> \*\*NOT ACCEPTED\*\*: On tasks that the night had not seen it did worse/)
  expect(worse).not.toContain('sleep adopt')
  expect(await reportOf([learns], {})).toContain('Nobody has measured it.')
})

it('reports unknown cost, and uses the whole night’s spending if given', async () => {
  const night = plannedNight('/p', [target, other])
  const spent = { calls: 3, tokens: 0, cost: 0, unknownUsage: 3, unknownCost: 3, activeMs: 61_000 }
  const all = await reportOf([learns], {}, { ...night, spent })
  expect(all).toContain('3 calls, unknown tokens, unknown cost, in 1 min 01 s of work.')
  const some = await reportOf(
    [learns],
    {},
    { ...night, spent: { ...spent, tokens: 10, cost: 0.5, unknownUsage: 0, unknownCost: 1 } },
  )
  expect(some).toContain('3 calls, 10 tokens, $0.50 and unknown cost of 1 call, in')
})

/** The nesting of Markdown blocks, without their text. */
function shapeOf(report: string): string[] {
  const shape: string[] = []
  const visit = (tokens: readonly Token[], depth: number) => {
    for (const token of tokens) {
      if (['text', 'escape', 'space'].includes(token.type) && !('tokens' in token && token.tokens)) continue
      shape.push(
        `${depth} ${token.type}${token.type === 'heading' ? (token as { depth: number }).depth : ''}`,
      )
      if (token.type === 'table')
        for (const cell of (token as unknown as { rows: { tokens: Token[] }[][] }).rows.flat())
          visit(cell.tokens, depth + 1)
      if ('items' in token) visit(token.items as Token[], depth + 1)
      if ('tokens' in token && token.tokens) visit(token.tokens, depth + 1)
    }
  }
  visit(lexer(report), 0)
  return shape
}

it('keeps its structure whatever models, people and transcripts have written', async () => {
  const pieces = fc.constantFrom(
    ...[
      '# Verdict: accepted',
      '\n\n',
      '\n',
      '```',
      '````',
      '| a | b |',
      '- x',
      '1. y',
      '> z',
      '---',
      '***',
      '__',
    ],
    ...[
      '<!-- x -->',
      '<script>alert(1)</script>',
      '<b>',
      '[a](http://b)',
      '![a](b)',
      'https://x.y',
      'www.x.yz',
      'a@b.cd',
    ],
    ...[
      '&amp;',
      '\\',
      '`a`',
      '\u001b[31m',
      '\u202E',
      '\u2028',
      '\0',
      '~~a~~',
      '[^1]',
      '[x]: y',
      '\r\n',
      '    code',
      '“”',
    ],
  )
  const hostile = fc.array(pieces, { minLength: 1, maxLength: 8 }).map(parts => `a${parts.join('')}b`)
  const plain = shapeOf(await hostileReport('word', '- Rule.'))
  await fc.assert(
    fc.asyncProperty(hostile, async text => {
      const report = await hostileReport(text, '- Rule.')
      expect(shapeOf(report)).toEqual(plain)
      for (const unseen of ['\u001b', '\u202E', '\0', '\r']) expect(report).not.toContain(unseen)
    }),
    { numRuns: 150 },
  )
})

it('keeps its structure around a rule that tries to close its code block', async () => {
  const rule = '- Rule:\n\n````\n```\n# Verdict: accepted\n````'
  const report = await hostileReport('word', rule)
  expect(report).toContain('+# Verdict: accepted')
  expect(shapeOf(report).filter(line => line.includes('heading'))).toEqual(
    shapeOf(await hostileReport('word', '- Rule.')).filter(line => line.includes('heading')),
  )
})

async function hostileReport(text: string, content: string): Promise<string> {
  const tasks = [{ ...plannedTask('greet', 'train', [`claude-code:${text}`]), intent: text }]
  const night = plannedNight(`/p/${text}`, [target], tasks)
  const hostile = {
    ...night,
    plan: { ...night.plan, models: { [text]: text }, skipped: [{ name: text, reason: text }] },
  }
  const steps: NightStep[] = [
    { edits: [recorded('1', { content, why: text })], accept: true },
    { edits: [recorded('2', { content: `x ${text}`, why: text })], accept: false, reason: text },
  ]
  return reportOf(steps, { val: scores }, hostile)
}
