import { useQuery as useFetched } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import type {
  AttemptDetail,
  MoreMessages,
  NamedFile,
  SaidMessage,
} from '../../../../src/dashboard/contract/attempts.js'
import { getJson } from '../../api/client.js'
import { bytes, count, plural, visibleLine } from '../../parts/format.js'
import { Failed, Loading } from '../../parts/states.js'
import { attemptsPath } from './filters.js'
import { LongText, Prose, type TextForm, type TextPlace, Written } from './long-text.js'
import { fieldsOf, type PlacedCall, type Turn, turnsOf } from './turns.js'

interface Setting {
  readonly run: string
  readonly seq: number
  readonly form: TextForm
  /** Level of the messages' headings. */
  readonly level: 4 | 5
  /** Prefix of the messages' anchors, needed if a page shows two conversations. */
  readonly prefix: string
}

/** The messages and tool calls of an attempt in order. A long conversation is loaded in parts. */
export function Conversation({
  detail: { line, messages, messageCount },
  ...setting
}: Omit<Setting, 'seq'> & { readonly detail: AttemptDetail }) {
  const { seq } = line
  const size = Math.max(1, messages.length)
  const [parts, setParts] = useState(() => Math.floor((messageInAddress(setting.prefix) ?? 0) / size) + 1)
  if (messageCount === 0) {
    return <p className="muted">Nothing was said: it ended before the agent began.</p>
  }
  const known = Math.min(messageCount, parts * size)
  return (
    <>
      <ol className="said">
        <Turns messages={messages} from={0} {...{ ...setting, seq }} />
        {Array.from({ length: Math.ceil(known / size) - 1 }, (_, index) => (
          <LaterTurns key={(index + 1) * size} from={(index + 1) * size} {...{ ...setting, seq }} />
        ))}
      </ol>
      {known < messageCount && (
        <button type="button" onClick={() => setParts(parts + 1)}>
          Show more messages ({count(known)} of {count(messageCount)} are shown)
        </button>
      )}
    </>
  )
}

/** The message in the URL fragment, such as `#m12`. */
function messageInAddress(prefix: string): number | undefined {
  const found = new RegExp(`^#${prefix}m(\\d{1,6})$`).exec(window.location.hash)?.[1]
  return found === undefined ? undefined : Number(found) - 1
}

function LaterTurns({ from, ...setting }: Setting & { readonly from: number }) {
  const { run, seq } = setting
  const { data, error, refetch } = useFetched({
    queryKey: ['messages', run, seq, from],
    queryFn: ({ signal }) =>
      getJson<MoreMessages>(`${attemptsPath(run)}/${seq}/messages?from=${from}`, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error !== null) {
    return (
      <li>
        <Failed error={error} retry={() => void refetch()} />
      </li>
    )
  }
  if (data === undefined) {
    return (
      <li>
        <Loading what={`messages from ${count(from + 1)} on`} />
      </li>
    )
  }
  return <Turns messages={data.messages} from={from} {...setting} />
}

function Turns({
  messages,
  from,
  ...setting
}: Setting & { readonly messages: readonly SaidMessage[]; readonly from: number }) {
  const { prefix } = setting
  const end = from + messages.length
  // The browser looked for the anchor before the message was rendered, so the page scrolls to it here.
  useEffect(() => {
    const asked = messageInAddress(prefix)
    if (asked === undefined || asked < from || asked >= end) return
    document.getElementById(`${prefix}m${asked + 1}`)?.scrollIntoView({ block: 'start' })
  }, [prefix, from, end])
  return turnsOf(messages, from).map(turn => <TurnItem key={turn.at} turn={turn} {...setting} />)
}

const roles: Readonly<Record<SaidMessage['role'], string>> = {
  system: 'System',
  user: 'User',
  assistant: 'Agent',
  tool: 'Tool',
}

function TurnItem({ turn, ...setting }: Setting & { readonly turn: Turn }) {
  const { at, message, calls } = turn
  const { run, seq, form, level } = setting
  const place = { run, seq, of: `message.${at}` }
  return (
    <MessageItem at={at} role={message.role} title={roles[message.role]} {...setting}>
      {message.text.length > 0 &&
        (message.role === 'tool' ? (
          <LongText place={place} text={message.text}>
            {shown => <Written text={shown} isCode />}
          </LongText>
        ) : (
          <Prose place={place} text={message.text} form={form} level={level + 1} />
        ))}
      <Files files={message.files} />
      {message.text.length === 0 && message.files.length === 0 && calls.length === 0 && (
        <p className="muted small">Nothing was said.</p>
      )}
      {calls.map(call => (
        <Call key={call.at} at={at} call={call} {...setting} />
      ))}
    </MessageItem>
  )
}

function MessageItem({
  at,
  role,
  title,
  level,
  prefix,
  children,
}: Setting & {
  readonly at: number
  readonly role: SaidMessage['role']
  readonly title: string
  readonly children: ReactNode
}) {
  const Heading = `h${level}` as 'h4'
  const id = `${prefix}m${at + 1}`
  return (
    <li className={`said-message said-${role}`} id={id}>
      <header className="spread">
        <Heading>{title}</Heading>
        <a className="small muted figures" href={`#${id}`} aria-label={`Message ${at + 1}`}>
          {count(at + 1)}
        </a>
      </header>
      {children}
    </li>
  )
}

/** A tool call with its arguments and its result. */
function Call({
  at,
  call: placed,
  ...setting
}: Setting & { readonly at: number; readonly call: PlacedCall }) {
  const { run, seq } = setting
  const { call, answer } = placed
  return (
    <div className="said-call">
      <p>
        <span className="muted">calls</span> <code className="said-call-name">{visibleLine(call.name)}</code>
      </p>
      <Arguments place={{ run, seq, of: `call.${at}.${placed.at}` }} text={call.arguments} />
      {answer === undefined ? (
        <p className="muted small">No answer of it is here.</p>
      ) : (
        <div className="said-answer" id={`${setting.prefix}m${answer.at + 1}`}>
          <p className="muted small">answer, message {count(answer.at + 1)}</p>
          <LongText place={{ run, seq, of: `message.${answer.at}` }} text={answer.message.text}>
            {shown => <Written text={shown === '' ? '(nothing)' : shown} isCode />}
          </LongText>
          <Files files={answer.message.files} />
        </div>
      )}
    </div>
  )
}

function Arguments({
  place,
  text,
}: {
  readonly place: TextPlace
  readonly text: SaidMessage['calls'][number]['arguments']
}) {
  const fields = fieldsOf(text)
  if (fields === undefined) {
    return (
      <LongText place={place} text={text}>
        {shown => <Written text={shown} isCode />}
      </LongText>
    )
  }
  if (fields.length === 0) return null
  return (
    <dl className="said-fields">
      {fields.map(({ name, value }) => (
        <div key={name}>
          <dt>{visibleLine(name)}</dt>
          <dd>
            {/* The value is complete, so nothing more is requested from the server. */}
            <LongText place={place} text={{ text: value, length: value.length }}>
              {shown => <Written text={shown} isCode />}
            </LongText>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Files({ files }: { readonly files: readonly NamedFile[] }) {
  if (files.length === 0) return null
  return (
    <ul className="said-files">
      {files.map(({ type, name, mediaType, bytes: size, pages }, index) => (
        <li key={index}>
          {type === 'image' ? 'Picture' : 'Document'} <code>{visibleLine(name)}</code>,{' '}
          {visibleLine(mediaType)}, {bytes(size)}
          {pages === undefined ? '' : `, ${plural(pages, 'page')}`}
        </li>
      ))}
    </ul>
  )
}
