import { isAbsolute, posix, win32 } from 'node:path'
import { z } from 'zod'
import { InputError } from '../../core/errors/errors.js'
import { seedDocument } from '../../core/skill/document.js'
import { applyEdits, type Edit, type EditReport } from '../../core/skill/edit.js'
import { regionObjection } from './region-objection.js'

/** A night's proposal holds new texts for skills and memory files, with the evidence for each edit. */

export const proposalFormat = 'skillopt.sleep.proposal.v1'

/** Id of a night's proposal, made from the night's number. */
export const proposalId = (night: number): string => `night-${String(night).padStart(3, '0')}`

const text = z.string().min(1)
const digest = z.string().regex(/^[0-9a-f]{64}$/, 'must be a sha256 in hex')
const moment = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T08:00:00Z' })
const interval = z.strictObject({ mean: z.number(), low: z.number(), high: z.number() })

/** Invisible and direction-changing characters. They could make one path look like another. */
const unseen = /[\p{Cc}\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/u
const absolutePath = z
  .string()
  .max(4_096, 'is too long for a path')
  .refine(path => !unseen.test(path), { error: 'may hold no control characters', abort: true })
  .refine(path => isAbsolute(path), { error: 'must be an absolute path', abort: true })
  .refine(
    path => !path.split(/[\\/]/).some(part => part === '..' || part === '.'),
    'may hold no . or .. steps',
  )

const memoryFiles = ['CLAUDE.md', 'AGENTS.md'] as const
const targetName = z
  .string()
  .regex(
    /^(?:memory:(?:CLAUDE|AGENTS)\.md|skill:[\p{L}\p{N}](?:[\p{L}\p{N}._ -]{0,78}[\p{L}\p{N}_-])?)$/u,
    `must be skill:NAME or memory: with ${memoryFiles.join(' or ')}`,
  )
const fileName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/, 'must be a plain file name')
  .refine(name => name !== proposalFile, 'may not be the name of the proposal itself')

export const proposalFile = 'proposal.json'

const target = z.strictObject({
  name: targetName,
  /** The path that the person uses for the file. */
  path: absolutePath,
  /** The path with links resolved: the file that is replaced. */
  realPath: absolutePath,
  /** True if `path` itself is a symbolic link, which is preserved. */
  link: z.boolean().default(false),
  /** Hash of the bytes at the start of the night; null if the file did not exist. */
  before: digest.nullable(),
  /** Hash of the region's text at the start of the night; null if there was no region. */
  regionBefore: digest.nullable(),
  mode: z.int().min(0).max(0o7777).nullable(),
  /** File name of the new text in the proposal folder. */
  proposed: fileName,
  after: digest,
})
export type ProposalTarget = z.output<typeof target>

const edit = z.strictObject({
  id: text,
  target: targetName,
  op: z.enum(['append', 'insert_after', 'replace', 'delete']),
  content: z.string(),
  /** The existing text to which the edit refers. Only `append` has none. */
  anchor: text.optional(),
  why: z.string(),
  tasks: z.array(text),
  sessions: z.array(text),
  /** How the gate judged the change that contained this edit. All edits of a change are judged together. */
  gate: z
    .strictObject({
      before: z.number(),
      /** Score after the change; absent if the gate decided before it had seen every task. */
      after: z.number().optional(),
      difference: interval.optional(),
      edits: z.int().positive(),
    })
    .optional(),
  status: z.enum(['proposed', 'rejected', 'unmatched']),
})
export type ProposalEdit = z.output<typeof edit>

const measure = z.strictObject({
  /** Targets that were measured together. */
  targets: z.array(targetName).min(1),
  tasks: z.array(text),
  before: interval,
  after: interval,
  difference: interval.optional(),
  /** `val` for the tasks that the gate used, `test` for tasks that the night had not seen. */
  split: z.enum(['val', 'test']).optional(),
  /** True if no edit was derived from these tasks. */
  measured: z.boolean(),
})

export const proposalSchema = z.strictObject({
  format: z.literal(proposalFormat),
  /** Id of the night. */
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/, 'may hold letters, digits, dots and dashes only'),
  project: absolutePath,
  madeAt: moment,
  /** Directory of the run that produced the proposal. */
  run: absolutePath,
  verdict: z.strictObject({ accepted: z.boolean(), reason: z.string() }),
  measures: z.array(measure),
  targets: z.array(target).max(200, 'may have at most 200 targets'),
  edits: z.array(edit).max(5_000, 'may have at most 5,000 edits'),
  /** Folders in which targets may be, with links resolved. */
  roots: z.array(absolutePath),
})
export type Proposal = z.output<typeof proposalSchema>

/** Validates a proposal. Throws `InputError` with the first problem; `shownAs` names the data's origin. */
export function parseProposal(data: unknown, shownAs: string): Proposal {
  const format: unknown =
    typeof data === 'object' && data !== null && 'format' in data ? data.format : undefined
  if (
    typeof format === 'string' &&
    /^skillopt\.sleep\.proposal\.v\d+$/.test(format) &&
    format !== proposalFormat
  ) {
    throw new InputError(
      `${shownAs} is of another format, ${format}; this skillopt knows ${proposalFormat}.`,
      {
        hint: 'Update skillopt. Nothing was changed.',
      },
    )
  }
  const parsed = proposalSchema.safeParse(data)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw refused(
      shownAs,
      `${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not as it should be'}`.trim(),
    )
  }
  const problem = problemOf(parsed.data)
  if (problem !== undefined) throw refused(shownAs, problem)
  return parsed.data
}

function refused(shownAs: string, problem: string): InputError {
  return new InputError(`${shownAs} cannot be used: ${problem}.`, {
    hint: 'Nothing was changed. Make a new proposal with another night.',
  })
}

/** Checks constraints that concern several fields. */
function problemOf({ targets, edits, measures, roots }: Proposal): string | undefined {
  const names = new Set(targets.map(({ name }) => name))
  return (
    doubled(targets, ({ name }) => name, 'name') ??
    doubled(targets, ({ realPath }) => realPath, 'file') ??
    doubled(targets, ({ path }) => path, 'path') ??
    doubled(targets, ({ proposed }) => proposed, 'proposed file') ??
    doubled(edits, ({ id }) => id, 'id') ??
    firstOf(targets, row => nameProblem(row)) ??
    firstOf(targets, row => rootProblem(row, roots)) ??
    firstOf(targets, ({ name, before, mode, regionBefore, link }) =>
      before === null && (mode !== null || regionBefore !== null || link)
        ? `${name} is said to be absent, and yet to have a mode, a region or a link`
        : undefined,
    ) ??
    firstOf(edits, ({ id, op, anchor, target: of, status }) => {
      if (status === 'proposed' && !names.has(of)) return `edit ${id} is for ${of}, which is no target`
      return op !== 'append' && anchor === undefined ? `edit ${id} does not say what it is about` : undefined
    }) ??
    firstOf(measures, ({ targets: of }) => {
      const unknown = of.find(name => !names.has(name))
      return unknown === undefined ? undefined : `${unknown} was measured, and is no target`
    })
  )
}

/**
 * Normalises a name, because some file systems treat differently spelled names as the same file. No two
 * targets may differ only in spelling.
 */
function spelling(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC')
}

function doubled<T>(rows: readonly T[], of: (row: T) => string, what: string): string | undefined {
  const seen = new Map<string, string>()
  for (const row of rows) {
    const key = spelling(of(row))
    const other = seen.get(key)
    if (other !== undefined) return `two of its entries have the same ${what}, ${other} and ${of(row)}`
    seen.set(key, of(row))
  }
  return undefined
}

function firstOf<T>(rows: readonly T[], problem: (row: T) => string | undefined): string | undefined {
  for (const row of rows) {
    const found = problem(row)
    if (found !== undefined) return found
  }
  return undefined
}

function nameProblem({ name, path, realPath, link }: ProposalTarget): string | undefined {
  const expected = name.startsWith('memory:')
    ? [name.slice('memory:'.length)]
    : [name.slice('skill:'.length), 'SKILL.md']
  const ends = stepsOf(path).slice(-expected.length)
  if (ends.join('/') !== expected.join('/')) return `${name} cannot lie at ${path}`
  const file = stepsOf(realPath).at(-1)
  // A link must lead to a file whose name a target may have. CLAUDE.md, for example, may be a link to
  // AGENTS.md.
  const allowed = link ? ['SKILL.md', ...memoryFiles] : [expected.at(-1)]
  return allowed.includes(file) ? undefined : `${name} leads to ${realPath}, which is no file of that kind`
}

function rootProblem({ name, realPath }: ProposalTarget, roots: readonly string[]): string | undefined {
  if (roots.some(root => stepsOf(root).length > 0 && isInside(root, realPath))) return undefined
  return `${name} lies at ${realPath}, outside of the folders that this night may write to`
}

/** True if `path` is below `folder`. The two paths are absolute, with links resolved. */
export function isInside(folder: string, path: string): boolean {
  const above = stepsOf(folder)
  const steps = stepsOf(path)
  return steps.length > above.length && above.every((step, index) => step === steps[index])
}

function stepsOf(path: string): string[] {
  const separator = path.startsWith('/') ? posix.sep : win32.sep
  return path.split(separator).filter(step => step !== '')
}

/** Normalises a region's text for storage. Blank lines around it are removed: they belong to the markers. */
export function tidyRegion(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/^\n+|\n+$/g, '')
}

/** What an edit does, without its evidence. */
export type EditStep = Pick<ProposalEdit, 'op' | 'content' | 'anchor'>

/** Applies the edits to the region in order and reports on each edit. */
export function editRegion(
  region: string,
  edits: readonly (EditStep & Pick<ProposalEdit, 'id'>)[],
): { readonly text: string; readonly reports: readonly EditReport[] } {
  const reports: EditReport[] = []
  let text = region
  for (const edit of edits) {
    // Guidance is written and removed together with its markers. No other edit may touch these markers.
    const isGuidance = holdsMarker(edit.content) || holdsMarker(edit.anchor ?? '')
    const [from, to] = isGuidance ? [masked, unmasked] : [same, same]
    const made = applyEdits(seedDocument(from(text)), [asEdit(edit, from)], (before, after) =>
      regionObjection(to(before), to(after)),
    )
    text = to(made.document.text)
    reports.push(...made.reports)
  }
  return { text: tidyRegion(text), reports }
}

function asEdit(
  { id, op, content, anchor = '' }: EditStep & Pick<ProposalEdit, 'id'>,
  written: (text: string) => string,
): Edit {
  const about = { id, tasks: [], support: 1, from: 'unknown' as const }
  if (op === 'append') return { ...about, op, content: written(content) }
  const target = written(anchor)
  return op === 'delete' ? { ...about, op, target } : { ...about, op, target, content: written(content) }
}

const same = (text: string) => text
const holdsMarker = (text: string) => /<!-- (?:SLOW_UPDATE|APPENDIX)_(?:START|END) -->/.test(text)
const masked = (text: string) =>
  text.replace(/<!-- (SLOW_UPDATE|APPENDIX)_(START|END) -->/g, '<!--\0$1_$2-->')
const unmasked = (text: string) =>
  text.replace(/<!--\0(SLOW_UPDATE|APPENDIX)_(START|END)-->/g, '<!-- $1_$2 -->')
