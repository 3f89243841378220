import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scoreContext } from '../../../../test/score-context.js'
import {
  gamesFolder,
  houseText,
  lightGoal,
  placeGoal,
  twoGoal,
} from '../../../../test/support/small-house.js'
import { InputError } from '../../../core/errors/errors.js'
import type { Trajectory } from '../../../core/task/task.js'
import { create, options } from './index.js'

let baseDir = ''
beforeEach(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'alfworld-'))
})
afterEach(() => rm(baseDir, { recursive: true }))

type House = Parameters<typeof houseText>[0]

/** An environment with three small games, the first of which is the training split. */
async function open(house: House = {}, given: object = {}) {
  const games = [house, { task: 'put one more apple away.' }, { task: 'put a third apple away.' }]
  await Promise.all(games.map((game, index) => write(`${index}.tw-pddl`, houseText(game))))
  const items = games.map((_, index) => ({ id: `g${index}`, gamefile: `${index}.tw-pddl` }))
  const named = { train: 'train.json', val: 'val.json', test: 'test.json' }
  await Promise.all(Object.values(named).map((file, index) => write(file, JSON.stringify([items[index]]))))
  return create(options.parse({ ...named, ...given }), { baseDir })
}

const write = (name: string, text: string) => writeFile(join(baseDir, name), text)

async function begin(house: House = {}, given: object = {}) {
  const environment = await open(house, given)
  const [task] = await environment.tasks('train')
  if (task === undefined) throw new Error('no task')
  const session = await environment.open(task, scoreContext)
  const say = async (text: string) => session.reply?.(text)
  const score = (...replies: readonly string[]) => environment.score(task, attempt(replies), scoreContext)
  return { environment, task, session, say, score }
}

function attempt(replies: readonly string[]): Trajectory {
  const messages = replies.map(text => ({ role: 'assistant', text }) as const)
  return { messages, answer: replies.at(-1) ?? '', stop: 'answered' }
}

const act = (command: string) => `<think>Why not.</think>\n<action>${command}</action>`
const acts = (...commands: readonly string[]) => commands.map(act)
const fetchApple = ['go to table 1', 'take apple 2 from table 1']

describe('a session', () => {
  it('shows the task, what is seen and what is possible, and asks for one command', async () => {
    const { session, task } = await begin()
    expect(session).toMatchObject({ skillAt: 'user', stateless: true, turnLimit: 50, tools: [] })
    expect(session.prompt).toBe(`Your task is to: put the apple away.
You have 50 steps.

Observation: -= Welcome to TextWorld, ALFRED! =-

You are in the middle of a room. Looking quickly around you, you see a fridge 1, a microwave 1, a shelf 1, a sinkbasin 1, and a table 1.

Your task is to: put the apple away.

Possible commands:
'go to fridge 1'
'go to microwave 1'
'go to shelf 1'
'go to sinkbasin 1'
'go to table 1'
'inventory'
'look'

Think between <think> and </think>, then give one of these commands between <action> and </action>.`)
    expect(session.instructions).toContain('<action>')
    expect(task).toMatchObject({ id: 'g0', type: 'pick_and_place_simple', task: 'put the apple away.' })
  })

  it('shows the last two steps, or as many as wanted', async () => {
    const { say } = await begin()
    await say(act('go to sinkbasin 1'))
    await say(act('go to fridge 1'))
    expect(await say(act('open fridge 1'))).toContain(`Steps so far: 3 of 50.

What you saw and did last:
Observation: You arrive at sinkbasin 1. On the sinkbasin 1, you see nothing.
Action: go to fridge 1
Observation: You arrive at fridge 1. The fridge 1 is closed.
Action: open fridge 1

Observation: You open the fridge 1. The fridge 1 is open. In it, you see a apple 1.

Possible commands:
'close fridge 1'
`)
    const without = await begin({}, { history: 0, maxSteps: 7 })
    const next = await without.say(act('go to sinkbasin 1'))
    expect(next).toMatch(
      /^Your task is to: put the apple away\.\nSteps so far: 1 of 7\.\n\nObservation: You arrive/,
    )
    expect(without.session.turnLimit).toBe(7)
  })

  it.each([
    ['<action>GO TO  Table 1</action>', 'go to  table 1', 'Nothing happens.'],
    ['<Action> Go to Table 1\n</Action>', 'go to table 1', 'You arrive at table 1.'],
    ['<action>inventory</action> or <action>look</action>', 'inventory', 'You are not carrying anything.'],
    ['I would go to table 1.', 'look', 'You are in the middle of a room.'],
    ['<action>  </action>', 'look', 'You are in the middle of a room.'],
    ['<action>go to table 1', 'look', 'You are in the middle of a room.'],
    ['', 'look', 'You are in the middle of a room.'],
  ])('takes %j for %s', async (reply, action, seen) => {
    const { say } = await begin()
    const next = await say(reply)
    expect(next).toContain(`\nAction: ${action}\n\nObservation: ${seen}`)
  })

  it('ends when the game is won', async () => {
    const { say } = await begin({ goal: placeGoal('AppleType', 'SinkBasinType') })
    for (const reply of acts(...fetchApple, 'go to sinkbasin 1')) expect(await say(reply)).not.toBe('done')
    expect(await say(act('move apple 2 to sinkbasin 1'))).toBe('done')
  })

  it('does not share its house with another session', async () => {
    const { environment, task, session, say } = await begin()
    await say(act('go to table 1'))
    expect((await environment.open(task, scoreContext)).prompt).toBe(session.prompt)
  })
})

describe('a score', () => {
  const won = acts(...fetchApple, 'go to sinkbasin 1', 'move apple 2 to sinkbasin 1')
  const goal = placeGoal('AppleType', 'SinkBasinType')

  it('is whether the game was won, by the steps that were allowed', async () => {
    const { score } = await begin({ goal })
    expect(await score(...won, 'and on')).toEqual({
      hard: 1,
      soft: 1,
      feedback: 'Done in 4 steps: put the apple away.',
    })
    expect(await score(...won.slice(0, 3))).toMatchObject({ hard: 0, soft: 0 })
    const short = await begin({ goal }, { maxSteps: 3 })
    expect(await short.score(...won)).toMatchObject({ hard: 0, soft: 0 })
  })

  const hot = placeGoal('AppleType', 'DiningTableType', ['heatable', 'isHot'])
  const two = twoGoal('AppleType', 'DiningTableType')
  const clean = placeGoal('PanType', 'MicrowaveType', ['cleanable', 'isClean'])
  it.each([
    ['nothing was done', goal, [], 'No apple was found.'],
    ['it was seen', goal, ['go to table 1'], 'apple 2 was seen at table 1, but not taken.'],
    ['it was taken', goal, fetchApple, 'apple 2 was taken, but not put in a sinkbasin.'],
    ['it was not heated', hot, fetchApple, 'apple 2 was taken, but not heated.'],
    [
      'it was put away cold',
      hot,
      [...fetchApple, 'move apple 2 to table 1'],
      'apple 2 was put in table 1, but it was not heated before.',
    ],
    [
      'it was not put away',
      hot,
      [...fetchApple, 'go to microwave 1', 'heat apple 2 with microwave 1'],
      'apple 2 was heated, but not put in a diningtable.',
    ],
    [
      'a pan was not cleaned',
      clean,
      ['go to table 1', 'take pan 1 from table 1'],
      'pan 1 was taken, but not cleaned.',
    ],
    ['one of two', two, ['look'], 'Only apple 2 is in a diningtable, and two have to be.'],
    [
      'no lamp',
      lightGoal,
      ['go to fridge 1', 'open fridge 1', 'take apple 1 from fridge 1'],
      'apple 1 was taken, but no desklamp was found while holding it.',
    ],
    [
      'lamp unused',
      lightGoal,
      [...fetchApple, 'examine shelf 1'],
      'apple 2 was taken, but the desklamp at shelf 1 was not used while holding it.',
    ],
    [
      'lamp alone',
      lightGoal,
      ['go to shelf 1', 'use desklamp 1'],
      'No apple was found. The desklamp was used, which counts only while holding the apple.',
    ],
    [
      'lamp apart',
      lightGoal,
      ['go to shelf 1', 'use desklamp 1', 'go to fridge 1', 'open fridge 1', 'take apple 1 from fridge 1'],
      'apple 1 was taken, but not held where the desklamp was used.',
    ],
  ])('says what was missing: %s', async (_, wanted, commands, missing) => {
    const { score } = await begin({ goal: wanted })
    const { feedback } = await score(...acts(...commands))
    const steps = `${commands.length} ${commands.length === 1 ? 'step' : 'steps'}`
    expect(feedback.split('\n').slice(0, 2)).toEqual([
      `Not done after ${steps}: put the apple away.`,
      missing,
    ])
  })

  it('says of two in different places where they are', async () => {
    const secondTable =
      '(receptacleType Table_bar_2 DiningTableType) (receptacleAtLocation Table_bar_2 loc_bar_9)'
    const { score } = await begin({ goal: two, facts: secondTable })
    const commands = [
      'go to fridge 1',
      'open fridge 1',
      'take apple 1 from fridge 1',
      'go to table 1',
      'move apple 1 to table 1',
    ]
    expect((await score(...acts(...commands))).feedback).toContain(
      '\napple 2 is in table 2, apple 1 is in table 1: two have to be in the same.\n',
    )
  })

  it('says how it searched, and which replies came to nothing', async () => {
    const { score } = await begin()
    const commands = [
      'go to microwave 1',
      'go to fridge 1',
      'go to microwave 1',
      'open microwave 1',
      'go to fridge 1',
      'fly',
      'fly',
    ]
    expect((await score(...acts(...commands), 'Hm.')).feedback.split('\n').slice(2)).toEqual([
      'Places visited: 2 of 5; visits to places seen before: 2.',
      'Found closed and not opened: fridge 1.',
      'Replies without a command between <action> and </action>: 1.',
      'Not possible when they were given: "fly".',
    ])
    const many = Array.from({ length: 10 }, (_, index) => act(`fly ${index}`))
    expect((await score(...many)).feedback).toContain('"fly 7" and 2 more.')
  })
})

describe('the data', () => {
  const items = (...fields: readonly object[]) => write('items.json', JSON.stringify(fields))
  const read = () => create(options.parse({ path: 'items.json', ratio: '1:1:1' }), { baseDir })

  it('is read from split folders as they are published, with paths that start above them', async () => {
    await cp(gamesFolder, join(baseDir, 'games'), { recursive: true })
    const environment = await create(options.parse({ splitDir: 'games' }), { baseDir })
    const sizes = await Promise.all(
      (['train', 'val', 'test'] as const).map(split => environment.tasks(split)),
    )
    expect(sizes.map(({ length }) => length)).toEqual([8, 4, 8])
    await mkdir(join(baseDir, 'lists'))
    for (const split of ['train', 'val', 'test'])
      await cp(join(baseDir, 'games', split), join(baseDir, 'lists', split), { recursive: true })
    const apart = await create(options.parse({ splitDir: 'lists', gamesDir: 'games' }), { baseDir })
    expect(await apart.tasks('test')).toEqual(await environment.tasks('test'))
    await expect(create(options.parse({ splitDir: 'lists' }), { baseDir })).rejects.toThrow(
      /^train\/items\.json, item 1 \(task train:0000\): the game json_2\.1\.1\/.* does not exist\.$/,
    )
  })

  it.each([
    [
      'cut short',
      houseText().slice(0, 4000),
      /\(task b\): the game b\.tw-pddl is cut short, or not JSON: .*\.$/,
    ],
    [
      'another thing',
      '{"game": 1}',
      /b\.tw-pddl is not a game file: pddl_domain, grammar, pddl_problem missing/,
    ],
    ['half a problem', houseText({ facts: ')' }), /b\.tw-pddl has a `pddl_problem` that cannot be played: /],
  ])('is refused with a game that is %s', async (_, text, problem) => {
    await write('a.tw-pddl', houseText())
    await write('b.tw-pddl', text)
    await items(
      { id: 'a', gamefile: 'a.tw-pddl' },
      { id: 'b', gamefile: 'b.tw-pddl' },
      { id: 'c', gamefile: 'a.tw-pddl' },
    )
    await expect(read()).rejects.toThrow(InputError)
    await expect(read()).rejects.toThrow(problem)
  })

  it('is refused with items of another shape', async () => {
    await items({ id: 'a', gamefile: 'a.tw-pddl' }, { id: 'b', game: 'b' }, { id: 'c' })
    await write('a.tw-pddl', houseText())
    await expect(read()).rejects.toThrow(/^items\.json, item \d is not an ALFWorld item: /)
  })

  it('is rejected if an item and its game disagree on the type', async () => {
    await write('a.tw-pddl', houseText())
    const item = { gamefile: 'a.tw-pddl', task_type: 'look_at_obj_in_light' }
    await items(item, item, item)
    await expect(read()).rejects.toThrow(
      'a.tw-pddl is of type pick_and_place_simple, and the item says look_at_obj_in_light.',
    )
  })

  it('is rejected if one game is in two splits, under any id', async () => {
    await write('a.tw-pddl', houseText())
    await items(...['a', 'b', 'c'].map(id => ({ id, gamefile: 'a.tw-pddl' })))
    await expect(read()).rejects.toThrow('The same task stands in two splits')
  })

  it('takes ids from the place in the list where there are none', async () => {
    const names = ['one', 'two', 'three']
    for (const name of names) await write(`${name}.tw-pddl`, houseText({ task: `put ${name} apple away.` }))
    await items(...names.map(name => ({ gamefile: `${name}.tw-pddl`, task_type: 'pick_and_place_simple' })))
    const [task] = await (await read()).tasks('train')
    expect(task?.id).toMatch(/^items-\d$/)
  })
})
