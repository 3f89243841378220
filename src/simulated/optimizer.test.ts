import { describe, expect, it } from 'vitest'
import { answerSimulated } from './responder.js'
import { unknownTask } from './target.js'
import { type ConventionId, conventions } from './world/conventions.js'
import { type GeneratedTask, generateSplits } from './world/generate.js'
import { answerTagRule } from './world/phrasing.js'
import { readAdvice } from './world/reading.js'
import { truth } from './world/truth.js'

interface Edit {
  op: string
  target?: string
  content?: string
  support_count?: number
  from?: number[]
}

const tasks = generateSplits({ all: 600 }, 23).all ?? []
const bareSkill = `# Desk\n\n- ${answerTagRule}\n`
const contracts = {
  failures: 'Answer as {"batch_size", "failure_summary": [...], "patch": {"reasoning", "edits"}}.',
  successes: 'Answer as {"batch_size", "success_patterns": [...], "patch": {"reasoning", "edits"}}.',
  merge: 'Answer as {"reasoning", "edits": [{"op", "content", "support_count", "source_type"}]}.',
  rank: 'Answer as {"reasoning", "selected_indices": [...]}.',
  slow: 'Answer as {"reasoning", "slow_update_content"}.',
  meta: 'Answer as {"reasoning", "meta_skill_content"}.',
}

function ask(
  contract: string,
  user: string,
  seed = 0,
  further: { role: string; content: string }[] = [],
): string {
  const messages = [{ role: 'system', content: contract }, { role: 'user', content: user }, ...further]
  return answerSimulated({ model: 'optimizer', messages, seed }).content ?? ''
}

/** The reply as JSON; if the model returned malformed JSON, the reply to a second request. */
function askJson<Reply>(contract: string, user: string, seed = 0): Reply {
  const text = ask(contract, user, seed)
  try {
    return JSON.parse(text)
  } catch {
    const again = [
      { role: 'assistant', content: text },
      { role: 'user', content: 'That was not valid JSON. Reply with the JSON object only.' },
    ]
    return JSON.parse(ask(contract, user, seed, again))
  }
}

function attempt(task: GeneratedTask, skill: string, seed: number) {
  const messages = [
    { role: 'system', content: `## Skill\n\n${skill}` },
    { role: 'user', content: task.question },
  ]
  const reply = answerSimulated({ model: 'target', messages, seed }).content ?? ''
  const got = /<answer>(.*)<\/answer>/.exec(reply)?.[1] ?? ''
  return { task, reply, got, passed: got === task.answer }
}

type Attempt = ReturnType<typeof attempt>

function trajectoriesOf(attempts: readonly Attempt[], blank = false): string {
  const rendered = attempts.map(({ task, reply, got, passed }, index) => {
    const result = passed ? 'passed' : 'failed'
    const feedback = passed ? 'Correct.' : `Expected "${task.answer}"; got "${got}".`
    const body = blank ? ['', '', ''] : [task.question, reply, feedback]
    return `<trajectory number="${index + 1}" type="${task.type}" result="${result}" hard="${passed ? 1 : 0}" soft="0.5">
[user]\n${body[0]}\n[assistant]\n${body[1]}\n[feedback]\n${body[2]}\n</trajectory>`
  })
  return `<trajectories>\n${rendered.join('\n')}\n</trajectories>`
}

function analystPrompt(skill: string, trajectories: string, extra = ''): string {
  return `<skill>\n${skill}\n</skill>\n${extra}<edit_limit>4</edit_limit>\n${trajectories}`
}

/** Batches of five failed or passed attempts under a skill. */
function batches(skill: string, passed: boolean): Attempt[][] {
  const found = tasks.map((task, index) => attempt(task, skill, index)).filter(each => each.passed === passed)
  return Array.from({ length: Math.floor(found.length / 5) }, (_, index) =>
    found.slice(index * 5, index * 5 + 5),
  )
}

function rulesIn(edits: readonly Edit[]): [ConventionId, string][] {
  return edits.flatMap(edit =>
    [...readAdvice(edit.content ?? '').statements].map(([id, all]): [ConventionId, string] => [
      id,
      all[0]?.value ?? '',
    ]),
  )
}

type Analysis = { batch_size: number; failure_summary: { count: number }[]; patch: { edits: Edit[] } }

const failed = batches(bareSkill, false)

/**
 * Counts the rules proposed over many minibatches, how many match the house's conventions, and how many
 * chance would match.
 */
function tally(blank: boolean): { proposed: number; right: number; byChance: number } {
  const total = { proposed: 0, right: 0, byChance: 0 }
  for (let seed = 0; seed < 12; seed++) {
    for (const [index, batch] of failed.entries()) {
      const prompt = analystPrompt(bareSkill, trajectoriesOf(batch, blank))
      // Blanked prompts are often identical; a separate seed for each keeps the draws independent.
      const analysis = askJson<Analysis>(contracts.failures, prompt, seed * 1000 + index)
      for (const [id, value] of rulesIn(analysis.patch.edits)) {
        total.proposed += 1
        total.right += value === truth[id] ? 1 : 0
        total.byChance += 1 / conventions[id].alternatives.length
      }
    }
  }
  return total
}

describe('the failure analyst', () => {
  it('proposes what the trajectories show; without them, no better than chance', () => {
    const real = tally(false)
    const blank = tally(true)
    const share = real.right / real.proposed
    expect(share).toBeGreaterThan(real.byChance / real.proposed + 0.25)
    expect(share).toBeLessThan(0.95)
    const chance = blank.byChance / blank.proposed
    const deviation = Math.sqrt((chance * (1 - chance)) / blank.proposed)
    expect(blank.proposed).toBeGreaterThan(300)
    expect(Math.abs(blank.right / blank.proposed - chance)).toBeLessThan(3 * deviation)
  })

  it('keeps to its contract and to the edit limit', () => {
    for (const batch of failed.slice(0, 30)) {
      const prompt = analystPrompt(bareSkill, trajectoriesOf(batch)).replace('>4<', '>2<')
      const analysis = askJson<Analysis>(contracts.failures, prompt)
      expect(analysis.batch_size).toBe(5)
      expect(analysis.patch.edits.length).toBeLessThanOrEqual(2)
      for (const edit of analysis.patch.edits) {
        expect(['append', 'insert_after', 'replace', 'delete']).toContain(edit.op)
        expect(edit.target === undefined).toBe(edit.op === 'append')
        expect(edit.content === undefined).toBe(edit.op === 'delete')
      }
    }
  })

  it('replaces the line that is wrong, quoting it as it stands nearly always', () => {
    const line = '- Insurance costs 2.5% of the declared value.'
    const skill = `${bareSkill}${line}\n`
    const edits = batches(skill, false).flatMap(
      batch => askJson<Analysis>(contracts.failures, analystPrompt(skill, trajectoriesOf(batch))).patch.edits,
    )
    const replacing = edits.filter(edit => edit.op === 'replace')
    expect(replacing.length).toBeGreaterThan(5)
    expect(replacing.filter(edit => edit.target === line).length / replacing.length).toBeGreaterThan(0.9)
  })

  it('makes edits of all kinds, good and bad', () => {
    const edits = failed.flatMap(batch =>
      [1, 2].flatMap(
        seed =>
          askJson<Analysis>(contracts.failures, analystPrompt(bareSkill, trajectoriesOf(batch)), seed).patch
            .edits,
      ),
    )
    const operations = new Set(edits.map(edit => edit.op))
    for (const op of ['append', 'insert_after', 'delete']) expect(operations).toContain(op)
    expect(edits.some(edit => readAdvice(edit.content ?? '').brief)).toBe(true)
    expect(edits.some(edit => edit.content !== undefined && rulesIn([edit]).length === 0)).toBe(true)
    expect(rulesIn(edits).some(([id, value]) => value !== truth[id])).toBe(true)
  })

  it('mostly avoids edits that were rejected before', () => {
    const rejected = `<earlier_steps>\n- rejected (0.420 -> 0.395): append "- The insurance premium is the declared value times 1.5%."\n</earlier_steps>\n`
    const count = (extra: string): number =>
      failed
        .flatMap(batch => [0, 1, 2].map(seed => ({ batch, seed })))
        .flatMap(({ batch, seed }) => {
          const prompt = analystPrompt(bareSkill, trajectoriesOf(batch), extra)
          return rulesIn(askJson<Analysis>(contracts.failures, prompt, seed).patch.edits)
        })
        .filter(([id, value]) => id === 'insurance-rate' && value === '1.5').length
    expect(count(rejected)).toBeLessThan(count('') / 2)
  })

  it('asks for answer tags when replies have none', () => {
    const untagged = failed[0]?.map(each => ({ ...each, reply: 'It is 12.', got: '' })) ?? []
    const replies = Array.from({ length: 20 }, (_, seed) => {
      const prompt = analystPrompt('# Desk\n', trajectoriesOf(untagged))
      return JSON.stringify(askJson<Analysis>(contracts.failures, prompt, seed).patch.edits)
    })
    expect(replies.filter(reply => reply.includes('<answer>')).length).toBeGreaterThan(10)
  })
})

describe('the other stages', () => {
  const edits = [
    { op: 'append', content: '- Insurance costs 1.5% of the declared value.', support_count: 2 },
    {
      op: 'append',
      content: '- For cover, charge 1.5 percent of what the goods are declared at.',
      support_count: 3,
    },
    { op: 'append', content: '- Insurance costs 2% of the declared value.', support_count: 1 },
    { op: 'append', content: '- Pay attention to units.', support_count: 1, source_type: 'success' },
  ]
  const listed = (list: object[]): string =>
    `<edits>\n${list.map((edit, index) => `[${index}] ${JSON.stringify(edit)}`).join('\n')}\n</edits>`

  it('the success analyst reinforces and does little else', () => {
    const proposed = batches(`${bareSkill}- Business days run from Monday to Saturday.\n`, true).flatMap(
      batch => {
        const prompt = analystPrompt(bareSkill, trajectoriesOf(batch))
        const analysis = askJson<{ success_patterns: string[]; patch: { edits: Edit[] } }>(
          contracts.successes,
          prompt,
        )
        expect(analysis.success_patterns.length).toBeGreaterThan(0)
        return analysis.patch.edits
      },
    )
    expect(proposed.length).toBeGreaterThan(3)
    expect(proposed.some(edit => edit.op === 'delete' || readAdvice(edit.content ?? '').brief)).toBe(false)
  })

  it('the merge adds up what agrees and drops what contradicts', () => {
    const merged = askJson<{ edits: (Edit & { source_type: string })[] }>(
      contracts.merge,
      `<skill>\n${bareSkill}\n</skill>\n${listed(edits)}`,
      1,
    ).edits
    expect(merged[0]).toMatchObject({ support_count: 5, from: [0, 1], source_type: 'failure' })
    expect(merged.map(edit => edit.source_type)).toContain('success')
    expect(rulesIn(merged).filter(([id]) => id === 'insurance-rate')).toEqual([['insurance-rate', '1.5']])
  })

  it('the ranking takes the supported and specific, with a judgement that varies', () => {
    const pool = [...edits, { op: 'append', content: '- Be consistent.', support_count: 2 }]
    const rankings = Array.from({ length: 40 }, (_, seed) => {
      const user = `<skill>\n${bareSkill}\n</skill>\n${listed(pool)}\n<edit_limit>2</edit_limit>`
      return askJson<{ selected_indices: number[] }>(contracts.rank, user, seed).selected_indices
    })
    for (const ranking of rankings) expect(new Set(ranking).size).toBe(2)
    expect(rankings.filter(ranking => ranking.includes(1)).length).toBeGreaterThan(30)
    expect(rankings.filter(ranking => ranking.includes(3)).length).toBeLessThan(20)
    expect(new Set(rankings.map(String)).size).toBeGreaterThan(1)
  })

  it('the slow update writes rules that the failing pairs show, and keeps guidance that nothing speaks against', () => {
    const pairs = failed
      .flat()
      .filter(each => each.task.type === 'insurance')
      .slice(0, 20)
    const rendered = pairs.map(
      ({ task, reply, got }, index) =>
        `<pair number="${index + 1}" type="insurance" outcome="persistent_failure">\n[user]\n${task.question}\n[before]\n${reply}\n[after]\n${reply}\n[feedback]\nExpected "${task.answer}"; got "${got}".\n</pair>`,
    )
    const user = `<previous_skill>\n${bareSkill}\n</previous_skill>\n<current_skill>\n${bareSkill}\n</current_skill>\n<current_guidance>\n- Business days run from Monday to Saturday.\n</current_guidance>\n<comparisons>\n${rendered.join('\n')}\n</comparisons>`
    const contents = Array.from(
      { length: 10 },
      (_, seed) => askJson<{ slow_update_content: string }>(contracts.slow, user, seed).slow_update_content,
    )
    for (const content of contents) expect(content).toContain('Monday to Saturday')
    const rates = contents.map(content => readAdvice(content).statements.get('insurance-rate')?.[0]?.value)
    expect(rates.filter(rate => rate === '1.5').length).toBeGreaterThan(5)
  })

  it('the meta skill sums up what was accepted and rejected', () => {
    const user = `<previous_meta_skill>\n- Old note.\n</previous_meta_skill>\n<epoch_history>\n- step 3 accepted (0.42 -> 0.51): append "- Insurance costs 1.5% of the declared value."\n- step 4 rejected (0.51 -> 0.40): append "- Answer with only the number and skip the working."\n</epoch_history>\n<comparisons>\n</comparisons>`
    const { meta_skill_content: content } = askJson<{ meta_skill_content: string }>(contracts.meta, user)
    expect(content).toContain('Old note.')
    expect(content).toContain('Insurance costs 1.5%')
    expect(content).toMatch(/Avoid .*working/)
  })

  it('answers the same to the same request and seed, and differently to others', () => {
    const prompt = analystPrompt(bareSkill, trajectoriesOf(failed[0] ?? []))
    const replies = Array.from({ length: 12 }, (_, seed) => ask(contracts.failures, prompt, seed))
    expect(Array.from({ length: 12 }, (_, seed) => ask(contracts.failures, prompt, seed))).toEqual(replies)
    expect(new Set(replies).size).toBeGreaterThan(1)
  })

  it('returns malformed JSON in a few percent of replies, never in a repair', () => {
    const prompt = analystPrompt(bareSkill, trajectoriesOf(failed[1] ?? []))
    let spoiled = 0
    for (let seed = 0; seed < 800; seed++) {
      try {
        JSON.parse(ask(contracts.failures, prompt, seed))
      } catch {
        spoiled += 1
        expect(askJson<Analysis>(contracts.failures, prompt, seed).batch_size).toBe(5)
      }
    }
    expect(spoiled).toBeGreaterThan(8)
    expect(spoiled).toBeLessThan(35)
  })

  it('finds the contract in the user message as well, and says when there is none', () => {
    const prompt = `${analystPrompt(bareSkill, trajectoriesOf(failed[0] ?? []))}\n${contracts.failures}`
    expect(ask('You improve skills.', prompt)).toContain('failure_summary')
    expect(ask('You improve skills.', 'Hello')).toBe(unknownTask)
  })
})
