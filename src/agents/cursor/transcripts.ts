import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Draft } from '../shared/transcripts/draft.js'
import { agentFolder, projectIn } from '../shared/transcripts/paths.js'
import { readSidecarRecord } from '../shared/transcripts/sidecar.js'
import { createSource, type RecordReader } from '../shared/transcripts/source.js'
import { asRecord, asText, at, type JsonRecord, recordsIn, textIn } from '../shared/transcripts/values.js'

const folderOfSessions = 'agent-transcripts'

export const source = createSource({
  id: 'cursor',
  title: 'Cursor',
  places: user => [join(agentFolder(user, ['CURSOR_DATA_DIR'], '.cursor'), 'projects')],
  kindOf: path => {
    if (/(?:^|\/)subagents\//.test(path)) return path.endsWith('.jsonl') ? 'sub-agent' : undefined
    if (path.endsWith('.txt') && path.includes(`${folderOfSessions}/`)) return 'older-form'
    return path.endsWith('.jsonl') ? 'session' : undefined
  },
  enters: folder => !elsewhere.has(basename(folder)),
  async open(draft) {
    // The file is written for as long as the session lasts, so its mtime is the time of the last event.
    const { mtimeMs } = await stat(draft.file)
    draft.addTime(Math.floor(mtimeMs))
    const folder = folderOfProject(draft.file)
    const trusted =
      folder === undefined ? undefined : await readSidecarRecord(join(folder, '.workspace-trusted'))
    draft.at(trusted?.workspacePath)
    return createReader(draft, basename(folder ?? ''))
  },
})

/** Folders of a project that hold no sessions: terminal output, tool results, notes. */
const elsewhere = new Set(['terminals', 'agent-tools', 'agent-notes', 'mcps', 'assets', 'canvases'])

function folderOfProject(file: string): string | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (basename(folder) === folderOfSessions) return dirname(folder)
  return undefined
}

const [beginOfQuery, endOfQuery] = ['<user_query>', '</user_query>']
const stamp = /<timestamp>([^<]*)<\/timestamp>/
/** Matches text that the program writes in the user's name. */
const notTyped = /^\s*<([a-z_]+)>[\s\S]*<\/\1>/
/** Placeholder for the model's hidden reasoning. */
const hidden = '[REDACTED]'
const wentWell = new Set(['success', 'completed'])

function createReader(draft: Draft, projectName: string): RecordReader {
  // Only newer versions record times, and only for prompts.
  let time: number | undefined
  let project: string | undefined

  const readUser = (text: string) => {
    if (text === '') return
    time = stampedTime(stamp.exec(text)?.[1] ?? '')
    draft.addTime(time)
    const typed = typedIn(text)
    if (typed !== undefined) draft.addPrompt(typed, time)
    else if (!notTyped.test(text)) draft.addPrompt(text, time)
  }
  const readAssistant = (content: unknown) => {
    if (typeof content === 'string') draft.addAnswer(shownOf(content), time)
    for (const block of recordsIn(content)) {
      if (block.type === 'text') draft.addAnswer(shownOf(asText(block.text) ?? ''), time)
      else if (block.type === 'tool_use') {
        project ??= projectAmong(block.input, projectName)
        draft.at(project)
        draft.addCall({ id: block.id, name: block.name, input: block.input, setFolder: time })
      }
    }
  }
  const readResults = (content: unknown) => {
    for (const block of recordsIn(content))
      if (block.type === 'tool_result')
        draft.addResult(block.tool_use_id, { output: textIn(block.content), failed: block.is_error === true })
  }
  draft.name(basename(draft.file, '.jsonl'))
  return {
    read(record) {
      const content = at(record, 'message', 'content')
      if (record.role === 'user') {
        readResults(content)
        readUser(textIn(content))
      } else if (record.role === 'assistant') readAssistant(content)
      else if (record.type === 'turn_ended') readEnd(draft, record, time)
      else return asText(record.type) ?? asText(record.role) ?? ''
      return undefined
    },
  }
}

/**
 * The text that the user typed: the last query in the message, because the program's additions come before
 * it.
 */
function typedIn(text: string): string | undefined {
  const end = text.lastIndexOf(endOfQuery)
  const begin = end < 0 ? -1 : text.lastIndexOf(beginOfQuery, end)
  return begin < 0 ? undefined : text.slice(begin + beginOfQuery.length, end)
}

function shownOf(text: string): string {
  const trimmed = text.trimEnd()
  return trimmed.endsWith(hidden) ? trimmed.slice(0, -hidden.length) : text
}

function readEnd(draft: Draft, { status, error }: JsonRecord, time: number | undefined): void {
  const how = asText(status) ?? ''
  if (!wentWell.has(how)) draft.brokenOff(asText(error) ?? how, time)
}

/**
 * Guesses the project from a tool's input. A project's folder is named after its path, with hyphens in place
 * of everything but letters and digits, which cannot be reversed. If a prefix of a path in the input maps to
 * this name, that prefix is the project.
 */
function projectAmong(input: unknown, name: string): string | undefined {
  const paths = Object.values(asRecord(input) ?? {}).map(projectIn)
  for (const path of paths) {
    for (let folder = path ?? '/'; folder !== dirname(folder); folder = dirname(folder))
      if (folder.replace(/[^A-Za-z\d]+/g, '-').replace(/^-|-$/g, '') === name) return folder
  }
  return undefined
}

const stampForm = /^\w+, (\w{3} \d{1,2}, \d{4}), (\d{1,2}:\d\d [AP]M) \(UTC(?:([+-]\d{1,2})(?::(\d\d))?)?\)$/

/** Parses times such as `Friday, Sep 4, 2026, 2:21 AM (UTC+8)`. */
function stampedTime(text: string): number | undefined {
  const [, date, clock, hours = '0', minutes = '0'] = stampForm.exec(text.trim()) ?? []
  if (date === undefined) return undefined
  const offset = Number(hours) * 60 + Math.sign(Number(hours)) * Number(minutes)
  const time = Date.parse(`${date} ${clock} UTC`) - offset * 60_000
  return Number.isNaN(time) ? undefined : time
}
