import { type Command, commandsIn } from './commands.js'
import type { Game } from './game.js'
import { introduction, nothingHappens, observe } from './observations.js'
import { isWon } from './winning.js'
import { World } from './world.js'

/** A game in progress, from its introduction to the command that wins it. */
export class Play {
  readonly world: World
  observation: string
  won = false
  #commands: readonly Command[]

  constructor(game: Game) {
    this.world = new World(game)
    this.observation = introduction(this.world)
    this.#commands = commandsIn(this.world)
  }

  /** The commands that are possible now. */
  get commands(): readonly Command[] {
    return this.#commands
  }

  /** Executes the command with this text and returns it. Text that is no possible command changes nothing. */
  step(text: string): Command | undefined {
    const command = this.#commands.find(candidate => candidate.text === text)
    if (command === undefined) {
      this.observation = nothingHappens
      return undefined
    }
    this.world.apply(command)
    this.#commands = commandsIn(this.world)
    this.won = isWon(this.world)
    this.observation = observe(this.world, command)
    return command
  }
}
