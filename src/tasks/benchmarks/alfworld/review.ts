import type { Command } from './commands.js'
import type { Game } from './game.js'
import type { Thing } from './layout.js'
import { Play } from './play.js'
import { actionIn, defaultAction } from './turn.js'
import type { World } from './world.js'

/** The effect of one reply. */
export interface Turn {
  /** Undefined if the reply gave no command. */
  readonly action: string | undefined
  /** Undefined if the action was not possible. */
  readonly command: Command | undefined
  /** Objects that the agent saw in the place it looked at. */
  readonly seen: readonly Thing[]
  /** The object that the agent held afterwards. */
  readonly held: Thing | undefined
}

export interface Review {
  readonly won: boolean
  readonly turns: readonly Turn[]
  /** The final state. */
  readonly world: World
}

/** Replays the replies of an attempt. */
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
