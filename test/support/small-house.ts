import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Folder of the example's games, and the first of them. */
export const gamesFolder = fileURLToPath(new URL('../../examples/alfworld/games/', import.meta.url))
const published = `${gamesFolder}json_2.1.1/train/pick_and_place_simple-CellPhone-None-Shelf-313/trial_T20190908_123725_452958/game.tw-pddl`

export interface GameFile {
  readonly pddl_domain: string
  readonly grammar: string
  readonly pddl_problem: string
  readonly walkthrough: readonly string[]
  readonly solvable: boolean
}

export const publishedGame = JSON.parse(readFileSync(published, 'utf8')) as GameFile

/** A kitchen written for tests, with the rules and wording of the published games. */
export function houseFile({
  goal = placeGoal('AppleType', 'MicrowaveType'),
  facts = '',
  task = 'put the apple away.',
} = {}) {
  const grammar = publishedGame.grammar.replace(/Your task is to: [^"]*/, () => `Your task is to: ${task}`)
  const problem = `(define (problem small) (:domain alfred) (:objects)
    (:init ${kitchen} ${facts} (= (total-cost) 0))
    (:goal (and ${goal})))`
  return { ...publishedGame, grammar, pddl_problem: problem, walkthrough: [] } satisfies GameFile
}

export const houseText = (given: Parameters<typeof houseFile>[0] = {}) => JSON.stringify(houseFile(given))

/** A goal in the notation of the published games. */
export function placeGoal(
  thing: string,
  place: string,
  treatment: readonly [string, string] | [] = [],
): string {
  const [able, state] = treatment
  const treated = able === undefined ? '' : `(${able} ?o) (${state} ?o)`
  return `(exists (?r - receptacle) (exists (?o - object)
    (and ${treated} (objectType ?o ${thing}) (receptacleType ?r ${place}) (inReceptacle ?o ?r))))`
}

export function twoGoal(thing: string, place: string): string {
  return `(exists (?r - receptacle) (exists (?o1 - object) (and
    (objectType ?o1 ${thing}) (receptacleType ?r ${place}) (inReceptacle ?o1 ?r)
    (exists (?o2 - object) (and (not (= ?o1 ?o2))
      (objectType ?o2 ${thing}) (receptacleType ?r ${place}) (inReceptacle ?o2 ?r))))))`
}

export const lightGoal = `(exists (?ot - object ?r - receptacle ?a - agent ?l - location) (and
    (objectType ?ot DeskLampType) (toggleable ?ot) (isToggled ?ot)
    (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?ot ?r)))
  (exists (?o - object ?a - agent) (and (objectType ?o AppleType) (holds ?a ?o)))`

/** Shelf and table share one location; the pan lies on the table and, by its geometry, on the shelf. */
const kitchen = `
  (atLocation agent1 loc_bar_0)
  ${receptacle('Fridge_bar_1', 'FridgeType', 'loc_bar_1', true)}
  ${receptacle('Microwave_bar_1', 'MicrowaveType', 'loc_bar_2', true)}
  ${receptacle('Sink_bar_1_bar_SinkBasin', 'SinkBasinType', 'loc_bar_3')}
  ${receptacle('Shelf_bar_1', 'ShelfType', 'loc_bar_4')}
  ${receptacle('Table_bar_1', 'DiningTableType', 'loc_bar_4')}
  ${thing('Apple_bar_1', 'AppleType', 'Table_bar_1', 'loc_bar_4', ['cleanable', 'heatable', 'coolable', 'sliceable'])}
  ${thing('Apple_bar_2', 'AppleType', 'Fridge_bar_1', 'loc_bar_1', ['cleanable', 'heatable', 'coolable', 'sliceable'])}
  (isCool Apple_bar_2)
  ${thing('Pan_bar_1', 'PanType', 'Table_bar_1', 'loc_bar_4', ['cleanable'])}
  (inReceptacle Pan_bar_1 Shelf_bar_1)
  ${thing('Plate_bar_1', 'PlateType', 'Shelf_bar_1', 'loc_bar_4', ['cleanable'])}
  (isReceptacleObject Plate_bar_1)
  ${thing('Knife_bar_1', 'KnifeType', 'Table_bar_1', 'loc_bar_4', ['cleanable'])}
  (inReceptacleObject Knife_bar_1 Plate_bar_1)
  (objectType DeskLamp_bar_1 DeskLampType) (toggleable DeskLamp_bar_1)
  (objectAtLocation DeskLamp_bar_1 loc_bar_4) (inReceptacle DeskLamp_bar_1 Shelf_bar_1)
  (objectType Sink_bar_1 SinkType) (objectAtLocation Sink_bar_1 loc_bar_3)
  (canContain FridgeType AppleType) (canContain MicrowaveType AppleType) (canContain SinkBasinType AppleType)
  (canContain ShelfType PlateType) (canContain DiningTableType AppleType) (canContain DiningTableType PanType)
  (canContain DiningTableType KnifeType) (canContain DiningTableType PlateType)`

function receptacle(id: string, type: string, location: string, openable = false): string {
  return `(receptacleType ${id} ${type}) (receptacleAtLocation ${id} ${location}) ${openable ? `(openable ${id})` : ''}`
}

function thing(id: string, type: string, place: string, location: string, able: readonly string[]): string {
  const abilities = ['pickupable', ...able].map(ability => `(${ability} ${id})`).join(' ')
  return `(objectType ${id} ${type}) (inReceptacle ${id} ${place}) (objectAtLocation ${id} ${location}) ${abilities}`
}
