import { basename, extname } from 'node:path'
import type { Draft } from '../shared/transcripts/draft.js'
import { fieldOf } from '../shared/transcripts/json-items.js'
import type { RecordReader } from '../shared/transcripts/source.js'
import { timeOf } from '../shared/transcripts/times.js'
import { asRecord, asText, at, type JsonRecord, recordsIn } from '../shared/transcripts/values.js'
import { createOperationLog, type Shape } from './operation-log.js'

/** Creates the reader of a session that is stored as a log of changes. */
export function createLogReader(draft: Draft): RecordReader {
  const chat = createChat(draft)
  return {
    read(record) {
      if (typeof record.kind !== 'number') return asText(record.type) ?? 'without a kind'
      return chat.apply(record)
    },
    finish: () => chat.finish(),
  }
}

/**
 * Creates the reader of a session that is stored as one JSON document. It gets the requests one by one, and
 * each other field as a record of its own.
 */
export function createDocumentReader(draft: Draft): RecordReader {
  const chat = createChat(draft)
  return {
    read(record) {
      const [name, value] = fieldOf(record) ?? []
      return name === undefined
        ? chat.apply({ kind: 2, k: ['requests'], v: [record] })
        : chat.apply({ kind: 1, k: [name], v: value })
    },
    finish: () => chat.finish(),
  }
}

/**
 * Collects changes and reads messages only after the last one, because the user may have gone back and
 * answers are written several times while they grow.
 */
function createChat(draft: Draft): { apply(operation: JsonRecord): string | undefined; finish(): void } {
  const log = createOperationLog(shapeOf(draft))
  return {
    apply(operation) {
      const outcome = log.apply(operation)
      if (outcome === 'unknown') return `operation ${operation.kind}`
      if (outcome === 'misfit') draft.countLost('changes of what is not there')
      if (outcome === 'no-room') draft.countLost('records that there was no room for')
      return undefined
    },
    finish() {
      const session = asRecord(log.state()) ?? {}
      draft.name(session.sessionId ?? basename(draft.file, extname(draft.file)))
      draft.addTime(timeOf(session.lastMessageDate))
      const requests = Array.isArray(session.requests) ? session.requests : []
      for (const request of requests) readRequest(draft, asRecord(request), timeOf(session.creationDate))
    },
  }
}

function shapeOf(draft: Draft): Shape {
  const words = (value: unknown) => (typeof value === 'string' ? draft.words(value) : undefined)
  const errorIn = (details: unknown) =>
    asRecord(details) === undefined ? undefined : (words(at(details, 'message')) ?? 'The model failed.')
  const request: Record<string, Shape> = {
    type: plain,
    timestamp: plain,
    message: value => words(asText(value) ?? at(value, 'text')),
    agent: isCopilots,
    isSystemInitiated: plain,
    isHidden: plain,
    hiddenFromTranscript: plain,
    shouldBeRemovedOnSend: value => asRecord(value) !== undefined,
    confirmation: value => typeof value === 'string',
    response: { each: value => partOf(draft, asRecord(value) ?? {}) },
    result: value => errorIn(at(value, 'errorDetails')),
    responseErrorDetails: errorIn,
    modelState: { fields: { value: plain, completedAt: plain } },
    isCanceled: plain,
  }
  return {
    fields: {
      sessionId: plain,
      creationDate: plain,
      lastMessageDate: plain,
      requests: { each: { fields: request } },
    },
  }
}

/** Keeps numbers, flags and short names, which contain no text of the user. */
function plain(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' || (asText(value)?.length ?? 201) <= 200
    ? value
    : undefined
}

/**
 * Whether Copilot wrote an answer. The same window also holds answers of other extensions and of other
 * companies' agents.
 */
function isCopilots(agent: unknown): boolean {
  const extension = asText(at(agent, 'extensionId', 'value'))?.toLowerCase()
  const id = asText(at(agent, 'id'))
  if (extension === undefined) return id === undefined || id.startsWith('github.copilot')
  // The second id is VS Code itself, which answers until Copilot is set up.
  return extension === 'github.copilot-chat' || extension === 'nullextensiondescription'
}

const textKinds = new Set([undefined, 'markdownContent', 'markdownVuln'])

/** Reduces a part of an answer to what is kept: text, a tool call, or a marker for a sub-agent. */
function partOf(draft: Draft, part: JsonRecord): JsonRecord | undefined {
  if (part.kind === 'toolInvocationSerialized')
    return part.subAgentInvocationId === undefined && part.fromSubAgent !== true
      ? toolOf(draft, part)
      : { isAside: true }
  if (part.kind === 'inlineReference') return { text: draft.words(asText(part.name) ?? '') }
  return textKinds.has(part.kind as string | undefined)
    ? { text: draft.words(markdown(part.value) ?? markdown(part.content) ?? '') }
    : undefined
}

function toolOf(draft: Draft, part: JsonRecord): JsonRecord {
  const { toolSpecificData: data, resultDetails: details } = part
  const command = at(data, 'commandLine')
  const input =
    asText(command) ??
    ['userEdited', 'toolEdited', 'original'].map(name => asText(at(command, name))).find(Boolean) ??
    at(data, 'rawInput') ??
    at(details, 'input') ??
    at(data, 'prompt') ??
    markdown(part.invocationMessage)
  const output =
    asText(at(data, 'terminalCommandOutput', 'text')) ??
    outputIn(at(details, 'output')) ??
    asText(at(data, 'result')) ??
    markdown(part.pastTenseMessage)
  const code = at(data, 'terminalCommandState', 'exitCode')
  const isRefused = part.isConfirmed === false || at(part.isConfirmed, 'type') === refused
  const isFailed = at(details, 'isError') === true || (typeof code === 'number' && code !== 0) || isRefused
  return {
    tool: draft.words(asText(part.toolId) ?? 'unknown'),
    ...(input === undefined ? {} : { input: draft.cleanToolText(input) }),
    ...(output === undefined ? {} : { output: draft.cleanToolText(output) }),
    isFailed,
  }
}

/** Value recorded when the user declined to run a tool. */
const refused = 0

function outputIn(output: unknown): string | undefined {
  if (typeof output === 'string') return output
  const texts = recordsIn(output).flatMap(({ isText, value }) =>
    isText === false ? [] : (asText(value) ?? []),
  )
  return texts.length === 0 ? undefined : texts.join('\n')
}

function markdown(value: unknown): string | undefined {
  return asText(value) ?? asText(at(value, 'value'))
}

const states = { cancelled: 2, failed: 3 }

function readRequest(draft: Draft, request: JsonRecord | undefined, begun: number | undefined): void {
  if (request === undefined) draft.countLost('requests that are none')
  else if (request.message === undefined) draft.countUnknown(asText(request.type) ?? 'request without words')
  else if (isNotPersons(request)) draft.addSideRecord()
  else if (!isTakenBack(request)) readTurn(draft, request, timeOf(request.timestamp) ?? begun)
}

function isNotPersons({ agent, isSystemInitiated, hiddenFromTranscript }: JsonRecord): boolean {
  return agent === false || isSystemInitiated === true || hiddenFromTranscript === true
}

/** Whether the user has reverted the request. It stays in the file until the user continues. */
function isTakenBack({ isHidden, shouldBeRemovedOnSend }: JsonRecord): boolean {
  return isHidden === true || shouldBeRemovedOnSend === true
}

function readTurn(draft: Draft, request: JsonRecord, time: number | undefined): void {
  const { value: state, completedAt } = asRecord(request.modelState) ?? {}
  const ended = timeOf(completedAt) ?? time
  draft.addTime(time)
  draft.addTime(ended)
  // The label of a clicked button is not the user's own text.
  if (request.confirmation !== true) draft.addPrompt(asText(request.message) ?? '', time)
  readParts(draft, request.response, time)
  const error = asText(request.result) ?? asText(request.responseErrorDetails)
  const isCancelled = request.isCanceled === true || state === states.cancelled
  if (error !== undefined || isCancelled || state === states.failed)
    draft.brokenOff(error ?? (isCancelled ? 'The request was cancelled.' : 'The model failed.'), ended)
}

/**
 * Reads the parts of an answer. VS Code splits text wherever it displays something in between, so all text up
 * to the next tool call is one answer.
 */
function readParts(draft: Draft, response: unknown, time: number | undefined): void {
  let said = ''
  const say = () => {
    draft.addAnswer(said, time)
    said = ''
  }
  for (const { text, tool, input, output, isFailed, isAside } of recordsIn(response)) {
    if (isAside === true) draft.addSideRecord()
    if (typeof text === 'string') said += text
    if (tool === undefined) continue
    say()
    draft.addCall({ id: 'the last', name: tool, input, setFolder: time })
    draft.addResult('the last', { output: asText(output), failed: isFailed === true })
  }
  say()
}
