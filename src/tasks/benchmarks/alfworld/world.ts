import type { Command } from './commands.js'
import type { Game } from './game.js'
import type { Receptacle, Thing } from './layout.js'

/** The mutable state of a game in play. */
export class World {
  readonly game: Game
  readonly clean: Set<Thing>
  readonly hot: Set<Thing>
  readonly cool: Set<Thing>
  readonly sliced: Set<Thing>
  readonly toggled: Set<Thing>
  location: string
  held: Thing | undefined
  readonly #opened: Set<Receptacle>
  readonly #contents = new Map<Receptacle, Thing[]>()
  readonly #whereabouts = new Map<Thing, Set<string>>()

  constructor(game: Game) {
    const { start } = game
    this.game = game
    this.location = start.location
    this.clean = new Set(start.clean)
    this.hot = new Set(start.hot)
    this.cool = new Set(start.cool)
    this.sliced = new Set(start.sliced)
    this.toggled = new Set(start.toggled)
    this.#opened = new Set(start.opened)
    for (const [receptacle, thing] of start.contents) this.#put(thing, receptacle)
    for (const [thing, location] of start.whereabouts) this.#place(thing, location)
  }

  isOpen(receptacle: Receptacle): boolean {
    return this.#opened.has(receptacle)
  }

  isAccessible(receptacle: Receptacle): boolean {
    return !receptacle.openable || this.#opened.has(receptacle)
  }

  /** The objects in a place, sorted by id. */
  contentsOf(receptacle: Receptacle): readonly Thing[] {
    return this.#contents.get(receptacle) ?? []
  }

  /** Whether the object is at the agent's location, even behind a door. */
  isHere(thing: Thing): boolean {
    return this.#whereabouts.get(thing)?.has(this.location) ?? false
  }

  /** Executes a command, which must come from `commandsIn` for the current state. */
  apply(command: Command): void {
    switch (command.verb) {
      case 'go':
        this.location = command.receptacle.location
        return
      case 'open':
        this.#opened.add(command.receptacle)
        return
      case 'close':
        this.#opened.delete(command.receptacle)
        return
      case 'take':
        this.#take(command.thing, command.receptacle)
        return
      case 'move':
        this.#put(command.thing, command.receptacle)
        this.#place(command.thing, this.location)
        this.held = undefined
        return
      case 'clean':
        this.clean.add(command.thing)
        return
      case 'heat':
        this.hot.add(command.thing)
        this.cool.delete(command.thing)
        return
      case 'cool':
        this.cool.add(command.thing)
        this.hot.delete(command.thing)
        return
      case 'use':
        // Only whether the object was used matters, not how often: the goal needs no more, and the
        // observation is always the same.
        this.toggled.add(command.thing)
        return
      case 'slice':
        this.sliced.add(command.thing)
        return
      default:
        // All other commands only look and change nothing.
        return
    }
  }

  #take(thing: Thing, receptacle: Receptacle): void {
    const contents = this.#contents.get(receptacle) ?? []
    this.#contents.set(
      receptacle,
      contents.filter(other => other !== thing),
    )
    this.#whereabouts.get(thing)?.delete(this.location)
    this.held = thing
  }

  #put(thing: Thing, receptacle: Receptacle): void {
    const contents = this.#contents.get(receptacle) ?? []
    if (contents.includes(thing)) return
    const after = contents.findIndex(other => other.id > thing.id)
    this.#contents.set(receptacle, contents.toSpliced(after === -1 ? contents.length : after, 0, thing))
  }

  #place(thing: Thing, location: string): void {
    const known = this.#whereabouts.get(thing)
    if (known === undefined) this.#whereabouts.set(thing, new Set([location]))
    else known.add(location)
  }
}
