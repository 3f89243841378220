import { z } from 'zod'

const textBlock = z.object({ type: z.literal('text'), text: z.string() })

/**
 * The text of a content that is a string or a list of blocks; an image or a file is represented by its type.
 */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content)
  return content.map(blockText).join('\n')
}

function blockText(block: unknown): string {
  const text = textBlock.safeParse(block)
  if (text.success) return text.data.text
  const other = z.object({ type: z.string() }).safeParse(block)
  return other.success ? `[${other.data.type}]` : JSON.stringify(block)
}
