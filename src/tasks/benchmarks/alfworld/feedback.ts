import type { Goal, Treatment } from './goal.js'
import type { Receptacle, Thing } from './layout.js'
import type { Review, Turn } from './review.js'
import { isTreated } from './winning.js'

/** Feedback for reflection: the task, what the agent achieved, and what it missed. */
export function feedbackOf(review: Review): string {
  const { won, turns, world } = review
  const { task, goal } = world.game
  const steps = `${turns.length} ${turns.length === 1 ? 'step' : 'steps'}`
  if (won) return `Done in ${steps}: ${task}`
  const missing = goal.kind === 'light' ? missingInLight(review, goal) : missingInPlace(review, goal)
  return [`Not done after ${steps}: ${task}`, missing, ...searchNotes(review), ...replyNotes(turns)].join(
    '\n',
  )
}

type PlaceGoal = Goal & { readonly kind: 'place' }
type LightGoal = Goal & { readonly kind: 'light' }

const treated: Readonly<Record<Treatment, string>> = { clean: 'cleaned', heat: 'heated', cool: 'cooled' }

function missingInPlace(review: Review, goal: PlaceGoal): string {
  const { world } = review
  const inPlace = world.game.receptacles
    .filter(({ kind }) => kind === goal.place)
    .flatMap(place => world.contentsOf(place).map(thing => ({ thing, place })))
    .filter(({ thing }) => thing.kind === goal.thing)
  const [left] = inPlace
  const handled = thingsHandled(review, goal.thing)
  if (goal.count === 2 && left !== undefined) {
    return inPlace.length === 1
      ? `Only ${left.thing.name} is in a ${goal.place}, and two have to be.`
      : `${inPlace.map(({ thing, place }) => `${thing.name} is in ${place.name}`).join(', ')}: two have to be in the same.`
  }
  if (goal.treatment !== undefined) {
    const verb = treated[goal.treatment]
    const put = inPlace.find(({ thing }) => handled.includes(thing))
    if (put !== undefined)
      return `${put.thing.name} was put in ${put.place.name}, but it was not ${verb} before.`
    const ready = handled.find(thing => isTreated(world, thing, goal))
    if (ready !== undefined) return `${ready.name} was ${verb}, but not put in a ${goal.place}.`
    const [taken] = handled
    if (taken !== undefined) return `${taken.name} was taken, but not ${verb}.`
  }
  const [taken] = handled
  if (taken !== undefined) return `${taken.name} was taken, but not put in a ${goal.place}.`
  return notTaken(review, goal.thing)
}

function missingInLight(review: Review, goal: LightGoal): string {
  const { turns } = review
  const uses = turns.filter(({ command }) => command?.verb === 'use' && command.thing.kind === goal.lamp)
  const [taken] = thingsHandled(review, goal.thing)
  if (taken === undefined) {
    const used =
      uses.length === 0
        ? ''
        : ` The ${goal.lamp} was used, which counts only while holding the ${goal.thing}.`
    return `${notTaken(review, goal.thing)}${used}`
  }
  if (uses.length > 0) return `${taken.name} was taken, but not held where the ${goal.lamp} was used.`
  const seen = firstSeen(turns, goal.lamp)
  const lamp =
    seen === undefined ? `no ${goal.lamp} was found` : `the ${goal.lamp} at ${seen.place} was not used`
  return `${taken.name} was taken, but ${lamp} while holding it.`
}

function notTaken({ turns }: Review, kind: string): string {
  const seen = firstSeen(turns, kind)
  return seen === undefined
    ? `No ${kind} was found.`
    : `${seen.thing.name} was seen at ${seen.place}, but not taken.`
}

/** Objects of this kind that the agent held, latest first. */
function thingsHandled({ turns }: Review, kind: string): readonly Thing[] {
  const held = turns.flatMap(turn => turn.held ?? []).filter(thing => thing.kind === kind)
  return [...new Set(held.reverse())]
}

function firstSeen(turns: readonly Turn[], kind: string): { thing: Thing; place: string } | undefined {
  for (const { command, seen } of turns) {
    const thing = seen.find(candidate => candidate.kind === kind)
    if (thing !== undefined && command !== undefined && 'receptacle' in command)
      return { thing, place: command.receptacle.name }
  }
  return undefined
}

/** Notes on the search. A place that the agent never searched may hold the object or be its destination. */
function searchNotes({ turns, world }: Review): string[] {
  const { goal, receptacles, start } = world.game
  const placesOf = (verb: 'go' | 'open') =>
    turns.flatMap(({ command }) => (command?.verb === verb ? [command.receptacle] : []))
  const visits = placesOf('go')
  const visited = new Set(visits)
  const opened = new Set([...start.opened, ...placesOf('open')])
  const closed = [...visited].filter(place => place.openable && !opened.has(place))
  const isDestination = ({ kind }: Receptacle) => goal.kind === 'place' && kind === goal.place
  const listed = [...closed.filter(isDestination), ...closed.filter(place => !isDestination(place))]
  return [
    `Places visited: ${visited.size} of ${receptacles.length}; visits to places seen before: ${visits.length - visited.size}.`,
    ...(listed.length === 0 ? [] : [`Found closed and not opened: ${some(listed.map(({ name }) => name))}.`]),
  ]
}

function replyNotes(turns: readonly Turn[]): string[] {
  const silent = turns.filter(({ action }) => action === undefined).length
  const impossible = turns.flatMap(({ action, command }) =>
    action !== undefined && command === undefined ? [`"${action}"`] : [],
  )
  return [
    ...(silent === 0 ? [] : [`Replies without a command between <action> and </action>: ${silent}.`]),
    ...(impossible.length === 0
      ? []
      : [`Not possible when they were given: ${some([...new Set(impossible)])}.`]),
  ]
}

function some(names: readonly string[]): string {
  const most = 8
  const more = names.length - most
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ')
}
