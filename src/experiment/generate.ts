import { type Dice, diceOf } from '../simulated/random.js'
import { type Facts, type Intent, type Persona, requestText } from './persona.js'

/** A turn of a session: what the persona says and what the agent answers. */
export interface MadeTurn {
  readonly said: string
  readonly answer: string
}

export interface MadeSession {
  readonly id: string
  readonly at: number
  readonly turns: readonly MadeTurn[]
}

/** A request of the persona, with the facts that only the persona knows. */
export interface MadeRequest {
  readonly intent: Intent
  readonly facts: Facts
  readonly text: string
}

/** Number of requests per intent before a night. The first night looks back further than later ones. */
const occasions = { first: 8, later: 3 }
/** Share of the intents that appear before the first night. The others appear later. */
const shareFromTheStart = 0.8
const daysBetween = 7
const dayMs = 86_400_000
const hourMs = 3_600_000

export interface MadeNight {
  readonly seed: number
  /** Number of the night, counted from 1. */
  readonly night: number
  /** Total number of nights. The sessions before the last night end the day before `today`. */
  readonly nights: number
  readonly today: number
}

/** Generates the sessions in the week before a night. */
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

/** Generates requests that no night ever sees: `each` requests for every intent. */
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

/** Distributes requests among sessions. A session has one or two requests, never with the same intent. */
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

/** Every fifth session begins with a request that never recurs, until all of these are used. */
function oneOff({ oneOffs }: Persona, index: number): MadeTurn[] {
  const said = index % 5 === 0 ? oneOffs[index / 5] : undefined
  return said === undefined ? [] : [{ said, answer: 'Done, see above.' }]
}

/**
 * Generates the turns about one request. The agent gives its default answer. The persona complains about each
 * of its conventions in turn, and every so often about nothing.
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
