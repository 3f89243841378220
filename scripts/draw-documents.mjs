/**
 * Draws the pages of examples/docvqa: each `documents/NAME.txt` becomes `documents/NAME.png`, in the
 * typeface of the simulated target. Needs dist/. After changing a text: `npm run build && node
 * scripts/draw-documents.mjs`
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { crc32, deflateSync } from 'node:zlib'
import { dotSize, margin } from '../dist/simulated/crafts/eyesight.js'
import { cell, glyphs } from '../dist/simulated/crafts/pixel-font.js'

const folder = new URL('../examples/docvqa/documents/', import.meta.url)

for (const name of (await readdir(folder)).filter(each => each.endsWith('.txt'))) {
  const text = await readFile(new URL(name, folder), 'utf8')
  await writeFile(new URL(name.replace(/txt$/, 'png'), folder), draw(text.trimEnd().split('\n')))
}

function draw(lines) {
  const width = (Math.max(...lines.map(line => line.length)) * cell.width + 2 * margin) * dotSize
  const height = (lines.length * cell.height + 2 * margin) * dotSize
  const pixels = Buffer.alloc((width + 1) * height, 255)
  for (let y = 0; y < height; y += 1) {
    // PNG row filter: none.
    pixels[y * (width + 1)] = 0
    for (let x = 0; x < width; x += 1) {
      if (isInk(lines, Math.floor(x / dotSize) - margin, Math.floor(y / dotSize) - margin))
        pixels[y * (width + 1) + 1 + x] = 0
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function isInk(lines, x, y) {
  const character = lines[Math.floor(y / cell.height)]?.[Math.floor(x / cell.width)]
  if (character === undefined || x < 0 || y < 0) return false
  const dots = glyphs.get(character)
  if (dots === undefined) throw new Error(`The typeface has no "${character}".`)
  return dots[(y % cell.height) * cell.width + (x % cell.width)] === '#'
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
