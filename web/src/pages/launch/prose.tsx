import { visible } from '../../parts/format.js'

/** Documentation of an option: `code` is set as code, and a link to another page of the docs is its words only. */
export function Prose({ text }: { readonly text: string }) {
  const pieces = visible(text)
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .split('`')
  return pieces.map((piece, index) =>
    index % 2 === 1 ? <code key={index}>{piece}</code> : <span key={index}>{piece}</span>,
  )
}
