import { type Expression, isFact } from './pddl.js'

export type Treatment = 'clean' | 'heat' | 'cool'

/**
 * The condition that wins a game. Kinds of objects and places are written as in their names: in lower case,
 * without the number.
 */
export type Goal =
  | {
      readonly kind: 'place'
      readonly thing: string
      readonly place: string
      /** Number of objects that must be in the same place. */
      readonly count: 1 | 2
      readonly treatment?: Treatment
    }
  | { readonly kind: 'light'; readonly thing: string; readonly lamp: string }

export const taskTypes = [
  'pick_and_place_simple',
  'look_at_obj_in_light',
  'pick_clean_then_place_in_recep',
  'pick_heat_then_place_in_recep',
  'pick_cool_then_place_in_recep',
  'pick_two_obj_and_place',
] as const
export type TaskType = (typeof taskTypes)[number]

const treatments: Readonly<Record<string, Treatment>> = { isclean: 'clean', ishot: 'heat', iscool: 'cool' }

/** Predicates of the six kinds of goal. A goal with any other predicate is not supported. */
const known = new Set([
  'objecttype',
  'receptacletype',
  'inreceptacle',
  'atlocation',
  'receptacleatlocation',
  'holds',
  'cleanable',
  'heatable',
  'coolable',
  'toggleable',
  'istoggled',
  ...Object.keys(treatments),
])

/** Parses a goal. Throws an `Error` if it is none of the six kinds. */
export function readGoal(expression: Expression): Goal {
  const conditions = conditionsOf(expression)
  const strange = conditions.find(([predicate = '']) => !known.has(predicate))
  if (strange !== undefined) throw new Error(`its goal has an unknown condition (${strange.join(' ')})`)
  const goal = lightGoal(conditions) ?? placeGoal(conditions)
  if (goal === undefined) throw new Error('its goal is none of the six kinds of ALFWorld')
  return goal
}

type Conditions = readonly (readonly string[])[]

function lightGoal(conditions: Conditions): Goal | undefined {
  const typeOf = (variable: string | undefined) =>
    having(conditions, 'objecttype').find(([, named]) => named === variable)?.[2]
  const lamp = typeOf(having(conditions, 'istoggled')[0]?.[1])
  const thing = typeOf(having(conditions, 'holds')[0]?.[2])
  if (lamp === undefined || thing === undefined) return undefined
  return { kind: 'light', thing: kindOfType(thing), lamp: kindOfType(lamp) }
}

function placeGoal(conditions: Conditions): Goal | undefined {
  const [thing, ...otherThings] = typesIn(conditions, 'objecttype')
  const [place, ...otherPlaces] = typesIn(conditions, 'receptacletype')
  const [treatment, ...otherTreatments] = conditions.flatMap(
    ([predicate = '']) => treatments[predicate] ?? [],
  )
  const isPlain = otherThings.length + otherPlaces.length + otherTreatments.length === 0
  if (thing === undefined || place === undefined || !isPlain) return undefined
  const count = having(conditions, 'inreceptacle').length
  if (count === 1)
    return { kind: 'place', thing, place, count, ...(treatment === undefined ? {} : { treatment }) }
  return count === 2 && treatment === undefined ? { kind: 'place', thing, place, count } : undefined
}

function having(conditions: Conditions, predicate: string): Conditions {
  return conditions.filter(([word]) => word === predicate)
}

function typesIn(conditions: Conditions, predicate: string): readonly string[] {
  return [...new Set(having(conditions, predicate).map(([, , type = '']) => kindOfType(type)))]
}

export function taskTypeOf(goal: Goal): TaskType {
  if (goal.kind === 'light') return 'look_at_obj_in_light'
  if (goal.count === 2) return 'pick_two_obj_and_place'
  return goal.treatment === undefined ? 'pick_and_place_simple' : `pick_${goal.treatment}_then_place_in_recep`
}

/**
 * The conditions of a goal, all of which must hold. `(exists (?o - object) …)` declares a variable. The only
 * negation says that two objects differ, so it is dropped.
 */
function conditionsOf(expression: Expression): Conditions {
  const [operator, ...parts] = expression
  if (operator === 'and') return parts.flatMap(conditionsOf)
  if (operator === 'exists') return conditionsOf(parts[1] ?? '')
  const [denied] = parts
  if (operator === 'not' && Array.isArray(denied) && denied[0] === '=') return []
  if (isFact(expression)) return [expression]
  throw new Error(`its goal has an unknown condition (${String(operator)} …)`)
}

/** The kind of objects of a type, such as `apple` for `AppleType`. */
export function kindOfType(type: string): string {
  return type.replace(/type$/, '')
}
