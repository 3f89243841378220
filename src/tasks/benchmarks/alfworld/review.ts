import type { Command } from './commands.js'
import type { Game } from './game.js'
import type { Thing } from './layout.js'
import { Play } from './play.js'
import { actionIn, defaultAction } from './turn.js'
import type { World } from './world.js'

/** What one reply came to. */
export interface Turn {
  /** Nothing if the reply gave no command. */
  readonly action: string | undefined
  /** Nothing if what it gave was not possible. */
  readonly command: Command | undefined
  /** What it showed the agent, of the things in the place that it looked at. */
  readonly seen: readonly Thing[]
  /** What the agent had in its hand afterwards. */
  readonly held: Thing | undefined
}

export interface Review {
  readonly won: boolean
  readonly turns: readonly Turn[]
  /** As it was left. */
  readonly world: World
}

/** Plays the replies of an attempt once more. */
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
