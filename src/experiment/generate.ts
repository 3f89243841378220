import { type Dice, diceOf } from '../simulated/random.js'
import { type Facts, type Intent, type Persona, requestText } from './persona.js'

/** The turns of a session, in order; the agent answers after each. */
export interface MadeTurn {
  readonly said: string
  readonly answer: string
}

export interface MadeSession {
  readonly id: string
  readonly at: number
  readonly turns: readonly MadeTurn[]
}

/** A request, with the facts that only the persona knows. */
export interface MadeRequest {
  readonly intent: Intent
  readonly facts: Facts
  readonly text: string
}

/** How often each intent is requested before a night: the first night looks back on more. */
const occasions = { first: 8, later: 3 }
/** Share of the intents that appear before the first night; the others appear later. */
const shareFromTheStart = 0.8
const daysBetween = 7
const dayMs = 86_400_000
const hourMs = 3_600_000

export interface MadeNight {
  readonly seed: number
  /** Counted from 1. */
  readonly night: number
  /** Total number of nights: the sessions before the last one end the day before `today`. */
  readonly nights: number
  readonly today: number
}

/** The sessions between the previous night and this one. */
export function sessionsOf(persona: Persona, { seed, night, nights, today }: MadeNight): MadeSession[] {
  const dice = diceOf('sessions', persona.project, seed, night)
  const number = night === 1 ? occasions.first : occasions.later
  const asked = intentsAt(persona, night).flatMap(intent =>
    Array.from({ length: number }, (_, occasion) => ({
      ...requestOf(persona, intent, dice),
      occasion: occasion + (night - 1) * occasions.first,
    })),
  )
  const talks = inSessions(dice.shuffle(asked), dice)
  const lastDay = Math.floor(today / dayMs) - 1 - daysBetween * (nights - night)
  return talks.map((talk, index) => {
    const day = lastDay - Math.floor((index * daysBetween) / talks.length)
    return {
      id: uuidOf(dice),
      at: day * dayMs + (8 + dice.integer(10)) * hourMs + dice.integer(3_000_000),
      turns: [
        ...oneOff(persona, index + (night - 1) * talks.length),
        ...talk.flatMap(request => talkAbout(persona, request, dice)),
      ],
    }
  })
}

/** Requests of another week, which no night ever sees: every intent `each` times. */
export function controlRequests(persona: Persona, seed: number, each: number): readonly MadeRequest[] {
  const dice = diceOf('control', persona.project, seed)
  return persona.intents.flatMap(intent =>
    Array.from({ length: each }, () => requestOf(persona, intent, dice)),
  )
}

function intentsAt({ intents }: Persona, night: number): readonly Intent[] {
  return night === 1 ? intents.slice(0, Math.ceil(shareFromTheStart * intents.length)) : intents
}

function requestOf(persona: Persona, intent: Intent, dice: Dice): MadeRequest {
  const facts = persona.facts(dice)
  return { intent, facts, text: requestText(dice.pick(intent.wordings), facts) }
}

/** One or two requests per session, never the same intent twice. */
function inSessions<Request extends MadeRequest>(requests: readonly Request[], dice: Dice): Request[][] {
  const talks: Request[][] = []
  for (const request of requests) {
    const last = talks.at(-1)
    const joins = last !== undefined && last.length === 1 && last[0]?.intent !== request.intent
    if (joins && dice.chance(0.4)) last.push(request)
    else talks.push([request])
  }
  return talks
}

/** The first sessions of a week begin with a request that never recurs. */
function oneOff({ oneOffs }: Persona, index: number): MadeTurn[] {
  const said = index % 5 === 0 ? oneOffs[index / 5] : undefined
  return said === undefined ? [] : [{ said, answer: 'Done, see above.' }]
}

/**
 * The agent gives its default answer; in three of four cases the persona says what was wrong, each time
 * differently.
 */
function talkAbout(
  persona: Persona,
  { intent, facts, text, occasion }: MadeRequest & { readonly occasion: number },
  dice: Dice,
): MadeTurn[] {
  const answer = persona.answer(facts)
  const wanted = intent.wants[occasion % (intent.wants.length + 1)]
  const convention = wanted === undefined ? undefined : persona.conventions[wanted]
  if (convention === undefined) return [{ said: text, answer }]
  return [
    { said: text, answer },
    { said: dice.pick(convention.complaints), answer: 'Right, I have changed that.' },
    ...(dice.chance(0.3) ? [{ said: 'thanks', answer: 'You are welcome.' }] : []),
  ]
}

function uuidOf(dice: Dice): string {
  const hex = (length: number) => Array.from({ length }, () => dice.integer(16).toString(16)).join('')
  return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`
}
