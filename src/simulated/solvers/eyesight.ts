import { inflateSync } from 'node:zlib'
import { cell, glyphs } from './pixel-font.js'

/**
 * The simulated target's vision. It reads a page of text dot by dot from an unfiltered greyscale PNG, in the
 * only typeface that it knows. It cannot read any other image.
 */

/** Width and height of a dot in pixels. */
export const dotSize = 3
/** Margin around the text, in dots. */
export const margin = 6

const mostPixels = 4_000_000

const characterOf = new Map([...glyphs].map(([character, dots]) => [dots, character]))

interface Picture {
  readonly width: number
  readonly height: number
  /** Pixel rows of one byte per pixel. Each row starts with a filter byte. */
  readonly rows: Buffer
}

export function readPage(dataUri: string): string | undefined {
  const data = /^data:image\/png;base64,(.+)$/s.exec(dataUri)?.[1]
  const picture = data === undefined ? undefined : decode(Buffer.from(data, 'base64'))
  if (picture === undefined) return undefined
  const inside = (pixels: number) => pixels / dotSize - 2 * margin
  const columns = Math.floor(inside(picture.width) / cell.width)
  const lines = Array.from({ length: Math.floor(inside(picture.height) / cell.height) }, (_, row) =>
    Array.from({ length: columns }, (_, column) => characterOf.get(dotsAt(picture, row, column)) ?? '?')
      .join('')
      .trimEnd(),
  )
  return lines.join('\n').trim()
}

function dotsAt({ width, rows }: Picture, row: number, column: number): string {
  let dots = ''
  for (let down = 0; down < cell.height; down += 1) {
    for (let right = 0; right < cell.width; right += 1) {
      const x = (margin + column * cell.width + right) * dotSize
      const y = (margin + row * cell.height + down) * dotSize
      dots += (rows[y * (width + 1) + 1 + x] ?? 255) < 128 ? '#' : '.'
    }
  }
  return dots
}

function decode(png: Buffer): Picture | undefined {
  const header = chunksOf(png, 'IHDR')[0]
  if (header === undefined || header.length !== 13) return undefined
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const isGrey = header[8] === 8 && header[9] === 0 && header[12] === 0
  if (!isGrey || width * height > mostPixels) return undefined
  const rows = inflated(Buffer.concat(chunksOf(png, 'IDAT')))
  if (rows?.length !== (width + 1) * height) return undefined
  const isFiltered = Array.from({ length: height }, (_, row) => rows[row * (width + 1)]).some(
    kind => kind !== 0,
  )
  return isFiltered ? undefined : { width, height, rows }
}

function chunksOf(png: Buffer, type: string): Buffer[] {
  const found: Buffer[] = []
  for (let at = 8; at + 8 <= png.length; ) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === type) found.push(png.subarray(at + 8, at + 8 + length))
    at += 12 + length
  }
  return found
}

function inflated(data: Buffer): Buffer | undefined {
  try {
    return inflateSync(data, { maxOutputLength: 2 * mostPixels })
  } catch {
    // A corrupt image counts as unreadable.
    return undefined
  }
}
