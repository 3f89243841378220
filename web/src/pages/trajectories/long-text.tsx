import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { CutText, MoreText } from '../../../../src/dashboard/contract/attempts.js'
import { getJson } from '../../api/client.js'
import { count, visible } from '../../parts/format.js'
import { Markdown } from '../../parts/markdown.js'
import { clamped } from './clamp.js'
import { attemptsPath } from './filters.js'

/** Identifies a text: the run, the attempt and the server's name for the text. */
export interface TextPlace {
  readonly run: string
  readonly seq: number
  readonly of: string
}

/** A text that expands in two stages: first to the loaded part, then to the whole from the server. */
export function LongText({
  place,
  text,
  children,
}: {
  readonly place: TextPlace
  readonly text: CutText
  readonly children: (shown: string) => ReactNode
}) {
  const { run, seq, of } = place
  const [isOpen, setOpen] = useState(false)
  const { data, error, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: ['text', run, seq, of],
    queryFn: ({ pageParam, signal }) =>
      getJson<MoreText>(`${attemptsPath(run)}/${seq}/text?of=${of}&from=${pageParam}`, signal),
    initialPageParam: text.text.length,
    getNextPageParam: ({ from, text: { length } }) => from + length,
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const loaded = [text.text, ...(data?.pages ?? []).map(page => page.text)].join('')
  const start = clamped(loaded)
  const rest = text.length - loaded.length
  if (start === undefined && rest === 0) return children(loaded)
  return (
    <>
      {children(isOpen || start === undefined ? loaded : start)}
      <p className="row small">
        {start !== undefined && (
          <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Show less' : `Show more (${count(text.length)} characters)`}
          </button>
        )}
        {rest > 0 && (isOpen || start === undefined) && (
          <button type="button" className="quiet" disabled={isFetching} onClick={() => void fetchNextPage()}>
            {isFetching ? 'Loading…' : `Load more: ${count(rest)} characters are left`}
          </button>
        )}
        {error !== null && (
          <span className="bad" role="alert">
            {error.message}
          </span>
        )}
      </p>
    </>
  )
}

/** Plain text with its whitespace kept and invisible characters made visible. */
export function Written({ text, isCode = false }: { readonly text: string; readonly isCode?: boolean }) {
  return isCode ? (
    <pre className="said-code">{visible(text)}</pre>
  ) : (
    <div className="said-written">{visible(text)}</div>
  )
}

export type TextForm = 'written' | 'rendered'

/** A model's text, as Markdown or plain text, whichever the reader chose. */
export function Prose({
  place,
  text,
  form,
  level,
}: {
  readonly place: TextPlace
  readonly text: CutText
  readonly form: TextForm
  /** Level of the first heading in the text. */
  readonly level: number
}) {
  return (
    <LongText place={place} text={text}>
      {shown => (form === 'rendered' ? <Markdown text={shown} level={level} /> : <Written text={shown} />)}
    </LongText>
  )
}
