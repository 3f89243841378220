import { describe, expect, it } from 'vitest'
import { gif, jpeg, pdf, png, webp } from '../../../test/support/pictures.js'
import { InputError } from '../errors/errors.js'
import { attachment, filePart, fileProblem } from './files.js'

const text = Buffer.from('Straße 1\nOstrava\n')

describe('a file', () => {
  it.each([
    ['a.png', png(), 'image/png'],
    ['a.JPG', jpeg, 'image/jpeg'],
    ['a.jpeg', jpeg, 'image/jpeg'],
    ['a.gif', gif, 'image/gif'],
    ['a.webp', webp, 'image/webp'],
    ['a.pdf', pdf(1), 'application/pdf'],
    ['notes.md', text, 'text/plain'],
    ['table.csv', text, 'text/plain'],
    ['without-extension', png(), 'image/png'],
  ])('%s is told by its content', (name, content, mediaType) => {
    expect(fileProblem(name, content)).toBeUndefined()
    expect(attachment(name, content)).toMatchObject({ name, mediaType, bytes: content.length })
  })

  it.each([
    ['photo.png', jpeg, 'is a JPEG image, and its name says otherwise'],
    ['notes.txt', png(), 'is a PNG image, and its name says otherwise'],
    ['photo.png', text, 'is not a PNG image, as its name says'],
    ['report.pdf', text, 'is not a PDF document, as its name says'],
    ['photo.png', png().subarray(0, 40), 'is a PNG image that breaks off before its end'],
    ['photo.jpg', jpeg.subarray(0, -2), 'is a JPEG image that breaks off before its end'],
    ['photo.webp', webp.subarray(0, -1), 'is a WebP image that breaks off before its end'],
    ['report.pdf', pdf(1).subarray(0, 40), 'is a PDF document that breaks off before its end'],
    ['photo.gif', Buffer.alloc(0), 'is empty'],
    ['letter.docx', Buffer.from('PK\x03\x04\0\0'), 'is of a kind that is not supported'],
    ['latin1.txt', Buffer.from('Stra\xdfe', 'latin1'), 'is of a kind that is not supported'],
  ])('%s is refused if it %#', (name, content, problem) => {
    expect(fileProblem(name, content)).toContain(problem)
    expect(() => attachment(name, content)).toThrow(InputError)
    expect(() => filePart(name, content)).toThrow(`${name} ${problem}`)
  })

  it('is told apart by its content, not by its name', () => {
    expect(attachment('a.png', png()).hash).toBe(attachment('b.png', png()).hash)
    expect(attachment('a.png', png()).hash).not.toBe(attachment('a.png', png([1, 2, 3])).hash)
  })

  it('keeps every byte on its way into a part', () => {
    const part = filePart('a.png', png())
    expect(part).toMatchObject({ type: 'image', name: 'a.png', mediaType: 'image/png' })
    expect(Buffer.from('data' in part ? part.data : '', 'base64')).toEqual(png())
  })

  it('of text goes to the model as text, without its name', () => {
    expect(filePart('secret-name.txt', text)).toEqual({
      type: 'text',
      text: '<file>\nStraße 1\nOstrava\n\n</file>',
    })
  })
})

describe('pages', () => {
  it.each([true, false])('of a PDF are counted (packed: %s)', packed => {
    expect(attachment('a.pdf', pdf(12, { packed })).pages).toBe(12)
    expect(filePart('a.pdf', pdf(3, { packed }))).toMatchObject({ type: 'document', pages: 3 })
  })

  it('that cannot be seen stay unknown', () => {
    const broken = Buffer.from('%PDF-1.7\n<< /Type /ObjStm >>\nstream\nnot deflated\nendstream\n%%EOF')
    expect(attachment('a.pdf', broken).pages).toBeUndefined()
    expect(filePart('a.pdf', broken)).not.toHaveProperty('pages')
  })
})
