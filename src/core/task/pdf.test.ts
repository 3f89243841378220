import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { countPages } from './pdf.js'

/** An object stream as stored in a PDF file. */
function stream(data: Buffer, { lineEnd = '\r\n', closed = true } = {}): Buffer {
  return Buffer.concat([
    Buffer.from(`1 0 obj\n<< /Type /ObjStm /Filter /FlateDecode >>\nstream${lineEnd}`),
    data,
    Buffer.from(closed ? '\nendstream\nendobj\n' : ''),
  ])
}

const packed = (text: string) => deflateSync(Buffer.from(text))

describe('countPages', () => {
  it('counts pages however they are spaced, and nothing that is only called alike', () => {
    expect(
      countPages(Buffer.from('<< /Type/Page >> << /Type /Page/Parent 1 0 R >> << /Type\n/Page >>')),
    ).toBe(3)
    expect(countPages(Buffer.from('<< /Type /Pages >> << /Type /PageLabel >>'))).toBeUndefined()
  })

  it.each(['\n', '\r\n'])('looks into compressed streams that begin after %j, each of them', lineEnd => {
    const streams = [packed('<< /Type /Page >> << /Type /Page >>'), packed('<< /Type /Page >>')]
    const file = Buffer.concat([
      Buffer.from('<< /Type /Page >>\n'),
      ...streams.map(data => stream(data, { lineEnd })),
    ])
    expect(countPages(file)).toBe(4)
  })

  it('looks into a stream that a file breaks off in', () => {
    expect(countPages(stream(packed('<< /Type /Page >>'), { closed: false }))).toBe(1)
  })

  it('does not know the pages of a stream that it cannot unpack', () => {
    expect(countPages(stream(Buffer.from('encrypted')))).toBeUndefined()
  })

  it('gives up a stream that unpacks to more than any page tree', () => {
    const bomb = Buffer.concat([Buffer.from('<< /Type /Page >>'), Buffer.alloc(65 << 20)])
    expect(countPages(stream(deflateSync(bomb, { level: 1 })))).toBeUndefined()
  })
})
