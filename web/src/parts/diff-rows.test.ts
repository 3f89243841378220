import { describe, expect, it } from 'vitest'
import { type DiffRow, diffRows, foldRows, linesInline, type Side } from './diff-rows.js'

const textOf = (side: Side | undefined) => side?.pieces.map(({ text }) => text).join('')
const shown = (rows: readonly DiffRow[]) =>
  rows.map(({ kind, before, after }) => [kind, before?.line, textOf(before), after?.line, textOf(after)])

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('')

describe('rows of a diff', () => {
  it('put a line next to its replacement', () => {
    expect(shown(diffRows('a\nb one two\nc\n', 'a\nb one three\nc\n'))).toEqual([
      ['same', 1, 'a', 1, 'a'],
      ['changed', 2, 'b one two', 2, 'b one three'],
      ['same', 3, 'c', 3, 'c'],
    ])
  })

  it('mark the words that differ, and only them', () => {
    const [row] = diffRows('keep this word here', 'keep that word here')
    expect(row?.before?.pieces.filter(({ changed }) => changed)).toEqual([{ text: 'this', changed: true }])
    expect(row?.after?.pieces.filter(({ changed }) => changed)).toEqual([{ text: 'that', changed: true }])
  })

  it('mark no words where the lines have nothing in common', () => {
    const [row] = diffRows('completely different', 'nothing alike whatsoever, at all')
    expect(row?.before?.pieces).toEqual([{ text: 'completely different', changed: false }])
  })

  it('have nothing beside a line that is only in one text', () => {
    expect(shown(diffRows('a\n', 'a\nb\n'))).toEqual([
      ['same', 1, 'a', 1, 'a'],
      ['changed', undefined, undefined, 2, 'b'],
    ])
    expect(shown(diffRows('a\nb\n', ''))).toEqual([
      ['changed', 1, 'a', undefined, undefined],
      ['changed', 2, 'b', undefined, undefined],
    ])
  })

  it('give both texts back, line by line', () => {
    const before = `${lines(1, 20)}\n\n- x\r\n- y`
    const after = `${lines(5, 24)}\n- y\n- z\n`
    const side = (name: 'before' | 'after') => diffRows(before, after).flatMap(row => textOf(row[name]) ?? [])
    expect(side('before')).toEqual(before.replaceAll('\r', '').split('\n'))
    expect(side('after')).toEqual(after.trimEnd().split('\n'))
  })
})

describe('folds', () => {
  const rows = diffRows(lines(1, 30), lines(1, 30).replace('line 15\n', 'line fifteen\n'))

  it('hide what is far from every change', () => {
    expect(foldRows(rows).map(({ kind, start, rows: part }) => [kind, start, part.length])).toEqual([
      ['fold', 0, 11],
      ['rows', 11, 7],
      ['fold', 18, 12],
    ])
  })

  it('hide no single line', () => {
    const near = diffRows(lines(1, 5), lines(1, 5).replace('line 5\n', 'other\n'))
    expect(foldRows(near).map(({ kind }) => kind)).toEqual(['rows', 'rows'])
  })

  it('have all rows, in order', () => {
    expect(foldRows(rows).flatMap(block => block.rows)).toEqual(rows)
  })
})

describe('inline diff lines', () => {
  it('list removed lines before added ones', () => {
    const inline = linesInline(diffRows('a\nb\nc\n', 'x\ny\nc\n'))
    expect(inline.map(({ change, before, after }) => [change, before, after])).toEqual([
      ['removed', 1, undefined],
      ['removed', 2, undefined],
      ['added', undefined, 1],
      ['added', undefined, 2],
      ['same', 3, 3],
    ])
  })
})
