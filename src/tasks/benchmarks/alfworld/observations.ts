import type { Command } from './commands.js'
import type { Receptacle, Thing } from './layout.js'
import type { World } from './world.js'

/** Observations for the agent, word for word as in ALFWorld. */

export const nothingHappens = 'Nothing happens.'

export function introduction(world: World): string {
  return `-= Welcome to TextWorld, ALFRED! =-\n\n${look(world)}\n\nYour task is to: ${world.game.task}`
}

/** The observation after a command was executed. */
export function observe(world: World, command: Command): string {
  switch (command.verb) {
    case 'go':
      return `You arrive at ${command.receptacle.name}. ${describe(world, command.receptacle)}`
    case 'open':
      return `You open the ${command.receptacle.name}. ${describe(world, command.receptacle)}`
    case 'close':
      return `You close the ${command.receptacle.name}.`
    case 'examine':
      return describe(world, command.receptacle)
    case 'take':
      return `You pick up the ${command.thing.name} from the ${command.receptacle.name}.`
    case 'move':
      return `You move the ${command.thing.name} to the ${command.receptacle.name}.`
    case 'clean':
    case 'heat':
    case 'cool':
      return `You ${command.verb} the ${command.thing.name} using the ${command.receptacle.name}.`
    case 'use':
      return `You turn on the ${command.thing.name}.`
    case 'slice':
      return `You sliced the ${command.thing.name} with the ${command.knife.name}.`
    case 'inspect':
      return inspect(world, command.thing)
    case 'look':
      return look(world)
    case 'inventory':
      return world.held === undefined
        ? 'You are not carrying anything.'
        : `You are carrying: a ${world.held.name}.`
    case 'help':
      return world.game.help
  }
}

function look(world: World): string {
  const here = world.game.receptaclesAt(world.location)
  return here.length === 0
    ? `You are in the middle of a room. Looking quickly around you, you see ${oneOfEach(world.game.receptacles)}.`
    : `You are facing the ${listed(here.map(({ name }) => name))}. Next to it, you see nothing.`
}

function describe(world: World, receptacle: Receptacle): string {
  const { name, openable } = receptacle
  const seen = oneOfEach(world.contentsOf(receptacle))
  if (!openable) return `On the ${name}, you see ${seen}.`
  return world.isOpen(receptacle) ? `The ${name} is open. In it, you see ${seen}.` : `The ${name} is closed.`
}

function inspect(world: World, thing: Thing): string {
  const { name, inside } = thing
  if (inside !== undefined)
    return `This is a normal ${name}. In it, you see ${listed(inside.map(inner => `a ${inner}`))}.`
  const isSliced = world.sliced.has(thing)
  const temperature = world.hot.has(thing) ? 'hot' : world.cool.has(thing) ? 'cool' : ''
  const states = [temperature, world.clean.has(thing) ? 'clean' : '']
    .filter(state => state !== '')
    .join(' and ')
  if (states !== '' && isSliced) return `This is a ${states} sliced ${name}.`
  if (states !== '') return `This is a ${states === 'cool' ? 'cold' : states} ${name}.`
  if (world.toggled.has(thing)) return `This ${name} is on.`
  return isSliced ? `This is a sliced ${name}.` : `There's nothing special about ${name}.`
}

function oneOfEach(seen: readonly { readonly name: string }[]): string {
  return listed(seen.map(({ name }) => `a ${name}`))
}

function listed(words: readonly string[]): string {
  const last = words.at(-1)
  if (last === undefined) return 'nothing'
  return words.length === 1 ? last : `${words.slice(0, -1).join(', ')}, and ${last}`
}
