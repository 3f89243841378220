import { visible } from '../../parts/format.js'

/** Documentation of an option. Text in backticks is shown as code; links to other pages become plain text. */
export function Prose({ text }: { readonly text: string }) {
  const pieces = visible(text)
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .split('`')
  return pieces.map((piece, index) =>
    index % 2 === 1 ? <code key={index}>{piece}</code> : <span key={index}>{piece}</span>,
  )
}
