import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type GameFile,
  gamesFolder,
  houseFile,
  houseText,
  lightGoal,
  placeGoal,
  publishedGame,
  twoGoal,
} from '../../../../test/support/small-house.js'
import { readGame } from './game.js'
import { taskTypeOf } from './goal.js'
import { Play } from './play.js'

const files = readdirSync(gamesFolder, { recursive: true })
  .map(String)
  .filter(file => file.endsWith('game.tw-pddl'))
  .sort()

describe('the published games', () => {
  it('are all twenty there', () => expect(files).toHaveLength(20))

  it.each(files)('%s is won by its walkthrough, exactly at the last step', file => {
    const game = readGame(readFileSync(join(gamesFolder, file), 'utf8'))
    expect(file).toContain(`${taskTypeOf(game.goal)}-`)
    const play = new Play(game)
    const won = game.walkthrough.map(command => {
      expect(play.commands.map(({ text }) => text)).toContain(command)
      play.step(command)
      return play.won
    })
    expect(won).toEqual(game.walkthrough.map((_, index) => index === game.walkthrough.length - 1))
  })
})

describe('a goal', () => {
  const read = (goal: string) => readGame(houseText({ goal })).goal
  it('is read as one of six kinds', () => {
    const apple = { kind: 'place', thing: 'apple', place: 'fridge', count: 1 }
    expect(read(placeGoal('AppleType', 'FridgeType'))).toEqual(apple)
    const treatments = {
      clean: ['cleanable', 'isClean'],
      heat: ['heatable', 'isHot'],
      cool: ['coolable', 'isCool'],
    } as const
    for (const [treatment, conditions] of Object.entries(treatments))
      expect(read(placeGoal('AppleType', 'FridgeType', conditions))).toEqual({ ...apple, treatment })
    expect(read(twoGoal('AppleType', 'FridgeType'))).toEqual({ ...apple, count: 2 })
    expect(read(lightGoal)).toEqual({ kind: 'light', thing: 'apple', lamp: 'desklamp' })
  })

  it.each([
    ['(exists (?o - object) (isSliced ?o))', 'unknown condition (issliced ?o)'],
    ['(or (holds agent1 Apple_bar_1) (isHot Apple_bar_1))', 'unknown condition (or …)'],
    ['(not (isHot Apple_bar_1))', 'unknown condition (not …)'],
    ['(exists (?o - object) (and (objectType ?o AppleType) (isHot ?o)))', 'none of the six kinds'],
    [`${placeGoal('AppleType', 'FridgeType')} ${placeGoal('MugType', 'ShelfType')}`, 'none of the six kinds'],
  ])('that asks for something else is refused: %s', (goal, problem) => {
    expect(() => read(goal)).toThrow(problem)
  })
})

describe('a game file that cannot be played is refused', () => {
  const file = houseFile()
  const changed = (change: Partial<Record<keyof GameFile, unknown>>) => JSON.stringify({ ...file, ...change })
  it.each([
    ['cut short', houseText().slice(0, 5000), 'is cut short, or not JSON'],
    ['empty', '', 'is cut short, or not JSON'],
    ['a list', '[]', 'is not a game file'],
    ['without a field', changed({ grammar: undefined }), 'grammar missing or of another type'],
    ['unsolvable', changed({ solvable: false }), 'cannot be won'],
    [
      'with other rules',
      changed({ pddl_domain: file.pddl_domain.replace('(holds ?a ?o)', '') }),
      'other rules',
    ],
    [
      'with other words',
      changed({ grammar: file.grammar.replace('move {o} to', 'put {o} in') }),
      'otherwise than',
    ],
    ['without help', changed({ grammar: file.grammar.replace('Available', 'Some') }), 'otherwise than'],
    ['without a task', changed({ grammar: file.grammar.replace('Your task', 'The task') }), 'says no task'],
    ['with half a problem', changed({ pddl_problem: file.pddl_problem.slice(0, 900) }), 'a ")" is missing'],
    ['with too much of it', changed({ pddl_problem: `${file.pddl_problem} )` }), 'a ")" too many'],
    ['with an empty problem', changed({ pddl_problem: '; nothing' }), 'it is empty'],
    ['without a start', changed({ pddl_problem: '(define (:goal (and)))' }), 'no section ":init"'],
    ['without a goal', changed({ pddl_problem: '(define (:init) (:goal))' }), 'its goal is empty'],
    [
      'with a lost place',
      houseText({ facts: '(inReceptacle Apple_bar_1 Attic_bar_1)' }),
      'receptacle "attic_bar_1"',
    ],
    ['with a lost thing', houseText({ facts: '(isHot Egg_bar_1)' }), 'object "egg_bar_1", which is nowhere'],
    [
      'without an agent',
      changed({ pddl_problem: file.pddl_problem.replace('(atLocation', '(was') }),
      'where the agent is',
    ],
  ])('%s', (_, text, problem) => {
    expect(() => readGame(text)).toThrow(problem)
  })

  it('but not for the space between its words, its comments or its case', () => {
    const pddl_domain = `; A comment\n${publishedGame.pddl_domain.replaceAll('\n', '\n\n')}`.toUpperCase()
    expect(readGame(changed({ pddl_domain })).task).toBe('put the apple away.')
  })
})
