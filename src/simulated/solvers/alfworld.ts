import { type ChatReply, type ChatRequest, textOfRoles } from '../chat.js'
import type { Dice } from '../random.js'
import { type Chore, kindOf, messageBegins, readSituation, type Situation } from './alfworld-reading.js'
import type { Lesson, Solver } from './solver.js'

/**
 * Solver for household chores, with one command at a time and a memory of two steps. By default the agent
 * searches the house in list order without opening doors. It takes "hot", "clean" and "cool" as descriptions
 * of an object it already has, examines things without a lamp, and takes out again what it has put away.
 */

type LessonId = 'search' | 'treat' | 'light' | 'second'
type Follows = (lesson: LessonId) => boolean

interface Choice {
  readonly thought: string
  readonly command: string
}

function act(request: ChatRequest, follows: Follows, dice: Dice): ChatReply {
  const situation = readSituation(request)
  if (situation === undefined)
    return { content: '<think>I cannot make out the task.</think>\n<action>look</action>' }
  const { thought, command } = choose(situation, follows)
  const opening = dice.pick(['', 'Let me see. ', 'One thing after the other. '] as const)
  return { content: `<think>${opening}${thought}</think>\n<action>${command}</action>` }
}

function choose(situation: Situation, follows: Follows): Choice {
  if (situation.held === undefined) return findThing(situation, follows)
  return situation.chore.lamp === undefined
    ? bring(situation, situation.held, follows)
    : previewSession(situation, situation.held, situation.chore.lamp, follows)
}

// ── Finding ─────────────────────────────────────────────────────────────────

function findThing(situation: Situation, follows: Follows): Choice {
  const { chore, commands } = situation
  const kept = chore.two && follows('second') ? destinationOf(situation) : undefined
  const take = commands.find(
    command =>
      command.startsWith(`take ${chore.thing} `) &&
      !(kept !== undefined && command.endsWith(` from ${kept}`)),
  )
  if (take !== undefined) return { thought: `There is a ${chore.thing}: I take it.`, command: take }
  return searchOn(situation, `I am looking for a ${chore.thing}.`, follows('search'))
}

/** Kinds of places that are searched last, because they are mostly closed or numerous. */
const lateKinds = ['fridge', 'microwave', 'safe', 'cabinet', 'drawer']

function searchOn(situation: Situation, purpose: string, thoroughly: boolean): Choice {
  const { places, commands, focus } = situation
  if (thoroughly && focus !== undefined && commands.includes(`open ${focus}`))
    return { thought: `${purpose} The ${focus} is closed: I look inside.`, command: `open ${focus}` }
  const order = thoroughly
    ? places.toSorted((one, other) => lateKinds.indexOf(kindOf(one)) - lateKinds.indexOf(kindOf(other)))
    : places
  // Without a known place the index is -1, so the search starts at the first place.
  const next = order[(order.indexOf(focus ?? '') + 1) % order.length] ?? ''
  const command = commands.includes(`go to ${next}`) ? `go to ${next}` : `examine ${next}`
  return { thought: `${purpose} Next is the ${next}.`, command }
}

// ── Using the object ────────────────────────────────────────────────────────

function previewSession(situation: Situation, held: string, lamp: string, follows: Follows): Choice {
  if (!follows('light')) return { thought: `I have the ${held}: I look at it.`, command: `examine ${held}` }
  const use = situation.commands.find(command => command.startsWith(`use ${lamp} `))
  if (use !== undefined) return { thought: `I hold the ${held}, and here is a ${lamp}.`, command: use }
  return searchOn(situation, `I need a ${lamp}.`, false)
}

function bring(situation: Situation, held: string, follows: Follows): Choice {
  const { chore, commands } = situation
  if (wantsTreatment(chore, follows) && !isTreated(situation, held)) return treat(situation, held)
  const destination = destinationOf(situation)
  const move = `move ${held} to ${destination}`
  if (commands.includes(move)) return { thought: `The ${held} belongs here.`, command: move }
  if (commands.includes(`go to ${destination}`))
    return { thought: `I bring the ${held} to the ${destination}.`, command: `go to ${destination}` }
  return { thought: `The ${destination} is closed: I open it first.`, command: `open ${destination}` }
}

function wantsTreatment(chore: Chore, follows: Follows): boolean {
  return chore.treatment !== undefined && (chore.inSoManyWords || follows('treat'))
}

/**
 * Whether the agent believes that the object was treated. It remembers two steps only. At the destination it
 * believes so, unless it has just taken the object. If it is wrong, putting the object down does not complete
 * the chore; the agent then takes it again, and remembers that.
 */
function isTreated({ chore, done, focus }: Situation, held: string): boolean {
  const treatedLast = done.findLastIndex(action => action.startsWith(`${chore.treatment} ${held} `))
  const takenLast = done.findLastIndex(action => action.startsWith(`take ${held} `))
  if (treatedLast !== takenLast) return treatedLast > takenLast
  return focus !== undefined && kindOf(focus) === chore.place
}

const appliances = { clean: 'sinkbasin', heat: 'microwave', cool: 'fridge' } as const

function treat({ chore: { treatment = 'clean' }, commands, places }: Situation, held: string): Choice {
  const command = commands.find(candidate => candidate.startsWith(`${treatment} ${held} with `))
  if (command !== undefined) return { thought: `First I ${treatment} the ${held}.`, command }
  const appliance = places.find(place => kindOf(place) === appliances[treatment])
  return appliance === undefined
    ? { thought: `There is nothing to ${treatment} it with.`, command: 'look' }
    : { thought: `To ${treatment} the ${held}, I need the ${appliance}.`, command: `go to ${appliance}` }
}

/** The destination: always the first place of its kind, so that two objects end up in the same place. */
function destinationOf({ chore, places }: Situation): string {
  return places.find(place => kindOf(place) === chore.place) ?? ''
}

// ── Lessons ─────────────────────────────────────────────────────────────────

const lessons: Readonly<Record<LessonId, Lesson>> = {
  search: {
    wordings: [
      'Search the open places first, such as tables and counters; then open the closed ones one by one and look inside.',
      'If the thing is nowhere to be seen, search behind closed doors: open each cabinet and drawer that you come to.',
    ],
    isStatedIn: line => /\bsearch/i.test(line) && /\bopen (?:the closed|each|every)/i.test(line),
    isLackingIn: ({ feedback }) => /^No \w+ was found/m.test(feedback),
  },
  treat: {
    wordings: [
      'If the task says clean, hot or cool, do it yourself: clean with the sinkbasin, heat with the microwave, cool with the fridge, then bring the thing to its place.',
      'Before you put down a thing that has to be hot, cool or clean, heat it with the microwave, cool it with the fridge or clean it with the sinkbasin.',
    ],
    isStatedIn: line => /\bmicrowave\b/i.test(line) && /\bfridge\b/i.test(line) && /\bsink/i.test(line),
    isLackingIn: ({ feedback }) => /but (?:it was )?not (?:cleaned|heated|cooled)/.test(feedback),
  },
  light: {
    wordings: [
      'To look at a thing under a lamp, take it, go to the lamp with it in your hand, and use the lamp there.',
      'Something is examined in the light only if you hold it while you use the lamp.',
    ],
    isStatedIn: line => /\blamp\b/i.test(line) && /\b(?:in your hand|hold|holding)\b/i.test(line),
    isLackingIn: ({ feedback }) =>
      /lamp\b.* was not used while holding|no \w*lamp was found while holding/.test(feedback),
  },
  second: {
    wordings: [
      'When two things are asked for, leave the first where you have put it and fetch the second from somewhere else.',
      'Of two things, never take out again the first one that is in its place: look for the second elsewhere.',
    ],
    isStatedIn: line =>
      /\btwo\b/i.test(line) && /\bsecond\b/i.test(line) && /\b(?:leave|never take)\b/i.test(line),
    // The agent put down one object, but the chore needs two.
    isLackingIn: ({ feedback, whole }) =>
      /^Not done after \d+ steps: (?:put|find) two\b/m.test(feedback) && /<action>move /.test(whole),
  },
}

export const solver: Solver<LessonId> = {
  id: 'alfworld',
  lessons,
  taskBegins: messageBegins,
  recognises: request => {
    const text = textOfRoles(request, ['system', 'developer', 'user'])
    return messageBegins.test(text) && /^Possible commands:$/m.test(text)
  },
  act,
}
