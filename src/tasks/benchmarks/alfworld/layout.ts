import { kindOfType } from './goal.js'
import { nameAll } from './names.js'
import type { Facts } from './pddl.js'

/** A place that holds objects. Several places may be at one location. */
export interface Receptacle {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly location: string
  readonly openable: boolean
}

export interface Thing {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly pickupable: boolean
  readonly cleanable: boolean
  readonly heatable: boolean
  readonly coolable: boolean
  readonly toggleable: boolean
  readonly sliceable: boolean
  /** Names of the objects inside, for an object that can contain others. No command changes them. */
  readonly inside: readonly string[] | undefined
}

/** A house: its places and objects, which places can hold which objects, and the initial state. */
export interface Layout {
  /** The places, sorted by id like every list that agents see. */
  readonly receptacles: readonly Receptacle[]
  readonly things: readonly Thing[]
  receptaclesAt(location: string): readonly Receptacle[]
  canContain(receptacle: Receptacle, thing: Thing): boolean
  readonly start: Start
}

interface Start {
  readonly location: string
  readonly opened: readonly Receptacle[]
  /** An object may be in two places: some houses have a pan on the counter and on the stove. */
  readonly contents: readonly (readonly [Receptacle, Thing])[]
  readonly whereabouts: readonly (readonly [Thing, string])[]
  readonly clean: readonly Thing[]
  readonly hot: readonly Thing[]
  readonly cool: readonly Thing[]
  readonly sliced: readonly Thing[]
  readonly toggled: readonly Thing[]
}

/** Reads a house from the facts of its game. Throws an `Error` if they are inconsistent. */
export function readLayout(facts: Facts): Layout {
  const pairs = (predicate: string) =>
    (facts.get(predicate) ?? []).map(([one = '', other = '']) => [one, other] as const)
  const all = (predicate: string) => new Set(pairs(predicate).map(([id]) => id))

  const locations = new Map(pairs('receptacleatlocation'))
  const thingIds = new Set([...all('objectatlocation'), ...all('inreceptacle')])
  const names = nameAll([...locations.keys(), ...thingIds])
  const kinds = new Map([...pairs('objecttype'), ...pairs('receptacletype')])
  const described = (id: string) => ({ id, name: names.get(id) ?? id, kind: kindOfType(kinds.get(id) ?? '') })

  const openable = all('openable')
  const receptacles = [...locations]
    .sort(byId)
    .map(([id, location]): Receptacle => ({ ...described(id), location, openable: openable.has(id) }))

  const standing = new Map<string, Receptacle[]>()
  for (const receptacle of receptacles) {
    const others = standing.get(receptacle.location)
    if (others === undefined) standing.set(receptacle.location, [receptacle])
    else others.push(receptacle)
  }

  const abilities = abilitiesOf(all)
  const containers = all('isreceptacleobject')
  const inside = pairs('inreceptacleobject').sort(byId)
  const namesInside = (container: string) =>
    inside.filter(([, outer]) => outer === container).map(([inner]) => names.get(inner) ?? inner)
  const things = [...thingIds].sort().map(
    (id): Thing => ({
      ...described(id),
      ...abilities(id),
      inside: containers.has(id) ? namesInside(id) : undefined,
    }),
  )

  const containable = new Set(
    pairs('cancontain').map(([place, thing]) => `${kindOfType(place)} ${kindOfType(thing)}`),
  )
  return {
    receptacles,
    things,
    receptaclesAt: location => standing.get(location) ?? [],
    canContain: (receptacle, thing) => containable.has(`${receptacle.kind} ${thing.kind}`),
    start: readStart(pairs, finder(receptacles, 'receptacle'), finder(things, 'object')),
  }
}

function readStart(
  pairs: (predicate: string) => readonly (readonly [string, string])[],
  receptacle: (id: string) => Receptacle,
  thing: (id: string) => Thing,
): Start {
  const things = (predicate: string) => pairs(predicate).map(([id]) => thing(id))
  const [agent] = pairs('atlocation')
  if (agent === undefined) throw new Error('it does not say where the agent is')
  return {
    location: agent[1],
    opened: pairs('opened').map(([id]) => receptacle(id)),
    contents: pairs('inreceptacle').map(([inner, outer]) => [receptacle(outer), thing(inner)]),
    whereabouts: pairs('objectatlocation').map(([id, location]) => [thing(id), location]),
    clean: things('isclean'),
    hot: things('ishot'),
    cool: things('iscool'),
    sliced: things('issliced'),
    toggled: things('istoggled'),
  }
}

function abilitiesOf(all: (predicate: string) => ReadonlySet<string>) {
  const pickupable = all('pickupable')
  const cleanable = all('cleanable')
  const heatable = all('heatable')
  const coolable = all('coolable')
  const toggleable = all('toggleable')
  const sliceable = all('sliceable')
  return (id: string) => ({
    pickupable: pickupable.has(id),
    cleanable: cleanable.has(id),
    heatable: heatable.has(id),
    coolable: coolable.has(id),
    toggleable: toggleable.has(id),
    sliceable: sliceable.has(id),
  })
}

function finder<T extends { readonly id: string }>(items: readonly T[], what: string): (id: string) => T {
  const known = new Map(items.map(item => [item.id, item]))
  return id => {
    const item = known.get(id)
    if (item === undefined) throw new Error(`it names the ${what} "${id}", which is nowhere`)
    return item
  }
}

function byId([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1
}
