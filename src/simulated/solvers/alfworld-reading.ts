import { type ChatRequest, textOf } from '../chat.js'

/** The state of a household chore, read from one message. */
export interface Situation {
  readonly chore: Chore
  readonly observation: string
  /** The latest actions in order; the last one is the most recent. */
  readonly done: readonly string[]
  readonly commands: readonly string[]
  /** The object of the chore if the agent holds it. */
  readonly held: string | undefined
  /** All places in the house, in the order in which the commands list them. */
  readonly places: readonly string[]
  /** The place of the latest action. */
  readonly focus: string | undefined
}

export type Treatment = 'clean' | 'heat' | 'cool'

export interface Chore {
  readonly thing: string
  /** The place to bring the object to; undefined if it only has to be examined. */
  readonly place?: string
  readonly lamp?: string
  readonly treatment?: Treatment
  readonly two: boolean
  /**
   * Whether the sentence asks for a treatment with a verb ("heat the mug") and not only by naming the state
   * ("a hot mug").
   */
  readonly inSoManyWords: boolean
}

export const messageBegins = /^Your task is to: /m

export function readSituation(request: ChatRequest): Situation | undefined {
  const asked = request.messages.findLast(message => message.role === 'user')
  const text = asked === undefined ? '' : textOf(asked)
  const begin = messageBegins.exec(text)?.index
  const [told = '', listed] = begin === undefined ? [] : text.slice(begin).split('\n\nPossible commands:\n')
  const chore = readChore(/^Your task is to: (.*)$/m.exec(told)?.[1] ?? '')
  if (chore === undefined || listed === undefined) return undefined
  const commands = [...listed.matchAll(/^'(.+)'$/gm)].map(([, command = '']) => command)
  const done = [...told.matchAll(/^Action: (.*)$/gm)].map(([, action = '']) => action)
  const observation = told.slice(told.lastIndexOf('\nObservation: ') + '\nObservation: '.length)
  const near = namesAfter('examine ', commands)
  const held = near.find(name => kindOf(name) === chore.thing)
  const places = [...namesAfter('go to ', commands), ...near.filter(name => name !== held)].sort()
  const focus = done
    .map(placeNamedIn)
    .findLast(place => place !== undefined && place !== held && places.includes(place))
  return { chore, observation, done, commands, held, places, focus }
}

export function kindOf(name: string): string {
  return name.split(' ')[0] ?? name
}

const treatments: Readonly<Record<string, Treatment>> = {
  clean: 'clean',
  hot: 'heat',
  heat: 'heat',
  cool: 'cool',
  cold: 'cool',
}

/** Reads a chore from the sentence forms that describe it. */
function readChore(sentence: string): Chore | undefined {
  const text = sentence.trim().replace(/\.$/, '')
  const lit = /^(?:look at (?:the |a )?(\w+) under|examine (?:the |a )?(\w+) with) the (\w+)$/.exec(text)
  if (lit !== null) {
    const [, under, using, lamp = ''] = lit
    return { thing: under ?? using ?? '', lamp, two: false, inSoManyWords: false }
  }
  const both = /^(?:find two (\w+) and put them|put two (\w+)) (?:in|on) (\w+)$/.exec(text)
  if (both !== null)
    return { thing: both[1] ?? both[2] ?? '', place: both[3] ?? '', two: true, inSoManyWords: false }
  const verb = /^(clean|heat|cool) some (\w+) and put it (?:in|on) (\w+)$/.exec(text)
  if (verb !== null) return placing(verb[2], verb[3], verb[1], true)
  const state = /^put (?:a|some) (?:(clean|hot|cool|cold) )?(\w+) (?:in|on) (\w+)$/.exec(text)
  return state === null ? undefined : placing(state[2], state[3], state[1], false)
}

function placing(thing = '', place = '', word = '', inSoManyWords = false): Chore {
  const treatment = treatments[word]
  return { thing, place, two: false, inSoManyWords, ...(treatment === undefined ? {} : { treatment }) }
}

function namesAfter(words: string, commands: readonly string[]): readonly string[] {
  return commands.filter(command => command.startsWith(words)).map(command => command.slice(words.length))
}

/** The place in a command, which is always named last. */
function placeNamedIn(action: string): string | undefined {
  return /(\w+ \d+)$/.exec(action)?.[1]
}
