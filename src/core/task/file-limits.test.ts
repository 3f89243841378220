import { describe, expect, it } from 'vitest'
import type { FileSupport } from '../ports/model.js'
import { filesIn, limitProblem, mostTokensOf } from './file-limits.js'
import type { MediaType } from './task.js'

const files: FileSupport = {
  image: { mediaTypes: ['image/png', 'image/jpeg'], maxBytes: 3_900_000, mostTokens: 1600, maxCount: 3 },
  document: { mediaTypes: ['application/pdf'], maxPages: 100, mostTokens: 3000 },
  maxBytes: 10_000_000,
}
const model = { id: 'maker/model', files }
const file = (mediaType: MediaType | 'text/plain', bytes = 1000, pages?: number) => ({
  name: 'scan',
  mediaType,
  bytes,
  ...(pages === undefined ? {} : { pages }),
})

describe('limitProblem', () => {
  it.each([
    [[file('image/gif')], 'scan is a GIF image, and maker/model takes only a PNG image, a JPEG image'],
    [
      [file('image/png', 3_900_001)],
      'scan has 3,900,001 bytes, and maker/model takes images of at most 3,900,000',
    ],
    [[file('image/png', 4_100_000)], 'scan has 4.1 MB, and maker/model takes images of at most 3.9 MB'],
    [[file('application/pdf', 1, 101)], 'scan has 101 pages, and maker/model takes at most 100'],
    [
      Array.from({ length: 4 }, () => file('image/png')),
      'there are 4 images, and maker/model takes at most 3',
    ],
    [
      [file('application/pdf', 9_000_000), file('image/png', 1_000_001)],
      'the files have 10,000,001 bytes together, and maker/model takes at most 10,000,000 at once',
    ],
  ])('names the file, what is wrong and the limit %#', (given, problem) => {
    expect(limitProblem(given, model)).toContain(problem)
  })

  it('lets one choose the detail of an image only where the model does', () => {
    const closely = [{ ...file('image/png'), detail: 'high' as const }]
    expect(limitProblem(closely, model)).toBe(
      'scan is to be looked at with detail "high", and maker/model does not let one choose',
    )
    const image = { mediaTypes: ['image/png'], mostTokens: 1, detail: true } as const
    expect(limitProblem(closely, { id: 'maker/model', files: { image } })).toBeUndefined()
  })

  it('takes what is within the limits, to the byte and to the page', () => {
    expect(
      limitProblem([file('image/png', 3_900_000), file('application/pdf', 5, 100)], model),
    ).toBeUndefined()
    expect(
      limitProblem(
        Array.from({ length: 3 }, () => file('image/png')),
        model,
      ),
    ).toBeUndefined()
    expect(limitProblem([file('application/pdf', 10_000_000)], model)).toBeUndefined()
  })

  it('refuses every file of a model that takes none, and no text', () => {
    const textOnly = { id: 'maker/old' }
    expect(limitProblem([file('image/png')], textOnly)).toBe(
      'scan is a PNG image, and maker/old takes no images',
    )
    expect(limitProblem([file('application/pdf')], textOnly)).toMatch(/takes no documents$/)
    expect(limitProblem([file('text/plain', 1e9)], textOnly)).toBeUndefined()
    expect(limitProblem([file('text/plain', 1e9)], model)).toBeUndefined()
  })
})

it('finds the files of messages, with the size of their content', () => {
  const data = Buffer.from('1234').toString('base64')
  const image = { type: 'image', name: 'a.png', mediaType: 'image/png', data } as const
  const found = filesIn([
    { role: 'system', text: 'x' },
    { role: 'user', text: 'y', parts: [image, { type: 'text', text: 'y' }] },
  ])
  expect(found).toMatchObject([{ name: 'a.png', mediaType: 'image/png', bytes: 4 }])
})

it('takes the documented most for an image, and for each page of a document', () => {
  expect(mostTokensOf({ mediaType: 'image/png' }, files)).toBe(1600)
  expect(mostTokensOf({ mediaType: 'application/pdf', pages: 4 }, files)).toBe(12_000)
  // If pages cannot be counted, the maximum number is assumed.
  expect(mostTokensOf({ mediaType: 'application/pdf' }, files)).toBe(300_000)
})
