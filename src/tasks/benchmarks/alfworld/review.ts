import type { Command } from './commands.js'
import type { Game } from './game.js'
import type { Thing } from './layout.js'
import { Play } from './play.js'
import { actionIn, defaultAction } from './turn.js'
import type { World } from './world.js'

/** What one reply of the agent did. */
export interface Turn {
  /** The action in the reply; undefined if the reply has none. */
  readonly action: string | undefined
  /** The executed command; undefined if the action was not possible. */
  readonly command: Command | undefined
  /** Objects in the place that the agent looked at. */
  readonly seen: readonly Thing[]
  /** The object that the agent held after the command. */
  readonly held: Thing | undefined
}

export interface Review {
  readonly won: boolean
  readonly turns: readonly Turn[]
  /** The state at the end of the game. */
  readonly world: World
}

/** Repeats an attempt by playing its replies again. */
export function review(game: Game, replies: readonly string[]): Review {
  const play = new Play(game)
  const turns: Turn[] = []
  for (const reply of replies) {
    if (play.won) break
    const action = actionIn(reply)
    const command = play.step(action ?? defaultAction)
    turns.push({ action, command, seen: shownBy(play.world, command), held: play.world.held })
  }
  return { won: play.won, turns, world: play.world }
}

function shownBy(world: World, command: Command | undefined): readonly Thing[] {
  if (command?.verb !== 'go' && command?.verb !== 'open' && command?.verb !== 'examine') return []
  return world.isAccessible(command.receptacle) ? world.contentsOf(command.receptacle) : []
}
