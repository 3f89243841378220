import { parseObject, section } from './sections.js'

/** Minimum length of a word to compare. Shorter words occur in all kinds of tasks. */
const shortestWord = 4

/**
 * Names the tasks that a cause concerns: those that share a word with its description. A reader without
 * knowledge of the field would do the same.
 */
export function nameConcerned(text: string): object {
  const tasks = numbered(text, 'tasks').map(([number, task]) => ({ number, words: wordsOf(task) }))
  const concerned = numbered(text, 'causes').map(([cause, json]) => {
    const { cause: name, applies_to: condition } = parseObject(json) ?? {}
    const words = [...wordsOf(`${name ?? ''} ${condition ?? ''}`)]
    const alike = tasks.filter(task => words.some(word => task.words.has(word)))
    const isForAll = alike.length === tasks.length
    return { cause, all_tasks: isForAll, tasks: isForAll ? [] : alike.map(({ number }) => number) }
  })
  return { concerned }
}

/** The lines of a section that begin with a number in brackets, by number. */
export function numbered(text: string, name: string): readonly (readonly [number: number, line: string])[] {
  return (section(text, name) ?? '').split('\n').flatMap(line => {
    const found = /^\[(\d+)\] (.*)$/.exec(line)
    return found === null ? [] : [[Number(found[1]), found[2] ?? ''] as const]
  })
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  return new Set(words.filter(({ length }) => length >= shortestWord))
}
