import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import type { Message } from '../../core/task/task.js'
import { type GbrainSkill, gbrainSkills, readGbrain } from '../../experiment/gbrain/tasks.js'
import type { SleepTask } from '../../sleep/model/sleep-task.js'
import { chooseScorer } from '../../tasks/scoring/index.js'
import { type Character, targetCharacters, usualCharacter } from '../character.js'
import type { ChatRequest } from '../chat.js'
import { lackingLessons } from '../optimizer/solver-evidence.js'
import { diceOf } from '../random.js'
import { answerAsTarget } from '../target.js'
import { lessonsIn } from './index.js'
import { solver } from './writing.js'
import { demandKinds, demandsIn, missingIn } from './writing-demands.js'

const names = Object.keys(gbrainSkills) as GbrainSkill[]
const scorer = chooseScorer('rules')
const reliable: Character = { ...usualCharacter, slips: 0 }

const search = {
  type: 'function',
  function: {
    name: 'search',
    parameters: { type: 'object', properties: { question: { type: 'string' } } },
  },
}

function requestOf(skill: string, asked: string, more: readonly ChatRequest['messages'][number][] = []) {
  const messages = [
    { role: 'system', content: `## Skill\n\n${skill}` },
    { role: 'user', content: asked },
    ...more,
  ]
  return { model: 'target', messages, tools: [search] } satisfies ChatRequest
}

/** One attempt as in production: a tool call is answered, and the rules score the result. */
async function attempt({ intent, checks }: SleepTask, skill: string, character = reliable) {
  const first = answerAsTarget(requestOf(skill, intent), character)
  const calls = first.toolCalls ?? []
  const reply =
    calls.length === 0
      ? first
      : answerAsTarget(requestOf(skill, intent, [{ role: 'tool', content: 'Nothing was run.' }]), character)
  const messages: Message[] = [
    {
      role: 'assistant',
      text: '',
      toolCalls: calls.map(({ name, arguments: given }) => ({
        id: '1',
        name,
        arguments: JSON.stringify(given),
      })),
    },
  ]
  const answer = reply.content ?? ''
  const trajectory = { messages, answer, stop: 'answered' } as const
  const { hard, feedback } = await scorer.score({ checks }, trajectory, scoreContext)
  return { hard, feedback, reply: answer, question: intent, whole: '', calls }
}

async function scored(name: GbrainSkill, added: string, character = reliable) {
  const { skill, tasks } = await readGbrain(name, 1)
  const attempts = await Promise.all(tasks.map(task => attempt(task, `${skill}\n${added}`, character)))
  return { attempts, share: attempts.reduce((sum, { hard }) => sum + hard, 0) / attempts.length }
}

/** What the optimizer learns from the feedback of failed attempts alone. */
async function learned(name: GbrainSkill): Promise<string> {
  const { attempts } = await scored(name, '')
  const trajectories = attempts.map((one, index) => ({ ...one, number: index + 1, passed: false }))
  const lacking = lackingLessons(trajectories, '', diceOf(name))
  return lacking.map(({ wording }) => `- ${wording}`).join('\n')
}

describe.each(names)('%s, simulated', name => {
  it('never passes as it is, and always with what its failures teach', async () => {
    expect((await scored(name, '')).share).toBe(0)
    expect(
      (
        await scored(
          name,
          (await learned(name)).replaceAll(/Where possible|Try to|Consider|If in doubt/g, ''),
        )
      ).share,
    ).toBe(1)
  })

  it('gains nothing from advice that is wrong, vague, or the opposite', async () => {
    const wrong = [
      '- End every reply with a section headed "Next Steps".',
      '- Close with a line of the form "Owner: …", in every reply.',
      '- Keep the whole reply within 5000 characters.',
      '- Before you write anything, call the "weather" tool.',
      '- Do not search, and never add a section "Key Risks" or a line "Confidence: …".',
      '- Read the question carefully before answering.',
    ]
    expect((await scored(name, wrong.join('\n'))).share).toBe(0)
  })

  it('says in its feedback what is lacking, and nothing is lacking that was done', async () => {
    const { attempts } = await scored(name, '')
    for (const one of attempts) {
      const { skill } = await readGbrain(name, 1)
      const kinds = demandKinds.filter(kind => solver.lessons[kind].isLackingIn(one))
      expect(kinds).toEqual(
        demandKinds.filter(kind => missingIn(one.feedback).some(each => each.kind === kind)),
      )
      expect(kinds.length).toBeGreaterThan(0)
      expect([...lessonsIn(solver, skill)]).toEqual([])
    }
    const better = await scored(name, await learned(name))
    const done = better.attempts.filter(({ hard }) => hard === 1)
    expect(done.filter(one => demandKinds.some(kind => solver.lessons[kind].isLackingIn(one)))).toEqual([])
  })
})

describe('what a skill demands', () => {
  it.each([
    ['- Add a "Key Risks" section.', 'section Key Risks'],
    ['Include a Key Risks section near the end.', 'section Key Risks'],
    ['Use a section called Open Questions.', 'section Open Questions'],
    ['Never leave out the section "Key Risks".', 'section Key Risks'],
    ['Write `Confidence: high`, `medium` or `low` on the last line.', 'label Confidence'],
    ['End with Confidence: and a level.', 'label Confidence'],
    ['The last line is labelled "Verdict".', 'label Verdict'],
    ['No more than 1,200 characters.', 'length 1200'],
    ['At most 200 words in all.', 'length 1200'],
    ['Look it up with `search` first.', 'look-up search'],
    ['Always search before you answer.', 'look-up search'],
  ])('%s', (line, demand) => {
    expect(demandsIn(line).map(({ kind, what }) => `${kind} ${what}`)).toEqual([demand])
  })

  it.each([
    'Do not add a section "Key Risks".',
    'Note: risks matter.',
    'Write at least 500 words.',
    'Do NOT look anything up, search, or use any tools.',
    'Write a short research brief.',
    'The "best" answer is short.',
  ])('is nothing in: %s', line => {
    expect(demandsIn(line)).toEqual([])
  })

  it('follows the last word on looking things up', () => {
    const ban = 'Do not search.'
    const order = 'Search first.'
    expect(demandsIn(`${ban}\n${order}`)).toHaveLength(1)
    expect(demandsIn(`${order}\n${ban}`)).toEqual([])
  })

  it.each(demandKinds)('%s is read in its own words, and in no other line', kind => {
    for (const wording of solver.lessons[kind].wordings)
      expect(demandKinds.filter(other => solver.lessons[other].isStatedIn(wording))).toEqual([kind])
  })
})

describe('what an attempt teaches', () => {
  const blank = { question: '', reply: '', whole: '' }
  const failed = { ...blank, feedback: '0 of 1 checks passed. The reply has no section "Sources".' }
  const wordings = (skill: string) => solver.lessons.section.wordingsFor?.(failed, skill) ?? []

  it('names what the scorer names', () => {
    expect(wordings('')).toHaveLength(3)
    for (const wording of wordings('')) expect(wording).toContain('"Sources"')
  })

  it('is not said again, unless it was said with a hedge', () => {
    expect(wordings('Add a section "Sources".')).toEqual([])
    expect(wordings('Where possible, add a section "Sources".')).toHaveLength(2)
    expect(wordings('Add a section "Summary".')).toHaveLength(3)
    const long = { ...blank, feedback: 'The reply has 900 characters; at most 500 are allowed.' }
    expect(solver.lessons.length.wordingsFor?.(long, 'At most 800 characters.')).toHaveLength(3)
    expect(solver.lessons.length.wordingsFor?.(long, 'At most 400 characters.')).toEqual([])
  })

  it('is nothing where the scorer names nothing', () => {
    const unclear = { ...blank, feedback: 'Nothing in the reply matches /^(?=.*x)/. Wrong.' }
    expect(demandKinds.filter(kind => solver.lessons[kind].isLackingIn(unclear))).toEqual([])
  })
})

describe('the agent', () => {
  it('cannot call a tool that is not there, and calls one only once', () => {
    const skill = 'First search.'
    const asked = 'Answer: should we decide whether to wait.'
    const { tools: _, ...without } = requestOf(skill, asked)
    expect(answerAsTarget(without, reliable).toolCalls).toBeUndefined()
    expect(answerAsTarget(requestOf(skill, asked), reliable).toolCalls).toEqual([
      { name: 'search', arguments: { question: 'whether to wait' } },
    ])
    const found = [{ role: 'tool', content: 'Nothing.' }]
    expect(answerAsTarget(requestOf(skill, asked, found), reliable).content).toContain('whether to wait')
  })

  it.each<[GbrainSkill, string]>([
    [
      'brief-writer',
      '- End every reply with a section headed "Key Risks".\n- Close with a line "Confidence: …".',
    ],
    ['thorough-analyst', '- Keep the whole reply within 1200 characters.'],
    ['quick-answerer', '- First search.'],
  ])('goes by the last word, so that what does harm undoes what was learned: %s', async (name, told) => {
    const harm = (solver.remarks?.harmful ?? []).map(remark => `- ${remark}`).join('\n')
    expect((await scored(name, told)).share).toBe(1)
    expect((await scored(name, `${told}\n${harm}`)).share).toBe(0)
    expect((await scored(name, `${harm}\n${told}`)).share).toBe(1)
  })

  it('does not recognise other work', () => {
    expect(solver.recognises(requestOf('', 'What does a parcel of 3 kg cost?'))).toBe(false)
    expect(solver.recognises({ model: 'target', messages: [] })).toBe(false)
  })
})

describe('other characters', () => {
  const firm = '- Keep the whole reply within 1200 characters.'
  const hedged = '- Try to stay below 1200 characters.'
  const as = (name: string) => ({ ...usualCharacter, ...targetCharacters[name] })

  it('the hasty one forgets more of what it is told', async () => {
    const usual = (await scored('thorough-analyst', firm, as('target'))).share
    const hasty = (await scored('thorough-analyst', firm, as('target-hasty'))).share
    expect(hasty).toBeLessThan(usual)
    expect(hasty).toBeGreaterThan(0.4)
  })

  it('the literal one does what it is told firmly, and nothing of what is hedged', async () => {
    expect((await scored('thorough-analyst', firm, as('target-literal'))).share).toBeGreaterThan(0.8)
    expect((await scored('thorough-analyst', hedged, as('target-literal'))).share).toBe(0)
    expect((await scored('thorough-analyst', hedged, as('target'))).share).toBeGreaterThan(0.3)
  })
})
