import { describe, expect, it } from 'vitest'
import { type EventBody, type EventType, parseEvent, type RecordedEdit } from './event.js'

/**
 * Covers everything that a log event can hold: runs are read years later, so every written value must be
 * readable.
 */

const blob = '0123456789abcdef0123456789abcdef'
const skill = '0123456789abcdef'
const place = { stage: 'gate', epoch: 1, step: 2 } as const
const at = { epoch: 1, step: 2 } as const
const summary = { hard: 0.5, soft: 0.6, scored: 4, failed: 1 }
const interval = { mean: 0.5, low: 0.25, high: 0.75 }
const pairs = { improved: 1, regressed: 2, persistent: 3, stable: 4 }
const provenance = { id: 's2.f0.0', why: 'units', support: 2, tasks: ['a', 'b'] }

const edits: RecordedEdit[] = [
  { op: 'append', content: 'a', from: 'failure', ...provenance },
  { op: 'insert_after', target: 'a', content: 'b', from: 'success', ...provenance },
  { op: 'replace', target: 'a', content: 'b', from: 'failure', ...provenance },
  { op: 'delete', target: 'a', from: 'failure', ...provenance },
  { op: 'rewrite', content: 'a', summary: 'b', from: 'failure', ...provenance },
  { op: 'suggest', title: 'a', content: 'b', from: 'failure', ...provenance },
  { op: 'remind', content: 'a', from: 'unknown', ...provenance },
]
const someEdit: RecordedEdit = { op: 'append', content: 'a', from: 'failure', ...provenance }

const call: EventBody<'call.finished'> = {
  ...place,
  role: 'target',
  model: 'simulated/target',
  messages: [
    { role: 'system', blob },
    {
      role: 'user',
      parts: [
        { type: 'text', blob },
        { type: 'image', name: 'a.png', mediaType: 'image/png', bytes: 9, blob },
        { type: 'document', name: 'a.pdf', mediaType: 'application/pdf', bytes: 9, pages: 2, blob },
      ],
    },
    { role: 'assistant', text: '', toolCalls: [{ id: '1', name: 'add', arguments: '{}' }] },
    { role: 'tool', blob, toolCallId: '1' },
  ],
  reply: { role: 'assistant', text: 'four' },
  stop: 'stop',
  usage: { input: 1, output: 2, cachedInput: 3, cacheWrite: 4, reasoning: 5 },
  cost: 0.5,
  ms: 12,
  tries: 1,
}

const attempt: EventBody<'attempt.finished'> = {
  ...place,
  skill,
  task: 'a',
  type: 'sums',
  sample: 0,
  messages: [{ role: 'assistant', text: 'four' }],
  outcome: {
    status: 'scored',
    score: { hard: 1, soft: 0.5, feedback: 'fine', votes: [{ score: 1, reason: 'right' }] },
    stop: 'answered',
  },
  hidden: blob,
}

const gate: EventBody<'gate.decided'> = {
  ...at,
  what: 'step',
  candidate: skill,
  current: 0.5,
  score: 0.6,
  best: 0.5,
  action: 'accept_new_best',
  verdict: { decision: 'accept', effect: interval, complete: true, reason: 'it rose' },
}

const started: EventBody<'run.started'> = {
  log: 1,
  kind: 'train',
  run: 'sample',
  product: '0.1.0',
  config: { train: { epochs: 2 } },
  sources: { 'train.epochs': 'flag' },
  fingerprints: { environment: 'abc' },
  simulated: true,
  seedSkill: blob,
  tasks: { train: 1, val: 2, test: 3 },
  epochs: 2,
  stepsPerEpoch: 3,
  forkedFrom: 'other',
  importedFrom: 'outputs/run-7',
}

const report = { edit: 's2.f0.0', status: 'applied', match: 'exact', reason: '' } as const
const updated = { ...at, skill, text: blob }
const slow: EventBody<'slow-update.finished'> = {
  epoch: 1,
  pairs,
  guidance: 'be exact',
  reasoning: 'it helps',
  outcome: 'placed',
}
const test: EventBody<'test.finished'> = {
  which: 'best',
  skill,
  ...summary,
  score: 0.5,
  interval,
  types: [{ type: 'sums', ...summary, interval }],
}
const reserved = { input: 1, output: 2, cost: 3 }
const failedCall = { ...place, role: 'judge', try: 2, kind: 'server', message: 'overloaded' } as const

/** Each list covers every field of the event and every value of its enums. */
const samples: { readonly [T in EventType]: readonly EventBody<T>[] } = {
  'run.started': (['train', 'eval', 'baseline', 'judge-check', 'gate-check', 'probe', 'mine'] as const).map(
    kind => ({ ...started, kind }),
  ),
  'session.started': [{ pid: 1, resumed: true, limits: { maxCalls: 3 } }],
  'stage.started': (
    [
      'baseline',
      'rollout',
      'reflect',
      'aggregate',
      'select',
      'update',
      'gate',
      'slow-update',
      'meta-skill',
      'one-shot',
      'test',
      'mine',
      'dream',
    ] as EventBody<'stage.started'>['stage'][]
  ).map(stage => ({ ...place, stage, total: 3 })),
  'step.started': [
    { ...at, budget: 3, tasks: ['a'], skill },
    { ...at, tasks: [], skill },
  ],
  'call.started': (['optimizer', 'target', 'judge'] as const).map(role => ({
    ...place,
    role,
    try: 1,
    reserved,
  })),
  'call.failed': [failedCall, { ...failedCall, charged: reserved, retryInMs: 500 }],
  'call.finished': (['stop', 'length', 'tool-calls', 'content-filter', 'context-overflow'] as const).map(
    stop => ({ ...call, stop }),
  ),
  'calls.summed': [
    { ...place, role: 'target', calls: 9, input: 100, output: 20 },
    { ...place, role: 'optimizer', calls: 9 },
  ],
  'attempt.finished': [
    { ...attempt, outcome: { status: 'failed', failure: { kind: 'server', message: 'overloaded' } } },
    ...(
      [
        'answered',
        'turn-limit',
        'time-limit',
        'output-limit',
        'context-overflow',
        'refusal',
        'unknown',
      ] as const
    ).map(stop => ({
      ...attempt,
      outcome: { status: 'scored', score: { hard: 1, soft: 1, feedback: '' }, stop } as const,
    })),
    attempt,
  ],
  'attempt.failed': [{ ...place, skill, task: 'a', sample: 0, kind: 'server', message: 'overloaded' }],
  'optimizer.failed': [{ ...place, message: 'no JSON' }],
  'rollout.finished': [{ ...at, round: 0, ...summary }],
  'reflect.finished': [
    {
      ...at,
      patches: [
        {
          from: 'failure',
          tasks: ['a'],
          reasoning: 'why',
          patterns: [{ type: 'units', count: 2, description: 'forgets them' }],
          edits,
          reminders: edits,
        },
        { from: 'success', tasks: [], reasoning: '', patterns: [], edits: [] },
      ],
      failed: 1,
    },
  ],
  'aggregate.finished': [{ ...at, edits, reminders: [someEdit], failed: 0 }],
  'rate.decided': [
    { ...at, budget: 1, scheduled: 2, of: 3, reasoning: 'few', confidence: 0.5, risks: 'none', failed: 0 },
  ],
  'select.finished': [{ ...at, budget: 1, edits: [someEdit], dropped: ['s2.f0.1'], failed: 0 }],
  'rewrite.finished': [{ ...at, edit: someEdit, failed: 0 }],
  'appendix.consolidated': [{ ...at, before: 9, notes: ['a'], reasoning: 'fewer', failed: 0 }],
  'update.finished': [
    {
      ...updated,
      reports: [
        ...(['applied', 'unmatched', 'refused', 'empty'] as const).map(status => ({ ...report, status })),
        { ...report, match: 'tolerant' },
      ],
    },
  ],
  'evaluation.finished': (['train', 'val', 'test'] as const).map(split => ({
    ...place,
    skill,
    split,
    ...summary,
    score: 0.5,
    rows: blob,
  })),
  'skills.named': [{ skills: [{ name: 'best_skill.md', skill, text: blob }] }],
  'gate.decided': [
    { ...gate, rows: blob },
    ...(['step', 'slow-update', 'last', 'checkpoint', 'final'] as const).map(what => ({ ...gate, what })),
    ...(['accept_new_best', 'accept', 'reject', 'abstain'] as const).map(action => ({ ...gate, action })),
    ...(['accept', 'reject', 'underpowered', 'abstain'] as const).map(decision => ({
      ...gate,
      verdict: { ...gate.verdict, decision },
    })),
  ],
  'trials.admitted': [
    {
      ...at,
      edits: [{ ...edits[0], slot: 'cause', concerned: 12 } as never],
      known: 1,
      full: 0,
      unusable: 0,
    },
  ],
  'trials.classified': [
    { ...at, shown: 160, causes: [{ cause: 'cause', all: false, tasks: ['a', 'b'] }], failed: 0 },
  ],
  'trials.designed': [{ ...at, variants: [{ skill, text: blob, edits: ['s2.f0.0'], attempts: 3 }] }],
  'edit.decided': (['accepted', 'dropped', 'taken-back', 'pruned', 'kept'] as const).map(decision => ({
    ...at,
    edit: 's2.f0.0',
    decision,
    effect: interval,
    elsewhere: interval,
    helps: 0.95,
    trials: 9,
    tasks: 5,
    reason: 'It helps.',
  })),
  'gain.measured': [
    { ...at, from: 1, gain: 0.02, attempts: 160, spent: 1.5 },
    { ...at, from: 1, gain: 0.02, attempts: 160 },
  ],
  'step.finished': (
    ['accepted', 'rejected', 'abstained', 'no-edits', 'nothing-applied', 'optimizer-failed'] as const
  ).map(outcome => ({ ...at, outcome, skill })),
  'skill.version': [{ version: 1, skill, text: blob, origins: blob, score: 0.5, because: 'step 1' }],
  'best.changed': [{ version: 1, skill, text: blob, origins: blob, score: 0.5 }],
  'slow-update.finished': (
    ['placed', 'accepted', 'rejected', 'abstained', 'forced', 'failed', 'unchanged', 'proposed'] as const
  ).map(outcome => ({ ...slow, outcome })),
  'meta-skill.finished': [{ epoch: 1, content: 'short edits', reasoning: 'they help' }],
  'test.finished': (['none', 'initial', 'best', 'last', 'one-shot', 'trained'] as const).map(which => ({
    ...test,
    which,
  })),
  'one-shot.finished': [{ skill, text: blob, summary: 'all new' }],
  'comparison.finished': [
    {
      trained: 'run-1',
      pairs: [{ which: 'trained', against: 'one-shot', tasks: 9, better: 3, worse: 2, difference: interval }],
    },
  ],
  'task.mined': [
    {
      status: 'written',
      cluster: 'c1',
      intent: 'Write the notes of a release.',
      rubric: ['It names every change.'],
      checks: [{ op: 'no_refusal', arg: true }],
      dropped: ['contains "done": whoever writes it passes'],
    },
    { status: 'skipped', cluster: 'c1', reason: 'They have nothing in common.' },
    { status: 'failed', cluster: 'c1', problem: 'it holds no JSON object' },
  ],
  'task.dreamed': [
    { status: 'written', task: 'notes', variants: ['Write them for 2.0.'], dropped: ['“”: it has no text'] },
    { status: 'skipped', task: 'notes', reason: 'nothing can score it' },
    { status: 'failed', task: 'notes', problem: 'it holds no JSON object' },
  ],
  'mining.finished': [{ written: 2, skipped: 1, failed: 0 }],
  'run.finished': [{ best: 1, last: 2, score: 0.5 }],
  'run.stopped': (['paused', 'cap', 'interrupted', 'failed'] as const).map(reason => ({
    reason,
    message: 'waits',
    hint: 'run it again',
  })),
}

const types = Object.keys(samples) as EventType[]

describe('parseEvent', () => {
  it.each(types)('reads %s as it was written, in every form', type => {
    for (const body of samples[type]) {
      const event = { seq: 1, at: 2, type, key: 'step 1', body }
      expect(parseEvent(JSON.parse(JSON.stringify(event)))).toEqual(event)
    }
  })

  it.each(types)('refuses a %s without its fields, or with a number where a word belongs', type => {
    expect(() => parseEvent({ seq: 1, at: 2, type, body: {} })).toThrow()
    for (const body of samples[type]) {
      const spoiled = Object.fromEntries(
        Object.entries(body).map(([name, value]) => [name, typeof value === 'string' ? 7 : 'word']),
      )
      expect(() => parseEvent({ seq: 1, at: 2, type, body: spoiled })).toThrow()
    }
  })

  it.each([
    ['of an unknown type', { type: 'run.paused' }],
    ['before the first', { seq: -1 }],
    ['without a time', { at: undefined }],
    ['with a key that is no text', { key: 7 }],
  ])('refuses an event %s', (_what, wrong) => {
    const event = { seq: 0, at: 2, type: 'run.finished', body: { best: 1, last: 2, score: 0.5 } }
    expect(parseEvent(event)).toEqual(event)
    expect(() => parseEvent({ ...event, ...wrong })).toThrow()
  })

  it.each([blob.slice(1), `${blob}0`, blob.toUpperCase(), `${blob.slice(1)}g`, `../${blob}`])(
    'refuses %s as the name of a text: it becomes the name of a file',
    wrong => {
      const body = { version: 1, skill, text: wrong, origins: blob, score: 0.5 }
      expect(() => parseEvent({ seq: 0, at: 2, type: 'best.changed', body })).toThrow()
    },
  )
})
