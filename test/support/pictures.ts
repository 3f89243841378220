import { crc32, deflateSync } from 'node:zlib'

/** Files made here, byte by byte: no licence, no tool, the same each time. */

type Colour = readonly [red: number, green: number, blue: number]

/** A square of one colour. */
export function png(colour: Colour = [200, 30, 30], side = 8): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const row = Buffer.from([0, ...Array.from({ length: side }, () => colour).flat()])
  const pixels = Buffer.concat(Array.from({ length: side }, () => row))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    // Not compressed: recordings must not depend on the version of zlib.
    pngChunk('IDAT', deflateSync(pixels, { level: 0 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** Enough of the others to be told apart; nobody decodes them. */
export const jpeg = Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xd9', 'latin1')
export const gif = Buffer.from('GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;', 'latin1')
export const webp = Buffer.from('RIFF\x0c\0\0\0WEBPVP8L\0\0\0\0', 'latin1')

/** Empty pages; packed, their objects stand in a compressed stream, as most writers have them. */
export function pdf(pages: number, { packed = false } = {}): Buffer {
  const objects = Array.from({ length: pages }, () => '<< /Type /Page /Parent 2 0 R >>').join('\n')
  const tree = `<< /Type /Pages /Count ${pages} >>`
  const inside = packed ? deflateSync(Buffer.from(`${tree}\n${objects}`)) : undefined
  const body =
    inside === undefined
      ? Buffer.from(`1 0 obj\n${tree}\nendobj\n2 0 obj\n${objects}\nendobj\n`)
      : Buffer.concat([
          Buffer.from(
            `1 0 obj\n<< /Type /ObjStm /Filter /FlateDecode /Length ${inside.length} >>\nstream\r\n`,
          ),
          inside,
          Buffer.from('\nendstream\nendobj\n'),
        ])
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), body, Buffer.from('trailer\n<< >>\n%%EOF\n')])
}
