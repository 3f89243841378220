import { InputError } from '../../core/errors/errors.js'
import { listed } from '../../core/text/format.js'
import { nearest } from '../../core/text/nearest.js'
import type { TaskBook } from '../model/sleep-task.js'

/** Where a task is searched, as used in error messages. `whenEmpty` is the message if nothing is there. */
export interface Place {
  readonly where: string
  readonly whenEmpty: string
  /** Message for a task that exists elsewhere but not in this place. */
  elsewhere?(name: string): string | undefined
}

export function inProject({ dropped }: Pick<TaskBook, 'dropped'>): Place {
  return {
    where: 'in this project',
    whenEmpty: 'It has none: `skillopt sleep harvest` looks for them in your transcripts.',
    elsewhere(name) {
      const gone = name === '' ? undefined : dropped.find(({ id }) => id.startsWith(name))
      return gone === undefined
        ? undefined
        : `It was dropped: \`skillopt sleep tasks restore ${gone.id}\` takes it back.`
    },
  }
}

export const amongDropped: Place = {
  where: 'among the dropped ones',
  whenEmpty: 'Nothing was dropped.',
}

/** Finds the item by its id or by a unique prefix of its id. */
export function findTask<Item extends { readonly id: string }>(
  items: readonly Item[],
  name: string,
  { where, whenEmpty, elsewhere }: Place,
): Item {
  const exact = items.find(({ id }) => id === name)
  if (exact !== undefined) return exact
  const [first, ...others] = name === '' ? [] : items.filter(({ id }) => id.startsWith(name))
  if (first !== undefined && others.length === 0) return first
  if (first !== undefined) {
    throw new InputError(`"${name}" can be ${listed([first, ...others].map(({ id }) => id))} ${where}.`, {
      hint: 'Write more of the id.',
    })
  }
  throw new InputError(`There is no task "${name}" ${where}.`, {
    hint: elsewhere?.(name) ?? (items.length === 0 ? whenEmpty : hintFor(name, items)),
  })
}

function hintFor(name: string, items: readonly { readonly id: string }[]): string {
  const ids = items.map(({ id }) => id)
  if (name === '') return `There are ${listed(ids)}.`
  const beginnings = new Map(ids.map(id => [id.slice(0, name.length), id]))
  const near = nearest(name, ids) ?? beginnings.get(nearest(name, [...beginnings.keys()]) ?? '')
  return near === undefined ? `There are ${listed(ids)}.` : `Did you mean ${near}?`
}
