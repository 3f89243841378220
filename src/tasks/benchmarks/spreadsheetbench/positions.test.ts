import { describe, expect, it } from 'vitest'
import { parsePositions } from './positions.js'

const range = (top: number, left: number, bottom: number, right: number) => ({ top, left, bottom, right })

describe('positions', () => {
  it.each([
    ['A1', undefined, range(1, 1, 1, 1)],
    ['B11:M11', undefined, range(11, 2, 11, 13)],
    ['AA10:AB12', undefined, range(10, 27, 12, 28)],
    ["'Sheet 2'!C3", 'Sheet 2', range(3, 3, 3, 3)],
    ["Updated Data'!B5:B9", 'Updated Data', range(5, 2, 9, 2)],
    ["'Sheet3!'A2:D11'", 'Sheet3', range(2, 1, 11, 4)],
    ["\u00a0'Sheet1'!C2:C3", 'Sheet1', range(2, 3, 3, 3)],
    ["'b2b, sez, de'!A5:V10", 'b2b, sez, de', range(5, 1, 10, 22)],
    ['Data!$A$1 : $B$2', 'Data', range(1, 1, 2, 2)],
    ['a1:b2', undefined, range(1, 1, 2, 2)],
    ['A:G', undefined, range(1, 1, 1_048_576, 7)],
    ["'ورقة1'!2:4", 'ورقة1', range(2, 1, 4, 16_384)],
  ])('reads %s', (text, sheet, expected) => {
    expect(parsePositions(text)).toEqual([{ sheet, range: expected }])
  })

  it('reads several, each with its own sheet', () => {
    expect(parsePositions("Sheet3'!A:G,'Sheet4'!A1").map(({ sheet }) => sheet)).toEqual(['Sheet3', 'Sheet4'])
    expect(parsePositions("'Sheet1!'A2:B19,'Sheet2!'A2:B19").map(({ sheet }) => sheet)).toEqual([
      'Sheet1',
      'Sheet2',
    ])
    expect(parsePositions('G4:G6, G11:G13,,').map(({ range: { top } }) => top)).toEqual([4, 11])
  })

  it('is on the answer sheet only where no place names a sheet, and then the first of them', () => {
    expect(parsePositions('B2:E6', 'Sheet3')[0]?.sheet).toBe('Sheet3')
    expect(parsePositions('B2:E6', "'My sheet'")[0]?.sheet).toBe('My sheet')
    expect(parsePositions('A1,B1', 'Sheet3').map(({ sheet }) => sheet)).toEqual(['Sheet3', undefined])
    expect(parsePositions('A1,Other!B1', 'Sheet3').map(({ sheet }) => sheet)).toEqual([undefined, 'Other'])
    expect(parsePositions('A1', '')[0]?.sheet).toBeUndefined()
  })

  it.each([
    '',
    ' , ',
    'A',
    '7',
    'A1:',
    'A1:B',
    'A:3',
    'B5:A1',
    'A0',
    'ABCD1',
    'XFE1',
    'A1048577',
    'A1:B2:C3',
    'Sheet1!',
    '#REF!',
  ])('refuses "%s"', text => {
    expect(() => parsePositions(text)).toThrow(/names no cell|is no cell or range/)
  })
})
