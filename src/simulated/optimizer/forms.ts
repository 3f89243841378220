import { readAdvice } from '../world/reading.js'
import type { ProposedEdit } from './placing.js'
import type { ListedEdit } from './sections.js'

/** Converts edits to the other forms that a prompt may demand: suggestions in words, or the whole skill. */

export interface Suggestion {
  readonly type: string
  readonly title: string
  readonly instruction: string
}

type Change = Pick<ProposedEdit, 'target' | 'content'> & { readonly op: string }

export function toSuggestion({ op, target, content }: Change): Suggestion {
  const about = [...readAdvice(content ?? target ?? '').statements.keys()].join(', ').replaceAll('-', ' ')
  const title = about === '' ? 'general advice' : about
  if (op === 'delete')
    return { type: 'remove', title, instruction: `Remove the line ${JSON.stringify(target)}.` }
  if (op === 'replace') {
    const instruction = `Change the line ${JSON.stringify(target)} to ${JSON.stringify(content)}.`
    return { type: 'change', title, instruction }
  }
  return { type: 'add', title, instruction: `Add the line ${JSON.stringify(content)}.` }
}

/** Parses a suggestion's instruction into the change that it asks for. */
export function fromSuggestion(instruction: string): Change {
  const quoted = [...instruction.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([text]) => JSON.parse(text) as string)
  const [first, second] = quoted
  if (/^remove/i.test(instruction) && first !== undefined) return { op: 'delete', target: first }
  if (/^change/i.test(instruction) && first !== undefined && second !== undefined)
    return { op: 'replace', target: first, content: second }
  return { op: 'append', content: first ?? `- ${instruction}` }
}

/** Applies changes to the text of a skill. */
export function writeOut(skill: string, changes: readonly Change[]): string {
  return changes.reduce((text, change) => {
    const lines = text.split('\n')
    const at = change.target === undefined ? -1 : lines.indexOf(change.target)
    if (change.op === 'delete' && at >= 0) return lines.toSpliced(at, 1).join('\n')
    if (change.content === undefined) return text
    if (change.op === 'replace' && at >= 0) return lines.with(at, change.content).join('\n')
    if (change.op === 'insert_after' && at >= 0) return lines.toSpliced(at + 1, 0, change.content).join('\n')
    const region = lines.findIndex(line => /^<!-- \w+_START -->/.test(line))
    if (region < 0) return `${text.trimEnd()}\n${change.content}\n`
    const before = lines.slice(0, region).join('\n').trimEnd()
    return [before, change.content, '', ...lines.slice(region)].join('\n')
  }, skill)
}

/**
 * The changes that a rewritten version makes line by line. An added line on the subject of a removed line
 * counts as its replacement.
 */
export function changesOf(skill: string, version: ListedEdit): ListedEdit[] {
  const before = skill.split('\n')
  const after = (version.content ?? '').split('\n')
  const added = after.filter(line => line.trim() !== '' && !before.includes(line))
  const removed = before.filter(line => line.trim() !== '' && !after.includes(line))
  const subjectOf = (line: string) => [...readAdvice(line).statements.keys()].join()
  const replaced = new Set<string>()
  const changes = added.map((content): ListedEdit => {
    const subject = subjectOf(content)
    const target = removed.find(line => !replaced.has(line) && subject !== '' && subjectOf(line) === subject)
    if (target === undefined) return { ...version, op: 'append', content }
    replaced.add(target)
    return { ...version, op: 'replace', target, content }
  })
  const { content: _, ...rest } = version
  const deleted = removed.filter(line => !replaced.has(line))
  return [...changes, ...deleted.map(target => ({ ...rest, op: 'delete', target }))]
}
