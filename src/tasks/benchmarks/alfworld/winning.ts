import type { Goal } from './goal.js'
import type { Receptacle, Thing } from './layout.js'
import type { World } from './world.js'

/** Whether the game is won in the current state. */
export function isWon(world: World): boolean {
  const { goal, receptacles } = world.game
  if (goal.kind === 'light') return world.held?.kind === goal.thing && isInLight(world, goal.lamp)
  return receptacles.some(receptacle => receptacle.kind === goal.place && isEnough(world, receptacle, goal))
}

type PlaceGoal = Goal & { readonly kind: 'place' }

function isEnough(world: World, receptacle: Receptacle, goal: PlaceGoal): boolean {
  const counted = world
    .contentsOf(receptacle)
    .filter(thing => thing.kind === goal.thing && isTreated(world, thing, goal))
  return counted.length >= goal.count
}

/** Whether the object has had the treatment that the goal requires. */
export function isTreated(world: World, thing: Thing, { treatment }: Pick<PlaceGoal, 'treatment'>): boolean {
  if (treatment === 'clean') return thing.cleanable && world.clean.has(thing)
  if (treatment === 'heat') return thing.heatable && world.hot.has(thing)
  return treatment === undefined || (thing.coolable && world.cool.has(thing))
}

function isInLight(world: World, lamp: string): boolean {
  const isLit = (thing: Thing) => thing.kind === lamp && thing.toggleable && world.toggled.has(thing)
  return world.game.receptaclesAt(world.location).some(place => world.contentsOf(place).some(isLit))
}
