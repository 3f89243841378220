import { describe, expect, it } from 'vitest'
import { answerAsJudge } from '../judge.js'
import { diceOf } from '../random.js'
import { answerSimulated } from '../responder.js'
import { solver as changes } from './changes.js'
import { solver as figures } from './figures.js'
import { lessonsIn, solverOf } from './index.js'
import { solver as references } from './references.js'
import type { Solver } from './solver.js'

const paper =
  'title: Sparse Routing\nauthors: Mira Okafor, Jun Tanaka, Lena Vogt\nyear: 2024\narxiv: 2403.91234v2'
const change = 'area: parser\nchange: skip empty rows\neffect: Files open without an error\nissue: 482'
const figure = 'metric: signups\nvalue: 1284\nbefore: 1102\nweek: 7\nyear: 2026'

const asking = (words: string, facts: string): string => `${words}:\n\n\`\`\`\n${facts}\n\`\`\``
const requestOf = (text: string, skill = '', seed = 1) => ({
  model: 'simulated/target',
  seed,
  messages: [
    { role: 'system', content: `You help.\n\n## Skill\n${skill}` },
    { role: 'user', content: text },
  ],
})
/** The answer of an agent that follows the skill exactly and has no lucky guesses. */
function said(solver: Solver, text: string, skill: string): string {
  const stated = lessonsIn(solver, skill)
  const unlucky = { ...diceOf(text), chance: () => false }
  return solver.act(requestOf(text), lesson => stated.has(lesson), unlucky).content ?? ''
}

const solvers: readonly (readonly [Solver, string, string])[] = [
  [references, asking('a footnote please', paper), asking('citation key please', paper)],
  [changes, asking('changelog line please', change), asking('branch name please', change)],
  [figures, asking('opening of the weekly report', figure), asking('trend cell of my spreadsheet', figure)],
]
const lessonsOf = (solver: Solver) => Object.entries(solver.lessons)

describe.each(solvers.map(([solver, text, name]) => [solver.id, solver, text, name] as const))(
  '%s, simulated',
  (id, solver, text, name) => {
    it('is recognised by the pasted facts and nothing else', () => {
      expect(solverOf(requestOf(text))?.id).toBe(id)
      expect(solverOf(requestOf(text.replaceAll('`', '')))).toBeUndefined()
    })

    it('understands each of its lessons in each of their wordings, and takes none for another', () => {
      for (const [name, { wordings }] of lessonsOf(solver)) {
        for (const line of wordings.flatMap(wording => [wording, `- ${wording}`])) {
          const understood = lessonsOf(solver).filter(([, lesson]) => lesson.isStatedIn(line))
          expect([line, ...understood.map(([known]) => known)]).toEqual([line, name])
        }
      }
    })

    it('says generalities that teach nothing', () => {
      for (const line of solver.remarks?.general ?? [])
        expect(lessonsOf(solver).filter(([, lesson]) => lesson.isStatedIn(line))).toEqual([])
    })

    it('keeps no form by habit, and every form that the skill states', () => {
      const forms = lessonsOf(solver).filter(([lesson]) => !lesson.endsWith('-alone'))
      const keptIn = (answer: string) =>
        forms.filter(([, lesson]) => lesson.isKeptIn?.({ question: text, answer })).map(([lesson]) => lesson)
      expect(keptIn(said(solver, text, ''))).toEqual([])
      const skill = forms.map(([, { wordings }]) => `- ${wordings[0]}`).join('\n')
      expect(keptIn(said(solver, text, skill)).length).toBeGreaterThanOrEqual(2)
    })

    it('keeps a form by chance now and then, and forgets now and then what it was told', () => {
      const [[, form] = []] = lessonsOf(solver)
      const share = (skill: string) => {
        const seeds = Array.from({ length: 100 }, (_, seed) => seed)
        const answers = seeds.map(seed => answerSimulated(requestOf(text, skill, seed)).content ?? '')
        return answers.filter(answer => form?.isKeptIn?.({ question: text, answer })).length
      }
      const [byChance, told] = [share(''), share(form?.wordings[0] ?? '')]
      expect(byChance).toBeGreaterThan(10)
      expect(byChance).toBeLessThan(50)
      expect(told).toBeGreaterThan(85)
      expect(told).toBeLessThan(100)
    })

    it('puts a sentence around a name, unless it is told not to where a name is asked for', () => {
      const alone = solver.lessons['name-alone']
      if (alone === undefined) throw new Error('There is no such lesson.')
      expect(said(solver, name, '')).toContain(' ')
      expect(said(solver, name, alone.wordings[0])).not.toContain(' ')
      expect(said(solver, text, alone.wordings[0])).toContain(' ')
    })

    it('is spoilt by the tempting advice, whatever else the skill says', () => {
      const { 'always-alone': always, ...others } = solver.lessons
      const rest = Object.values(others).map(({ wordings }) => wordings[0])
      for (const wording of always?.wordings ?? []) {
        for (const question of [text, name]) {
          const answer = said(solver, question, [...rest, wording].join('\n'))
          const kept = Object.values(others).filter(lesson => lesson.isKeptIn?.({ question, answer }))
          expect(kept).toEqual([])
        }
      }
    })
  },
)

const judged = (parts: Record<string, string>): string => {
  const text = Object.entries(parts).map(([name, part]) => `[begin ${name} 0a]\n${part}\n[end ${name} 0a]`)
  return (
    answerAsJudge({ model: 'judge', messages: [{ role: 'user', content: text.join('\n\n') }] }).content ?? ''
  )
}

describe('the judge of such work', () => {
  const rubric = '- Only the first surname, then et al.\n- The arXiv id with its version, not the URL.'
  const question = asking('a footnote please', paper)

  it('goes by the points of the rubric, in whatever words, and by the facts of the question', () => {
    const reason = judged({ rubric, question, answer: 'Okafor et al., 2024, arXiv:2403.91234v1' })
    expect(reason).toContain('The answer has \\"Only the first surname, then et al.\\"')
    expect(reason).toContain('It lacks \\"The arXiv id with its version, not the URL.\\"')
  })

  it('gives no credit for repeating the rubric', () => {
    const reason = judged({ rubric, question, answer: 'The first surname, then et al., with its version.' })
    expect(reason).toContain('The answer has nothing')
  })
})

describe('someone who reads a failed attempt', () => {
  const attempt = (feedback: string) => ({ question: '', reply: '', feedback, whole: '' })
  const lacking = (feedback: string) =>
    lessonsOf(references)
      .filter(([, lesson]) => lesson.isLackingIn(attempt(feedback)))
      .map(([name]) => name)

  it('sees what the judge said is lacking, and is tempted where a name should stand alone', () => {
    expect(lacking('- 0.50: The answer has "x". It lacks "First surname et al.".')).toEqual(['et-al'])
    expect(lacking('It lacks "Just that by itself, nothing around it.".')).toEqual([
      'name-alone',
      'always-alone',
    ])
  })

  it('learns nothing from what the answer has, nor without feedback', () => {
    expect(lacking('The answer has "First surname et al.". It lacks nothing.')).toEqual([])
    expect(lacking('')).toEqual([])
  })
})
