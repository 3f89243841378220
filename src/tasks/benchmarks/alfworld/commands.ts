import type { Game } from './game.js'
import type { Receptacle, Thing } from './layout.js'
import type { World } from './world.js'

/** A command that the agent can give now, with its text. */
export type Command = { readonly text: string } & (
  | { readonly verb: 'go' | 'open' | 'close' | 'examine'; readonly receptacle: Receptacle }
  | {
      readonly verb: 'take' | 'move' | 'clean' | 'heat' | 'cool'
      readonly thing: Thing
      readonly receptacle: Receptacle
    }
  | { readonly verb: 'use' | 'inspect'; readonly thing: Thing }
  | { readonly verb: 'slice'; readonly thing: Thing; readonly knife: Thing }
  | { readonly verb: 'look' | 'inventory' | 'help' }
)

const always: readonly Command[] = (['look', 'inventory', 'help'] as const).map(verb => ({
  text: verb,
  verb,
}))

/** All commands that are possible in the current state, sorted by text. */
export function commandsIn(world: World): readonly Command[] {
  const here = [...always, ...atHand(world)].sort(byText)
  // The `go to` commands share a prefix and are already sorted, so they are inserted as one block.
  const split = here.findIndex(({ text }) => text > 'go to')
  return [...here.slice(0, split), ...waysFrom(world), ...here.slice(split)]
}

function atHand(world: World): Command[] {
  const { held } = world
  const commands: Command[] = held === undefined ? [] : withHeld(world, held)
  for (const receptacle of world.game.receptaclesAt(world.location)) {
    const { name, openable } = receptacle
    commands.push({ text: `examine ${name}`, verb: 'examine', receptacle })
    if (openable) {
      const verb = world.isOpen(receptacle) ? 'close' : 'open'
      commands.push({ text: `${verb} ${name}`, verb, receptacle })
    }
    for (const thing of world.contentsOf(receptacle)) {
      // Some objects are in two places, but their command must be listed only once.
      if (thing.toggleable && !commands.some(({ text }) => text === `use ${thing.name}`))
        commands.push({ text: `use ${thing.name}`, verb: 'use', thing })
      if (held === undefined && thing.pickupable && world.isAccessible(receptacle))
        commands.push({ text: `take ${thing.name} from ${name}`, verb: 'take', thing, receptacle })
    }
  }
  return commands
}

/** Commands with the held object. Kitchen appliances work whether their door is open or closed. */
function withHeld(world: World, thing: Thing): Command[] {
  const { game } = world
  const commands: Command[] = [{ text: `examine ${thing.name}`, verb: 'inspect', thing }]
  for (const receptacle of game.receptaclesAt(world.location)) {
    const { kind, name } = receptacle
    if (world.isAccessible(receptacle) && game.canContain(receptacle, thing))
      commands.push({ text: `move ${thing.name} to ${name}`, verb: 'move', thing, receptacle })
    const treat = (verb: 'clean' | 'heat' | 'cool') =>
      commands.push({ text: `${verb} ${thing.name} with ${name}`, verb, thing, receptacle })
    if (thing.cleanable && (kind === 'sinkbasin' || kind === 'sink')) treat('clean')
    if (thing.heatable && kind === 'microwave') treat('heat')
    if (thing.coolable && kind === 'fridge') treat('cool')
  }
  if (thing.kind === 'knife' || thing.kind === 'butterknife') {
    for (const sliced of game.things) {
      if (sliced.sliceable && world.isHere(sliced))
        commands.push({
          text: `slice ${sliced.name} with ${thing.name}`,
          verb: 'slice',
          thing: sliced,
          knife: thing,
        })
    }
  }
  return commands
}

const ways = new WeakMap<Game, Map<string, readonly Command[]>>()

/** The `go to` commands, cached by location because they never change and are most of every list. */
function waysFrom({ game, location }: World): readonly Command[] {
  const known = ways.get(game) ?? new Map<string, readonly Command[]>()
  ways.set(game, known)
  const found = known.get(location)
  if (found !== undefined) return found
  const commands = game.receptacles
    .filter(receptacle => receptacle.location !== location)
    .map((receptacle): Command => ({ text: `go to ${receptacle.name}`, verb: 'go', receptacle }))
    .sort(byText)
  known.set(location, commands)
  return commands
}

function byText(one: Command, other: Command): number {
  return one.text < other.text ? -1 : 1
}
