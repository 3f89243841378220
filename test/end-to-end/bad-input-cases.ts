import { appendFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { put, textOf } from './support.js'

/** Common user mistakes, with the expected messages. */

export interface Case {
  /** Breaks a working project that has a finished run in `run`. */
  readonly spoil?: (folder: string) => Promise<unknown>
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly says: RegExp
}

const train = ['train', '--out', 'new'] as const
/** Replaces text in a file; the text must be there. */
export const replace = (name: string, from: RegExp, to: string) => async (folder: string) => {
  const before = await textOf(folder, name)
  expect(before).toMatch(from)
  await writeFile(
    join(folder, name),
    before.replace(from, () => to),
  )
}
const append = (name: string, text: string) => (folder: string) => appendFile(join(folder, name), text)
const config = (from: RegExp, to: string) => replace('skillopt.yaml', from, to)
const task = (fields: object) => `${JSON.stringify({ question: 'How much?', answer: '1', ...fields })}\n`

export const cases: Readonly<Record<string, Case>> = {
  'an unknown key, with the nearest one': {
    spoil: config(/epochs: 1/, 'epochz: 1'),
    args: train,
    says: /train\.epochz is not an option \(skillopt\.yaml:\d+\); did you mean train\.epochs\?/,
  },
  'an unknown section': {
    spoil: append('skillopt.yaml', 'limitz: { maxCalls: 3 }\n'),
    args: train,
    says: /limitz is not an option .*did you mean limits\?/,
  },
  'a value of the wrong kind': {
    spoil: config(/epochs: 1/, 'epochs: many'),
    args: train,
    says: /train\.epochs must be a whole number above 0, but is "many" \(skillopt\.yaml:\d+\)/,
  },
  'a config that is not YAML': {
    spoil: append('skillopt.yaml', 'a: [1\n'),
    args: train,
    says: /skillopt\.yaml is not valid YAML, line \d+/,
  },
  'a folder without a config': { args: ['train', 'tasks'], says: /The folder tasks has no skillopt\.yaml/ },
  'a secret in the config': {
    spoil: append('skillopt.yaml', 'name2: x\napiKey: hidden-4711\n'),
    args: train,
    says: /apiKey .*holds a secret/,
  },
  'a missing skill': {
    spoil: folder => rm(join(folder, 'SKILL.md')),
    args: train,
    says: /The skill SKILL\.md cannot be read: there is no such file/,
  },
  'unbalanced markers in the skill': {
    spoil: append('SKILL.md', '\n<!-- SLOW_UPDATE_START -->\nHalf a region.\n'),
    args: train,
    says: /SKILL\.md.*(SLOW_UPDATE|marker)/,
  },
  'an empty split': {
    spoil: folder => writeFile(join(folder, 'tasks/val.jsonl'), '\n'),
    args: train,
    says: /The split "val" is empty/,
  },
  'a missing data file': {
    spoil: folder => rm(join(folder, 'tasks/test.jsonl')),
    args: train,
    says: /test\.jsonl does not exist/,
  },
  'ids that stand in two splits': {
    spoil: append('tasks/val.jsonl', task({ id: 'train-002' })),
    args: train,
    says: /The splits overlap: train-002 \(train and val\)/,
  },
  'ids that stand twice in one': {
    spoil: append('tasks/train.jsonl', task({ id: 'train-001' })),
    args: train,
    says: /Two tasks have the same id: train-001 \(train\)/,
  },
  'the same question in two splits under other ids': {
    spoil: async folder => {
      await append('tasks/train.jsonl', task({ id: 'mine' }))(folder)
      await append('tasks/test.jsonl', task({ id: 'yours' }))(folder)
    },
    args: train,
    says: /The same task stands in two splits.*mine \(train\) = yours \(test\)/,
  },
  'an unknown provider': {
    spoil: config(/simulated\/target/, 'opnai/gpt-5-mini'),
    args: train,
    says: /opnai/,
  },
  'a model that its provider does not have': {
    spoil: config(/simulated\/target/, 'simulated/targett'),
    args: train,
    says: /Unknown model: simulated\/targett/,
  },
  'an unknown scorer': {
    spoil: config(/use: tasks/, 'use: tasks\n  scorer: exactly'),
    args: train,
    says: /exactly/,
  },
  'an unknown option of a scorer': {
    spoil: config(/use: tasks/, 'use: tasks\n  scorer: { name: exact, tolerence: 1 }'),
    args: train,
    says: /tolerence/,
  },
  'a scorer whose field the tasks do not have': {
    spoil: append('tasks/train.jsonl', '{"id":"bare","question":"And now?"}\n'),
    args: train,
    says: /train\.jsonl, line 5 .*answer/,
  },
  'an unknown environment': {
    spoil: config(/use: tasks/, 'use: serchqa'),
    args: train,
    says: /unknown environment "serchqa"; did you mean searchqa\?/,
  },
  'an environment file that cannot be loaded': {
    spoil: async folder => {
      await put(folder, 'mine.ts', 'export default {{{')
      await config(/use: tasks/, 'use: ./mine.ts')(folder)
    },
    args: [...train, '--trust'],
    says: /environment\.use: cannot load \.\/mine\.ts/,
  },
  'cfg-options without a value': {
    args: [...train, '--cfg-options', 'train.epochs'],
    says: /--cfg-options takes section\.key=value/,
  },
  'cfg-options with an unknown key': {
    args: [...train, '--cfg-options', 'train.epoch=2'],
    says: /train\.epoch is not an option.*did you mean train\.epochs\?/,
  },
  'a cap of nothing': { args: [...train, '--max-calls', '0'], says: /--max-calls.*whole number above 0/ },
  'an unknown flag': { args: [...train, '--max-call', '3'], says: /unknown option '--max-call'/ },
  'a missing key': {
    spoil: config(
      /simulated\/target/,
      'openai-compatible/x\n    endpoint: http://127.0.0.1:9/v1\n    apiKeyEnv: NO_SUCH_KEY',
    ),
    args: train,
    says: /openai-compatible\/x needs an API key; NO_SUCH_KEY is not set/,
  },
  'a missing key of a well-known provider': {
    spoil: config(/simulated\/target/, 'anthropic/claude-sonnet-4-5'),
    args: [...train, '--yes'],
    says: /needs an API key; ANTHROPIC_API_KEY and .* are not set/,
  },
  'paid calls that nobody agreed to': {
    spoil: config(/simulated\/target/, 'openai-compatible/x\n    endpoint: http://127.0.0.1:9/v1'),
    args: train,
    says: /needs your consent, but there is no terminal to ask/,
  },
  'an environment variable that names no option': {
    args: train,
    env: { SKILLOPT_TRAIN_EPOCH: '3' },
    says: /SKILLOPT_TRAIN_EPOCH names no option; did you mean SKILLOPT_TRAIN_EPOCHS\?/,
  },
  'other settings than the run began with': {
    args: ['train', '--out', 'run', '--set', 'train.epochs=3', '--set', 'train.seed=9'],
    says: /started with other settings \(train\.epochs: was 1, is now 3; train\.seed: was 42, is now 9\)/,
  },
  'another skill than the run began with': {
    spoil: append('SKILL.md', '\n- One more rule.\n'),
    args: ['train', '--out', 'run'],
    says: /started with other settings \(content of skill: was \w+, is now \w+\)/,
  },
  'other tasks than the run began with': {
    spoil: replace('tasks/val.jsonl', /"answer":"/, '"answer":"9'),
    args: ['train', '--out', 'run'],
    says: /started with other settings \(content of val/,
  },
  'a fork of nothing': { args: ['train', '--fork', 'nowhere@v1'], says: /There is no run "nowhere" here/ },
  'a fork of a version that is not there': {
    args: ['train', '--fork', 'run@v9'],
    says: /The run run has no version v9/,
  },
  'a fork into a run': {
    args: ['train', '--out', 'run', '--fork', 'run@v1'],
    says: /run already holds a run/,
  },
  'a run that is not there': { args: ['show', 'nowhere'], says: /There is no run "nowhere" here/ },
  'a folder that is no run': { args: ['show', 'tasks'], says: /There is no run "tasks" here/ },
  'a run directory that is a file': {
    args: ['train', '--out', 'SKILL.md'],
    says: /SKILL\.md/,
  },
  'a damaged log, when going on': {
    spoil: damageLog,
    args: ['train', '--out', 'run'],
    says: /events\.jsonl.*line 9/,
  },
  'a damaged log, when looking': { spoil: damageLog, args: ['show', 'run'], says: /events\.jsonl.*line 9/ },
  'a log of a later version': {
    spoil: replace('run/events.jsonl', /"log":1/, '"log":99'),
    args: ['show', 'run'],
    says: /newer version of skillopt/,
  },
  'a split that is not there': { args: ['eval', '--split', 'dev'], says: /Unknown split "dev"/ },
  'a task that is not there': { args: ['try', '--task', 'q17'], says: /No split has a task "q17"/ },
  'a version that is not there': { args: ['show', 'run', '--diff', 'v0', 'v9'], says: /has no version "v9"/ },
  'a mechanism of the Python package that is not there': {
    spoil: folder => put(folder, 'theirs.yaml', reference('human_feedback: { enabled: true }')),
    args: ['train', '--config', 'theirs.yaml', '--out', 'new'],
    says: /human_feedback\.enabled: true is not supported \(theirs\.yaml:\d+\)/,
  },
  'a backend of the Python package that is not there': {
    spoil: folder =>
      put(folder, 'theirs.yaml', reference('optimizer: {}').replace('qwen_chat', 'aider_exec')),
    args: ['train', '--config', 'theirs.yaml', '--out', 'new'],
    says: /model\.target_backend asks for the backend aider_exec, which is unknown/,
  },
}

async function damageLog(folder: string): Promise<void> {
  const lines = (await textOf(folder, 'run/events.jsonl')).split('\n')
  lines[8] = (lines[8] ?? '').slice(0, -20)
  await writeFile(join(folder, 'run/events.jsonl'), lines.join('\n'))
}

function reference(optimizer: string): string {
  return `model: { target_backend: qwen_chat, optimizer_backend: qwen_chat }
env: { name: searchqa, skill_init: SKILL.md, split_mode: split_dir, split_dir: tasks }
${optimizer}
`
}
