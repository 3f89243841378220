import type { EventBody, RecordedEdit } from '../../src/core/log/event.js'
import { LogBuilder } from './sample-run.js'

/**
 * Injection texts, and runs full of them. Each starts with a mark of its location, so that a test can check
 * that a page shows it; each would add to `ran`, or request something from `evil.example`.
 */

export const markOf = (where: string): string => `«${where}»`

const hidden = '\u202Egnp.exe\u202C\u200B\u2066\u00AD\uFEFF'
const terminal = '\u001b[31mred\u001b]8;;http://evil.example\u0007'

/** Short enough for a name that becomes part of a URL. */
const tricks = (where: string): readonly string[] => [
  `<script>ran.push('${where}')</script>`,
  `<img src=x onerror="ran.push('${where}')">`,
  `"><svg onload="ran.push('${where}')">`,
  `[a](javascript:ran.push('${where}'))`,
  `![p](http://evil.example/p)`,
  hidden,
]

const moreTricks = (where: string): readonly string[] => [
  `</script></style></title></textarea>--><script>ran.push('${where}')</script>`,
  `<iframe srcdoc="<script>parent.ran.push('${where}')</script>"></iframe>`,
  '<iframe src="http://evil.example/frame"></iframe><object data="http://evil.example/o"></object>',
  '<style>* { display: none; background: url(http://evil.example/style) }</style>',
  '<link rel="stylesheet" href="http://evil.example/s.css"><meta http-equiv="refresh" content="0;url=http://evil.example/">',
  `<base href="http://evil.example/"><form action="http://evil.example/"><button autofocus onfocus="ran.push('${where}')">`,
  `<details open ontoggle="ran.push('${where}')"><math href="javascript:ran.push('${where}')">x</math></details>`,
  `[data](data:text/html,<script>ran.push('${where}')</script>) [ref][evil] <javascript:ran.push('${where}')>`,
  '[evil]: javascript:ran.push(1) "title"',
  '<http://evil.example/auto> http://evil.example/bare www.evil.example someone@evil.example',
  '![picture](http://evil.example/picture.png "t") ![d](data:image/svg+xml,<svg/onload=ran.push(1)>)',
  '[relative](//evil.example/x) [up](../../api/session) [spaced](  java\tscript:ran.push(1) )',
  `{{constructor.constructor('ran.push(1)')()}} \${ran.push(1)} <%= ran.push(1) %> #{ran.push(1)}`,
  '| a | b |\n| - | - |\n| <img src=x onerror=ran.push(1)> | [c](vbscript:ran.push(1)) |',
  '&lt;script&gt;ran.push(1)&lt;/script&gt; &#60;img src=x onerror=ran.push(1)&#62; &#x3c;svg&#x3e;',
  '```html\n<script>ran.push(1)</script>\n```\n\n~~~\n</code></pre><script>ran.push(1)</script>',
  '~~~',
  terminal,
  `${'> '.repeat(60)}deep`,
  'wide'.repeat(2000),
]

export const hostileLine = (where: string): string => `${markOf(where)} ${tricks(where).join(' ')}`

export const hostileText = (where: string): string =>
  [markOf(where), ...tricks(where), ...moreTricks(where)].join('\n\n')

const skillText = (where: string) =>
  `---\nname: "${hostileLine(`${where} name`)}"\ndescription: </script><script>ran.push(1)</script>\n---\n# ${hostileLine(`${where} title`)}\n\n${hostileText(where)}\n`

const tasks = ['one', 'two'].map(task => hostileLine(`task ${task}`))
const seed = 'a'.repeat(16)
/** In a forged log, this field may contain anything too. */
const candidate = hostileLine('hash')

const started = (log: LogBuilder, kind: EventBody<'run.started'>['kind']): EventBody<'run.started'> => ({
  log: 1,
  kind,
  run: hostileLine('run'),
  product: hostileLine('product'),
  simulated: false,
  config: {
    name: hostileLine('config name'),
    environment: { use: hostileLine('environment'), [hostileLine('key')]: [hostileText('list')] },
    models: {
      target: { model: hostileLine('target model'), endpoint: 'javascript:ran.push(1)' },
      optimizer: hostileLine('optimizer model'),
    },
    train: { epochs: 1, batchSize: 2, accumulation: 1, seed: 42 },
    gate: { use: hostileLine('gate') },
  },
  sources: { name: hostileLine('source'), 'train.epochs': hostileLine('source epochs') },
  fingerprints: { [hostileLine('print')]: hostileLine('print') },
  seedSkill: log.put(skillText('seed')),
  tasks: { train: 2, val: 2, test: 2 },
  epochs: 1,
  stepsPerEpoch: 1,
})

/** A log, with the attempts and the task that tests read, and the hashes of its skills. */
export interface HostileTraining {
  readonly log: LogBuilder
  readonly attempt: number
  readonly failed: number
  readonly task: string
  readonly skills: { readonly current: string; readonly candidate: string }
}

/** One accepted step, ended by a failure; every free text in it is hostile. */
export function hostileTraining(): HostileTraining {
  const log = new LogBuilder()
  const at = { epoch: 1, step: 1 }
  const texts = { seed: skillText('seed'), best: `${skillText('seed')}\n${hostileText('learned')}\n` }
  const origins = [{ length: texts.seed.length, origin: 'seed' }]
  const learned = { length: texts.best.length - texts.seed.length, origin: hostileLine('edit id') }
  const versions = {
    seed: { skill: seed, text: log.put(texts.seed), origins: log.put(JSON.stringify(origins)) },
    best: {
      skill: candidate,
      text: log.put(texts.best),
      origins: log.put(JSON.stringify([...origins, learned])),
    },
  }
  const row = { type: hostileLine('type'), sample: 0, hard: 1, soft: 1 }
  const rows = log.put(tasks.map(task => JSON.stringify({ task, ...row })).join('\n'))
  const place = (stage: 'baseline' | 'rollout' | 'gate') =>
    stage === 'baseline' ? { stage, epoch: 0, step: 0 } : { stage, ...at }

  const attemptAll = (stage: 'baseline' | 'rollout' | 'gate', skill: string, hard: number) => {
    log.add('stage.started', { ...place(stage), total: 2 })
    for (const task of tasks) {
      log.call(stage, place(stage).epoch, place(stage).step, { model: hostileLine('model') })
      log.add('attempt.finished', {
        ...place(stage),
        skill,
        task,
        type: hostileLine('type'),
        sample: 0,
        hidden: log.put(hostileText('hidden')),
        messages: [
          { role: 'system', text: hostileText('system') },
          { role: 'user', text: hostileText('question') },
          {
            role: 'assistant',
            text: hostileText('answer'),
            toolCalls: [
              { id: hostileLine('call id'), name: hostileLine('tool'), arguments: hostileText('arguments') },
              {
                id: 'c2',
                name: 'bash',
                arguments: JSON.stringify({ [hostileLine('argument')]: '</script>' }),
              },
            ],
          },
          { role: 'tool', text: hostileText('tool answer'), toolCallId: hostileLine('call id') },
          { role: 'assistant', blob: log.put(hostileText('last word')) },
        ],
        outcome: {
          status: 'scored',
          stop: 'answered',
          score: {
            hard,
            soft: hard,
            feedback: hostileText('feedback'),
            votes: [{ score: hard, reason: hostileText('vote') }],
          },
        },
      })
    }
    return log.events.length - 1
  }

  log.add('run.started', { ...started(log, 'train'), forkedFrom: hostileLine('forked from') })
  log.add('session.started', {
    pid: 999_999_999,
    resumed: false,
    limits: { maxCalls: 100 },
    agents: { target: hostileLine('agent') },
  })
  log.add('skill.version', { version: 0, ...versions.seed, because: hostileLine('because') })
  attemptAll('baseline', seed, 0)
  const scored = (score: number) => ({ hard: score, soft: score, scored: 2, failed: 0, score, rows })
  log.add('evaluation.finished', { ...place('baseline'), skill: seed, split: 'val', ...scored(0) })
  log.add('best.changed', { version: 0, ...versions.seed, score: 0 })

  log.add('step.started', { ...at, budget: 2, tasks, skill: seed })
  const attempt = attemptAll('rollout', seed, 0)
  const problem = { kind: hostileLine('kind'), message: hostileText('failure') }
  log.add('attempt.failed', {
    stage: 'rollout',
    ...at,
    skill: seed,
    task: tasks[0] ?? '',
    sample: 1,
    ...problem,
  })
  const failed = log.events.length - 1
  log.add('call.failed', { stage: 'reflect', ...at, role: 'optimizer', try: 1, ...problem })
  log.add('optimizer.failed', { stage: 'reflect', ...at, message: hostileText('optimizer failure') })
  log.add('rollout.finished', { ...at, round: 0, hard: 0, soft: 0, scored: 2, failed: 1 })
  log.add('stage.started', { stage: 'reflect', ...at, total: 1 }).call('reflect', 1, 1)
  const edits = editsOf()
  log.add('reflect.finished', {
    ...at,
    failed: 1,
    patches: [
      {
        from: 'failure',
        tasks,
        reasoning: hostileText('reasoning'),
        edits,
        patterns: [{ type: hostileLine('pattern'), count: 2, description: hostileText('pattern text') }],
      },
    ],
  })
  log.add('aggregate.finished', { ...at, edits, failed: 0 })
  log.add('rate.decided', {
    ...at,
    budget: 2,
    scheduled: 4,
    of: 3,
    reasoning: hostileText('rate'),
    failed: 0,
    risks: hostileText('risks'),
  })
  const [kept, lost, dropped] = edits.map(({ id }) => id)
  log.add('select.finished', {
    ...at,
    budget: 2,
    edits: edits.slice(0, 2),
    dropped: [dropped ?? ''],
    failed: 0,
  })
  log.add('update.finished', {
    ...at,
    skill: candidate,
    text: versions.best.text,
    reports: [
      { edit: kept ?? '', status: 'applied', reason: hostileLine('applied') },
      { edit: lost ?? '', status: 'unmatched', reason: hostileLine('unmatched') },
    ],
  })
  attemptAll('gate', candidate, 1)
  log.add('evaluation.finished', { ...place('gate'), skill: candidate, split: 'val', ...scored(1) })
  log.add('gate.decided', {
    ...at,
    what: 'step',
    candidate,
    current: 0,
    score: 1,
    best: 0,
    action: 'accept_new_best',
    rows,
    verdict: { decision: 'accept', complete: true, reason: hostileText('verdict') },
  })
  log.add('step.finished', { ...at, outcome: 'accepted', skill: candidate })
  log.add('skill.version', { version: 1, ...versions.best, score: 1, because: hostileLine('because best') })
  log.add('best.changed', { version: 1, ...versions.best, score: 1 })
  log.add('slow-update.finished', {
    epoch: 1,
    guidance: hostileText('guidance'),
    reasoning: hostileText('slow reasoning'),
    outcome: 'placed',
  })
  log.add('meta-skill.finished', {
    epoch: 1,
    content: hostileText('meta skill'),
    reasoning: hostileText('meta reasoning'),
  })
  log.add('run.stopped', { reason: 'failed', message: hostileText('stop'), hint: hostileText('hint') })
  return { log, attempt, failed, task: tasks[1] ?? '', skills: { current: seed, candidate } }
}

function editsOf(): RecordedEdit[] {
  const about = (id: string) => ({
    id,
    why: hostileText('why'),
    support: 2,
    from: 'failure' as const,
    tasks: [...tasks],
  })
  return [
    { op: 'append', content: hostileText('learned'), ...about(hostileLine('edit id')) },
    { op: 'replace', target: hostileText('target'), content: hostileText('content'), ...about('1.1') },
    { op: 'suggest', title: hostileLine('suggestion'), content: hostileText('suggested'), ...about('1.2') },
  ]
}

/** A run whose settings name an existing project, so that it can be forked. */
export function hostileFork(config: EventBody<'run.started'>['config']): LogBuilder {
  const log = new LogBuilder()
  log.add('run.started', { ...started(log, 'train'), run: hostileLine('forked run'), config })
  log.add('session.started', { pid: 999_999_999, resumed: false, limits: {} })
  const origins = log.put(JSON.stringify([{ length: 1, origin: 'seed' }]))
  const version = { version: 0, skill: seed, text: log.put(skillText('seed')), origins }
  log.add('skill.version', { ...version, because: hostileLine('because') })
  return log.add('run.finished', { best: 0, last: 0, score: 1 })
}

/** An evaluation of two skills with hostile names. */
export function hostileEvaluation(): LogBuilder {
  const log = new LogBuilder()
  log.add('run.started', started(log, 'eval'))
  log.add('session.started', { pid: 999_999_999, resumed: false, limits: {} })
  const skills = ['left', 'right'].map(name => ({
    name: hostileLine(`skill ${name}`),
    skill: hostileLine(`hash ${name}`),
    text: log.put(skillText(name)),
  }))
  log.add('skills.named', { skills })
  log.add('stage.started', { stage: 'test', epoch: 0, step: 0, total: 4 })
  for (const [index, { skill }] of skills.entries()) {
    for (const task of tasks) log.attempt('test', 0, 0, task, index, skill)
    const scores = tasks.map(task => ({
      task,
      type: hostileLine('type'),
      sample: 0,
      hard: index,
      soft: index,
    }))
    log.add('evaluation.finished', {
      stage: 'test',
      epoch: 0,
      step: 0,
      skill,
      split: 'val',
      hard: index,
      soft: index,
      scored: 2,
      failed: 0,
      score: index,
      rows: log.put(scores.map(score => JSON.stringify(score)).join('\n')),
    })
  }
  return log.add('run.finished', { best: 0, last: 0, score: 1, because: hostileLine('finished because') })
}

export function hostileMining(): LogBuilder {
  const log = new LogBuilder()
  log.add('run.started', started(log, 'mine'))
  log.add('session.started', { pid: 999_999_999, resumed: false, limits: {} })
  log.add('stage.started', { stage: 'mine', epoch: 0, step: 0, total: 3 })
  log.add('task.mined', {
    status: 'written',
    cluster: hostileLine('cluster'),
    intent: hostileText('intent'),
    rubric: [hostileText('rubric')],
    checks: [{ op: 'contains', arg: hostileText('check') }],
    dropped: [hostileText('dropped check')],
  })
  log.add('task.mined', { status: 'skipped', cluster: 'c2', reason: hostileText('skipped') })
  log.add('task.mined', { status: 'failed', cluster: 'c3', problem: hostileText('mining problem') })
  return log.add('mining.finished', { written: 1, skipped: 1, failed: 1 })
}
