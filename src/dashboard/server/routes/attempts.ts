import { Hono } from 'hono'
import { skillHash } from '../../../core/skill/skill.js'
import type { RunView } from '../../../core/view/run-view.js'
import {
  type AttemptDetail,
  type AttemptFacets,
  type AttemptLine,
  type AttemptPage,
  type Facet,
  type FacetValue,
  facets,
  type MoreMessages,
} from '../../contract/attempts.js'
import { type AttemptEvent, messagesOf, moreText, saidIn } from '../attempts/messages.js'
import {
  type AttemptFilter,
  readFilter,
  readMessagesPlace,
  readPage,
  readSeq,
  readTextPlace,
} from '../attempts/query.js'
import {
  facetValues,
  outcomeOf,
  type ResolvedFilter,
  type Selection,
  selectAttempts,
  sortedIndices,
} from '../attempts/selection.js'
import { type SplitOf, splitsOf } from '../attempts/splits.js'
import type { ServerContext } from '../context.js'
import { NotFoundError } from '../not-found.js'
import type { AttemptRow, AttemptTable, LiveRun } from '../runs/types.js'
import { findSkill, type KnownSkill, knownSkills } from '../skill/known-skills.js'

/** Maximum number of attempts at the same task on an attempt's page. Few tasks have more. */
const ofTaskShown = 200

/** Routes for the list of attempts and for single attempts. */
export function attemptRoutes({ runs, signal }: ServerContext): Hono {
  return new Hono()
    .get('/runs/:run/attempts', async context => {
      const { sort, offset, limit, ...filter } = readPage(context.req.query())
      const opened = await open(await runs.open(context.req.param('run')))
      const { known, indices } = await select(opened, filter, signal)
      const page: AttemptPage = {
        known,
        total: indices.length,
        offset,
        lines: sortedIndices(opened.table, indices, sort)
          .slice(offset, offset + limit)
          .map(index => opened.line(opened.table.row(index))),
      }
      return context.json(page)
    })
    .get('/runs/:run/attempts/facets', async context => {
      const filter = readFilter(context.req.query())
      const opened = await open(await runs.open(context.req.param('run')))
      return context.json(facetsOf(opened, await select(opened, filter, signal)))
    })
    .get('/runs/:run/attempts/:seq', async context => {
      const seq = readSeq(context.req.param('seq'))
      const opened = await open(await runs.open(context.req.param('run')))
      return context.json(await detailOf(opened, seq))
    })
    .get('/runs/:run/attempts/:seq/messages', async context => {
      const { from } = readMessagesPlace(context.req.query())
      const run = await runs.open(context.req.param('run'))
      const event = await attemptAt(run, readSeq(context.req.param('seq')))
      const messages =
        event.type === 'attempt.failed' ? [] : await messagesOf(event.body, from, ref => run.text(ref))
      const more: MoreMessages = { from, messages }
      return context.json(more)
    })
    .get('/runs/:run/attempts/:seq/text', async context => {
      const place = readTextPlace(context.req.query())
      const run = await runs.open(context.req.param('run'))
      const event = await attemptAt(run, readSeq(context.req.param('seq')))
      return context.json(await moreText(event, place, ref => run.text(ref)))
    })
}

interface Opened {
  readonly run: LiveRun
  readonly view: RunView
  readonly table: AttemptTable
  readonly known: readonly KnownSkill[]
  readonly splitOf: SplitOf
  readonly line: (row: AttemptRow) => AttemptLine
  readonly nameOf: (hash: string) => SkillName
}

type SkillName = Omit<AttemptLine['skill'], 'hash'>

async function open(run: LiveRun): Promise<Opened> {
  const view = await run.view()
  const [table, known, splitOf] = await Promise.all([
    run.attempts(),
    knownSkills(view, ref => run.text(ref)),
    splitsOf(run, view),
  ])
  const nameOf = skillNames(view, known)
  return { run, view, table, known, splitOf, nameOf, line: row => lineOf(row, splitOf, nameOf) }
}

/**
 * Names each skill after the first version with its text. Without such a version, the name is the skill's
 * origin or hash.
 */
function skillNames(view: RunView, known: readonly KnownSkill[]): Opened['nameOf'] {
  const names = new Map<string, SkillName>()
  const add = (hash: string, name: SkillName) => {
    if (!names.has(hash)) names.set(hash, name)
  }
  add(skillHash(''), { id: skillHash(''), name: 'no skill', hasText: false })
  for (const { shown } of known) add(shown.skill, { id: shown.id, name: shown.name, hasText: shown.hasText })
  for (const { step, candidate } of view.steps)
    if (candidate !== undefined)
      add(candidate.skill, { id: candidate.skill, name: `step ${step}`, hasText: true })
  for (const { epoch, slowUpdateGate } of view.epochEnds)
    if (slowUpdateGate !== undefined) {
      const { candidate } = slowUpdateGate
      add(candidate, { id: candidate, name: `slow update ${epoch}`, hasText: false })
    }
  return hash => names.get(hash) ?? { id: hash, name: hash.slice(0, 8), hasText: false }
}

function lineOf(row: AttemptRow, splitOf: SplitOf, nameOf: Opened['nameOf']): AttemptLine {
  const { seq, at, stage, epoch, step, task, type, sample, status, hard, soft, stop, failure } = row
  const split = splitOf(row)
  return {
    seq,
    at,
    stage,
    epoch,
    step,
    task,
    type,
    sample,
    isCached: row.cached,
    ...(split === undefined ? {} : { split }),
    skill: { ...nameOf(row.skill), hash: row.skill },
    outcome: outcomeOf(row),
    ...(status === 'failed' ? {} : { hard, soft }),
    ...(stop === undefined ? {} : { stop }),
    ...(failure === undefined ? {} : { failure }),
  }
}

function resolve(
  { view, known, nameOf }: Opened,
  { skill, from, to, ...rest }: AttemptFilter,
): ResolvedFilter {
  // Skills that are in no list, such as a rejected slow update or the empty skill, are identified by hash.
  const hashOf = (named: string) =>
    isHash(named) && !nameOf(named).hasText ? named : findSkill(view, known, named).shown.skill
  return {
    ...rest,
    ...(skill === undefined ? {} : { skill: hashOf(skill) }),
    ...(from === undefined || to === undefined ? {} : { pair: [hashOf(from), hashOf(to)] as const }),
  }
}

const isHash = (text: string) => /^[0-9a-f]{16}$/.test(text)

/**
 * Caches the latest selections of each run, because scrolling repeats the same query and its counts. Keyed by
 * the split function, so the cache is dropped when more splits become known.
 */
const selections = new WeakMap<SplitOf, Map<string, Promise<Selection>>>()
const selectionsKept = 6

function select(opened: Opened, filter: AttemptFilter, signal: AbortSignal): Promise<Selection> {
  const { table, splitOf } = opened
  const resolved = resolve(opened, filter)
  const until = Math.min(resolved.until ?? table.length, table.length)
  const key = JSON.stringify({ ...resolved, until })
  const kept = selections.get(splitOf) ?? new Map<string, Promise<Selection>>()
  selections.set(splitOf, kept)
  const before = kept.get(key)
  if (before !== undefined) return before
  const selecting = selectAttempts(table, splitOf, { ...resolved, until }, signal)
  selecting.catch(() => kept.delete(key))
  kept.set(key, selecting)
  const [oldest] = kept.keys()
  if (kept.size > selectionsKept && oldest !== undefined) kept.delete(oldest)
  return selecting
}

function facetsOf({ nameOf }: Opened, selection: Selection): AttemptFacets {
  const { known, indices, counts, changes, searchedUpTo } = selection
  const valuesOf = (facet: Facet): readonly FacetValue[] => {
    const counted = counts.get(facet) ?? new Map<string, number>()
    if (facet !== 'skill') return facetValues(counted, facet === 'step' || facet === 'sample')
    return facetValues(counted, false).map(({ value, count }) => {
      const { id, name } = nameOf(value)
      return { value: id, name, count }
    })
  }
  return {
    known,
    total: indices.length,
    facets: Object.fromEntries(facets.map(facet => [facet, valuesOf(facet)])) as AttemptFacets['facets'],
    ...(changes === undefined ? {} : { changes }),
    ...(searchedUpTo === undefined ? {} : { searchedUpTo }),
  }
}

async function detailOf({ run, table, line }: Opened, seq: number): Promise<AttemptDetail> {
  const event = await attemptAt(run, seq)
  const rows = rowsOfTask(table, event.body.task)
  const own = rows.find(row => row.seq === seq)
  if (own === undefined) throw noAttempt(seq)
  const at = Math.max(0, rows.indexOf(own) - ofTaskShown / 2)
  return {
    line: line(own),
    ...(await saidIn(event, ref => run.text(ref))),
    ofTask: rows.slice(at, at + ofTaskShown).map(line),
    ofTaskCount: rows.length,
  }
}

function rowsOfTask(table: AttemptTable, task: string): readonly AttemptRow[] {
  const rows: AttemptRow[] = []
  for (let index = 0; index < table.length; index += 1) {
    const row = table.row(index)
    if (row.task === task) rows.push(row)
  }
  return rows
}

async function attemptAt(run: LiveRun, seq: number): Promise<AttemptEvent> {
  const { events } = await run.view()
  if (seq >= events) throw noAttempt(seq)
  const event = await run.event(seq)
  if (event.type === 'attempt.finished' || event.type === 'attempt.failed') return event
  throw noAttempt(seq)
}

const noAttempt = (seq: number) =>
  new NotFoundError(`There is no attempt at place ${seq} of this log.`, {
    hint: 'The list of attempts has those that there are.',
  })
