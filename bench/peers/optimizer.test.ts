import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  analystReply,
  classifyReply,
  mergeReply,
  metaSkillReply,
  rankReply,
  slowUpdateReply,
} from '../../src/trainer/stages/contracts.js'
import { editList } from '../../src/trainer/stages/render.js'
import { worldSpec } from '../worlds/spec.js'
import { createWorld, type WorldTask } from '../worlds/world.js'
import { gepaOptimizer } from './gepa-optimizer.js'
import { withLines } from './optimizer.js'
import { ownOptimizer } from './own-optimizer.js'
import { skilloptOptimizer } from './skillopt-optimizer.js'

/** Prompts in the trainers' formats around synthetic evidence; the tests check that each reply is usable. */

const world = createWorld(worldSpec('tiny'), 1)
const [first, second, third] = world.tasks.train as readonly [WorldTask, WorldTask, WorldTask]
const wrong = 'I looked the ticket up. <answer>none</answer>'
const right = ({ answer }: WorldTask) => `I looked the ticket up. <answer>${answer}</answer>`

const ownPrompt = (...names: string[]) =>
  names
    .map(name =>
      readFileSync(new URL(`../../src/trainer/stages/prompts/${name}.md`, import.meta.url), 'utf8'),
    )
    .join('\n')

const ask = (optimizer: typeof ownOptimizer, user: string, system = '') =>
  optimizer(world, { system, user, sample: 0 })

/** Expects a line about the task's topic, whatever it says. */
function expectLineFor(task: WorldTask, line: string | null | undefined): void {
  const topics = world.topicsOf(task.id)
  const isAbout = topics.some(topic => line?.includes(` ${topic}`)) || line?.includes(' shortcut')
  expect(isAbout, `${line} is about ${topics.join()}`).toBe(true)
}

it('joins lines to a skill, and puts them in the place of others', () => {
  const lines = [
    { text: 'New.', causes: [], cause: '' },
    { text: 'Later.', replaces: 'Old.', causes: [], cause: '' },
    { text: 'Lost.', replaces: 'Not there.', causes: [], cause: '' },
  ]
  expect(withLines('# Skill\n\n- Old.\n', lines)).toBe('# Skill\n\n- Later.\n- New.\n- Lost.')
})

const skilloptTrajectories = (title: string, tasks: readonly WorldTask[], reply: string) =>
  [
    `## Current Skill\n${world.seedSkill}\n`,
    '## Edits Budget\nProduce at most L=1 edits.\n',
    `## ${title} Trajectories (${tasks.length} total)`,
    tasks
      .map(({ id, question }, index) =>
        [
          `### Trajectory ${index + 1} (id=${id})`,
          `Task: ${question}`,
          'Task type: \nFailure reason: wrong answer\nSteps: 1\n',
          `[assistant] ${reply}`,
        ].join('\n'),
      )
      .join('\n\n---\n\n'),
  ].join('\n')

it('answers the analysts of the Python SkillOpt', () => {
  const failures = JSON.parse(ask(skilloptOptimizer, skilloptTrajectories('Failed', [first, first], wrong)))
  expect(failures).toMatchObject({
    batch_size: 2,
    failure_summary: [{ failure_type: 'missing rule', count: 2 }],
    patch: { edits: [{ op: 'append' }] },
  })
  expect(failures.patch.edits).toHaveLength(1)
  expectLineFor(first, failures.patch.edits[0].content)
  const successes = JSON.parse(
    ask(skilloptOptimizer, skilloptTrajectories('Successful', [first], right(first))),
  )
  expect(successes.patch.edits).toEqual([])
})

it('merges and ranks edits of the Python SkillOpt without a new word', () => {
  const [topic] = world.topics
  const edit = (content: string, support_count: number) => ({ op: 'append', content, support_count })
  const rule = `- For a ${topic?.word} ticket, take the code from the ${topic?.right} column.`
  const paraphrase = `- Tickets about a ${topic?.word}: read the code off the ${topic?.right} column.`
  const patches = [
    { reasoning: '[', edits: [edit(rule, 8), edit('- Other.', 8)] },
    { reasoning: ']', edits: [edit(paraphrase, 3)] },
  ]
  const shown = `## Current Skill\n${world.seedSkill}\n\n## Patches to merge (2 total, merge level 1)\n${JSON.stringify(patches, null, 2)}`
  expect(JSON.parse(ask(skilloptOptimizer, shown)).edits).toEqual([
    { op: 'append', target: '', content: rule, support_count: 11, source_type: 'failure' },
    { op: 'append', target: '', content: '- Other.', support_count: 8, source_type: 'failure' },
  ])
  const pool = [
    `## Current Skill\n${world.seedSkill}\n`,
    '## Edits Pool (3 edits, budget=2)',
    "[0] op=append  content='- One.'  support=3",
    "[1] op=replace  target='- Old.'  content='- Two.'  support=11",
    "[2] op=append  content='- Three.'  support=8",
    '\nSelect the 2 most important edits.',
  ].join('\n')
  expect(JSON.parse(ask(skilloptOptimizer, pool)).selected_indices).toEqual([1, 2])
})

it("writes the Python SkillOpt's slow update from what fails now, and keeps the guidance", () => {
  const pair = ({ id, question }: WorldTask) => `\n#### Task ${id}: ${question}\n- Curr epoch: …\n`
  const shown = [
    `## Previous Epoch's Skill\n${world.seedSkill}\n`,
    `## Current Epoch's Skill\n${world.seedSkill}\n`,
    '## Previous Slow Update Guidance\nThe following guidance was active.\n\n- Keep this.\n',
    '## Longitudinal Comparison (same 20 tasks, two skill versions)',
    `### Regressions (right→wrong)\n(none)\n\n### Persistent Failures (wrong→wrong)${pair(first)}`,
    `### Improvements (wrong→right)${pair(second)}\n### Stable Successes (right→right)${pair(third)}`,
  ].join('\n')
  const { slow_update_content: content } = JSON.parse(ask(skilloptOptimizer, shown))
  const [kept, line, ...more] = content.split('\n')
  expect({ kept, more }).toEqual({ kept: '- Keep this.', more: [] })
  expectLineFor(first, line)
  const meta = '## Previous Optimizer Meta Skill\n(none)\n'
  expect(JSON.parse(ask(skilloptOptimizer, meta))).toHaveProperty('meta_skill_content')
})

it('answers GEPA with the whole instruction in a fence', () => {
  const example = (task: WorldTask, number: number, reply: string) =>
    `# Example ${number}\n## Inputs\n${task.question}\n\n## Generated Outputs\n${reply}\n\n## Feedback\n…\n\n`
  const prompt = [
    `Instructions:\n\`\`\`\n${world.seedSkill}\n\`\`\``,
    '',
    'The following are examples of different task inputs:',
    `\`\`\`\n${example(first, 1, wrong)}\n\n${example(second, 2, right(second))}\n\`\`\``,
    '',
    'Provide the new instructions within ``` blocks.',
  ].join('\n')
  const reply = ask(gepaOptimizer, prompt)
  const start = `\`\`\`\n${world.seedSkill.trimEnd()}\n`
  expect(reply.startsWith(start) && reply.endsWith('\n```')).toBe(true)
  const lines = reply.slice(start.length, -'\n```'.length).split('\n')
  expect(lines).toHaveLength(1)
  expectLineFor(first, lines[0])
})

const trajectory = ({ question }: WorldTask, number: number, result: 'passed' | 'failed', reply: string) =>
  `<trajectory number="${number}" type="" result="${result}" hard="0" soft="0">\n[user]\n${question}\n[assistant]\n${reply}\n[feedback]\n…\n</trajectory>`

const ownEvidence = (more: string) =>
  [
    `<skill>\n${world.seedSkill}\n</skill>`,
    '<edit_limit>\n2\n</edit_limit>',
    more,
    `<trajectories>\n${trajectory(first, 1, 'failed', wrong)}\n\n${trajectory(first, 2, 'failed', wrong)}\n</trajectories>`,
  ].join('\n\n')

it('answers our own analysts with the attempts behind each edit', () => {
  const system = ownPrompt('analyst-failure', 'form-edits')
  const reply = JSON.parse(ask(ownOptimizer, ownEvidence(''), system))
  const { patch } = analystReply('failure', 'patch', { skillAware: false, isRaced: false }).parse(reply)
  expect(patch.proposed).toHaveLength(1)
  expect(patch.proposed[0]).toMatchObject({ op: 'append', trajectories: [1, 2] })
  expectLineFor(first, patch.proposed[0]?.content)
  expect(reply.patch.edits[0]).not.toHaveProperty('cause')
  const success = ask(ownOptimizer, ownEvidence(''), ownPrompt('analyst-success', 'form-edits'))
  expect(
    analystReply('success', 'patch', { skillAware: false, isRaced: false }).parse(JSON.parse(success)).patch
      .proposed,
  ).toEqual([])
})

it('gives several remedies for a cause where they are asked for', () => {
  const system = ownPrompt('analyst-failure', 'form-edits')
  const reply = JSON.parse(ask(ownOptimizer, ownEvidence('<alternatives>3</alternatives>'), system))
  const edits = reply.patch.edits as { cause: string; content: string }[]
  expect(edits.length).toBeGreaterThan(1)
  expect(new Set(edits.map(({ cause }) => cause)).size).toBe(1)
  expect(new Set(edits.map(({ content }) => content)).size).toBe(edits.length)
})

it('joins and ranks our own edits', () => {
  const common = { why: '', from: 'failure' as const, tasks: [] }
  const listed = editList([
    { op: 'append', content: '- One.', id: 'a', support: 1, ...common },
    { op: 'replace', target: '- Old.', content: '- Two.', id: 'b', support: 2, ...common },
    { op: 'append', content: '- One.', id: 'c', support: 1, ...common },
  ])
  const shown = `<edits>\n${listed}\n</edits>\n\n<edit_limit>\n1\n</edit_limit>`
  const joined = mergeReply.patch.parse(JSON.parse(ask(ownOptimizer, shown, ownPrompt('merge'))))
  expect(joined).toMatchObject([
    { op: 'append', content: '- One.', support_count: 2, from: [0, 2] },
    { op: 'replace', target: '- Old.', content: '- Two.', support_count: 2, from: [1] },
  ])
  const ranked = rankReply(3).parse(JSON.parse(ask(ownOptimizer, shown, ownPrompt('rank'))))
  expect(ranked.selected_indices).toEqual([1])
})

it('writes our own slow update and meta skill', () => {
  const pair = (task: WorldTask, outcome: string) =>
    `<pair number="1" type="" outcome="${outcome}">\n[user]\n${task.question}\n[before]\n…\n[after]\n${wrong}\n[feedback]\n…\n</pair>`
  const shown = [
    `<current_skill>\n${world.seedSkill}\n</current_skill>`,
    '<current_guidance>\n- Keep this.\n</current_guidance>',
    `<comparisons>\n${pair(first, 'persistent_failure')}\n\n${pair(second, 'improved')}\n</comparisons>`,
  ].join('\n\n')
  const reply = slowUpdateReply.parse(JSON.parse(ask(ownOptimizer, shown, ownPrompt('slow-update'))))
  const [kept, line, ...more] = reply.slow_update_content.split('\n')
  expect({ kept, more }).toEqual({ kept: '- Keep this.', more: [] })
  expectLineFor(first, line)
  metaSkillReply.parse(JSON.parse(ask(ownOptimizer, shown, ownPrompt('meta-skill'))))
})

it('says so when it does not know a prompt', () => {
  for (const optimizer of [skilloptOptimizer, gepaOptimizer, ownOptimizer]) {
    expect(() => ask(optimizer, 'What is this?')).toThrow('does not know this prompt')
  }
})

it('tells our trainer which tasks causes concern, about as well as the world says', () => {
  const large = createWorld(worldSpec('poor-words'), 3)
  const { train } = large.tasks
  const user = [
    '<tasks>',
    ...train.map(({ question }, index) => `[${index + 1}] ${question}`),
    '</tasks>\n\n<causes>',
    ...large.topics.map(
      ({ word }, index) => `[${index + 1}] ${JSON.stringify({ cause: `${word} tickets` })}`,
    ),
    '[99] {"cause":"working habits 1"}',
    '</causes>',
  ].join('\n')
  const reply = ownOptimizer(large, { system: ownPrompt('concern'), user, sample: 0 })
  const { concerned } = classifyReply.parse(JSON.parse(reply))
  expect(concerned.at(-1)).toEqual({ cause: 99, all_tasks: true, tasks: [] })
  let [said, right, both] = [0, 0, 0]
  for (const [index, { word }] of large.topics.entries()) {
    const named = new Set(concerned[index]?.tasks)
    const truth = train.flatMap(({ id }, at) => (large.topicsOf(id).includes(word) ? [at + 1] : []))
    said += named.size
    right += truth.length
    both += truth.filter(number => named.has(number)).length
  }
  expect(both / right).toBeCloseTo(0.85, 1)
  expect(both / said).toBeCloseTo(0.85, 1)
  expect(ownOptimizer(large, { system: ownPrompt('concern'), user, sample: 7 })).toBe(reply)
})
