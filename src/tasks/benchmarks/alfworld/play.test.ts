import { describe, expect, it } from 'vitest'
import { houseText, lightGoal, placeGoal, twoGoal } from '../../../../test/support/small-house.js'
import { readGame } from './game.js'
import { Play } from './play.js'

type Given = Parameters<typeof houseText>[0]
const begin = (given: Given = {}) => new Play(readGame(houseText(given)))
const commandsOf = (play: Play) => play.commands.map(({ text }) => text)

/** The observation after the last command; each command must be possible. */
function after(play: Play, ...commands: readonly string[]): string {
  for (const command of commands) {
    expect(commandsOf(play)).toContain(command)
    play.step(command)
  }
  return play.observation
}

const takeApple = ['go to table 1', 'take apple 2 from table 1']

describe('what is seen', () => {
  it('begins with the room and the task', () => {
    expect(begin().observation).toBe(
      '-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see a fridge 1, a microwave 1, a shelf 1, a sinkbasin 1, and a table 1.\n\nYour task is to: put the apple away.',
    )
  })

  it('is what lies there, or that it is closed', () => {
    const play = begin()
    expect(after(play, 'go to table 1')).toBe(
      'You arrive at table 1. On the table 1, you see a apple 2, a knife 1, and a pan 1.',
    )
    expect(after(play, 'examine shelf 1')).toBe(
      'On the shelf 1, you see a desklamp 1, a pan 1, and a plate 1.',
    )
    expect(after(play, 'look')).toBe('You are facing the shelf 1, and table 1. Next to it, you see nothing.')
    expect(after(play, 'go to sinkbasin 1')).toBe(
      'You arrive at sinkbasin 1. On the sinkbasin 1, you see nothing.',
    )
    expect(after(play, 'go to fridge 1')).toBe('You arrive at fridge 1. The fridge 1 is closed.')
    expect(after(play, 'open fridge 1')).toBe(
      'You open the fridge 1. The fridge 1 is open. In it, you see a apple 1.',
    )
    expect(after(play, 'close fridge 1')).toBe('You close the fridge 1.')
    expect(after(play, 'examine fridge 1')).toBe('The fridge 1 is closed.')
  })

  it('tells what was done', () => {
    const play = begin()
    expect(after(play, 'inventory')).toBe('You are not carrying anything.')
    expect(after(play, ...takeApple)).toBe('You pick up the apple 2 from the table 1.')
    expect(after(play, 'inventory')).toBe('You are carrying: a apple 2.')
    expect(after(play, 'go to sinkbasin 1', 'clean apple 2 with sinkbasin 1')).toBe(
      'You clean the apple 2 using the sinkbasin 1.',
    )
    expect(after(play, 'move apple 2 to sinkbasin 1')).toBe('You move the apple 2 to the sinkbasin 1.')
    expect(after(play, 'go to shelf 1', 'use desklamp 1')).toBe('You turn on the desklamp 1.')
    expect(after(play, 'use desklamp 1')).toBe('You turn on the desklamp 1.')
    expect(after(play, 'help')).toMatch(/^\nAvailable commands:\n {2}look: .*sharp object\n$/s)
  })

  it('is unchanged by an impossible command', () => {
    const play = begin()
    const before = commandsOf(play)
    for (const words of ['go to attic 1', 'take apple 1 from fridge 1', 'Look', '', 'go to  table 1']) {
      expect(play.step(words)).toBeUndefined()
      expect(play.observation).toBe('Nothing happens.')
    }
    expect(commandsOf(play)).toEqual(before)
  })

  it('is the state of what is in the hand', () => {
    const play = begin()
    expect(after(play, ...takeApple, 'examine apple 2')).toBe("There's nothing special about apple 2.")
    expect(after(play, 'go to fridge 1', 'cool apple 2 with fridge 1', 'examine apple 2')).toBe(
      'This is a cold apple 2.',
    )
    after(play, 'go to sinkbasin 1', 'clean apple 2 with sinkbasin 1')
    expect(after(play, 'examine apple 2')).toBe('This is a cool and clean apple 2.')
    after(play, 'go to microwave 1', 'heat apple 2 with microwave 1')
    expect(after(play, 'examine apple 2')).toBe('This is a hot and clean apple 2.')
    after(play, 'go to table 1', 'move apple 2 to table 1', 'take knife 1 from table 1')
    expect(after(play, 'slice apple 2 with knife 1')).toBe('You sliced the apple 2 with the knife 1.')
    after(play, 'move knife 1 to table 1', 'take apple 2 from table 1')
    expect(after(play, 'examine apple 2')).toBe('This is a hot and clean sliced apple 2.')
  })

  it.each([
    ['isSliced', 'This is a sliced apple 2.'],
    ['isHot', 'This is a hot apple 2.'],
    ['isClean', 'This is a clean apple 2.'],
    ['isToggled', 'This apple 2 is on.'],
  ])('%s', (state, seen) => {
    expect(after(begin({ facts: `(${state} Apple_bar_1)` }), ...takeApple, 'examine apple 2')).toBe(seen)
  })

  it('says of a container what is in it', () => {
    const play = begin()
    after(play, 'go to shelf 1', 'take plate 1 from shelf 1')
    expect(after(play, 'examine plate 1')).toBe('This is a normal plate 1. In it, you see a knife 1.')
  })
})

describe('what is possible', () => {
  it('is sorted, and has every other place, but none at the location itself', () => {
    const play = begin()
    const everywhere = ['fridge', 'microwave', 'shelf', 'sinkbasin', 'table'].map(place => `go to ${place} 1`)
    expect(commandsOf(play)).toEqual([...everywhere, 'help', 'inventory', 'look'])
    after(play, 'go to table 1')
    expect(commandsOf(play)).toEqual([
      'examine shelf 1',
      'examine table 1',
      ...['fridge', 'microwave', 'sinkbasin'].map(place => `go to ${place} 1`),
      'help',
      'inventory',
      'look',
      'take apple 2 from table 1',
      'take knife 1 from table 1',
      'take pan 1 from shelf 1',
      'take pan 1 from table 1',
      'take plate 1 from shelf 1',
      'use desklamp 1',
    ])
  })

  it('with something in the hand, is what goes with it', () => {
    const play = begin()
    after(play, 'go to table 1', 'take knife 1 from table 1')
    // The shelf does not accept knives; a held object can be examined, one that lies there cannot.
    expect(commandsOf(play).filter(text => !text.startsWith('go to'))).toEqual([
      'examine knife 1',
      'examine shelf 1',
      'examine table 1',
      'help',
      'inventory',
      'look',
      'move knife 1 to table 1',
      'slice apple 2 with knife 1',
      'use desklamp 1',
    ])
    after(play, 'go to fridge 1')
    // The apple is behind the closed door, but the rule only requires the same location.
    expect(commandsOf(play)).toContain('slice apple 1 with knife 1')
    expect(commandsOf(play)).not.toContain('cool knife 1 with fridge 1')
  })

  it('treats what is held with doors closed, and takes from behind none', () => {
    const play = begin()
    after(play, 'go to fridge 1')
    expect(commandsOf(play)).not.toContain('take apple 1 from fridge 1')
    after(play, 'open fridge 1', 'take apple 1 from fridge 1', 'close fridge 1')
    expect(commandsOf(play)).toContain('cool apple 1 with fridge 1')
    expect(commandsOf(play)).not.toContain('move apple 1 to fridge 1')
  })

  it('lets a thing that lies in two places be taken from one and lie in the other', () => {
    const play = begin()
    after(play, 'go to table 1', 'take pan 1 from table 1')
    expect(after(play, 'examine shelf 1')).toContain('a pan 1')
    after(play, 'move pan 1 to table 1', 'take pan 1 from shelf 1', 'move pan 1 to table 1')
    expect(after(play, 'examine table 1')).toBe('On the table 1, you see a apple 2, a knife 1, and a pan 1.')
    expect(after(play, 'examine shelf 1')).toBe('On the shelf 1, you see a desklamp 1, and a plate 1.')
  })

  it('can use a lamp that lies in two places once', () => {
    const play = begin({ facts: '(inReceptacle DeskLamp_bar_1 Table_bar_1)' })
    after(play, 'go to table 1')
    expect(commandsOf(play).filter(text => text === 'use desklamp 1')).toHaveLength(1)
  })
})

describe('a game is won', () => {
  /** Whether the game was won after each command. */
  const course = (goal: string, ...commands: readonly string[]) => {
    const play = begin({ goal })
    return commands.map(command => {
      after(play, command)
      return play.won
    })
  }
  const firstAt = (won: readonly boolean[]) => won.indexOf(true)

  it('when the thing is in its place', () => {
    const commands = [...takeApple, 'go to microwave 1', 'open microwave 1', 'move apple 2 to microwave 1']
    expect(firstAt(course(placeGoal('AppleType', 'MicrowaveType'), ...commands))).toBe(4)
  })

  it('when it is there in the state that was asked for, and heat undoes cold', () => {
    const goal = placeGoal('AppleType', 'DiningTableType', ['coolable', 'isCool'])
    const fetched = ['go to fridge 1', 'open fridge 1', 'take apple 1 from fridge 1']
    expect(firstAt(course(goal, ...fetched, 'go to table 1', 'move apple 1 to table 1'))).toBe(4)
    const heated = [
      'go to microwave 1',
      'heat apple 1 with microwave 1',
      'go to table 1',
      'move apple 1 to table 1',
    ]
    expect(firstAt(course(goal, ...fetched, ...heated))).toBe(-1)
    const hot = placeGoal('AppleType', 'DiningTableType', ['heatable', 'isHot'])
    expect(firstAt(course(hot, ...fetched, ...heated))).toBe(6)
    const cooledAgain = [
      'go to fridge 1',
      'cool apple 1 with fridge 1',
      'go to table 1',
      'move apple 1 to table 1',
    ]
    expect(firstAt(course(hot, ...fetched, ...heated.slice(0, 2), ...cooledAgain))).toBe(-1)
    const clean = placeGoal('AppleType', 'DiningTableType', ['cleanable', 'isClean'])
    expect(firstAt(course(clean, ...fetched, ...heated))).toBe(-1)
  })

  it('when two of a kind are in one and the same place', () => {
    const fetched = ['go to fridge 1', 'open fridge 1', 'take apple 1 from fridge 1', 'go to table 1']
    const won = course(twoGoal('AppleType', 'DiningTableType'), ...fetched, 'move apple 1 to table 1')
    expect(firstAt(won)).toBe(4)
    // The one apple that is there at the start is not enough.
    expect(won[0]).toBe(false)
  })

  it('when the lamp is on where the thing is held, in either order', () => {
    expect(firstAt(course(lightGoal, ...takeApple, 'use desklamp 1'))).toBe(2)
    expect(firstAt(course(lightGoal, 'go to shelf 1', 'use desklamp 1', 'take apple 2 from table 1'))).toBe(2)
    const fridge = ['go to fridge 1', 'open fridge 1', 'take apple 1 from fridge 1']
    expect(firstAt(course(lightGoal, 'go to shelf 1', 'use desklamp 1', ...fridge, 'go to table 1'))).toBe(5)
  })
})
