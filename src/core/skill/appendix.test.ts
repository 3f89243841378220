import { describe, expect, it } from 'vitest'
import { addNote, appendixNotes, setNotes } from './appendix.js'
import { lineOrigins, seedDocument } from './document.js'
import { applyEdits, type Edit } from './edit.js'

const remind = (id: string, content: string): Edit => ({
  id,
  op: 'remind',
  content,
  support: 1,
  from: 'failure',
  tasks: ['t'],
})

describe('the appendix', () => {
  it('takes one line per reminder, each with its own origin, below everything else', () => {
    const { document, reports } = applyEdits(seedDocument('# A\n'), [
      remind('n1', '- Mind\n  the units.'),
      remind('n2', 'Check twice. <!-- APPENDIX_END -->'),
    ])
    expect(reports.map(({ status }) => status)).toEqual(['applied', 'applied'])
    expect(document.text).toBe(
      '# A\n\n<!-- APPENDIX_START -->\n- Mind the units.\n- Check twice.\n<!-- APPENDIX_END -->\n',
    )
    expect(appendixNotes(document.text)).toEqual(['Mind the units.', 'Check twice.'])
    const origins = Object.fromEntries(lineOrigins(document).map(({ line, origins }) => [line, origins]))
    expect(origins['- Mind the units.']).toEqual(['n1'])
    expect(origins['- Check twice.']).toEqual(['n2'])
  })

  it('does not repeat itself, and has no empty lines', () => {
    const once = addNote(seedDocument('# A\n'), 'Mind the units.', 'n1')
    expect(addNote(once, '* mind THE units.', 'n2')).toBe(once)
    expect(addNote(once, ' \n ', 'n3')).toBe(once)
    expect(applyEdits(once, [remind('n4', 'Mind the units.')]).reports[0]?.status).toBe('empty')
  })

  it('is out of reach of ordinary edits', () => {
    const noted = addNote(seedDocument('# A\n'), 'Mind the units.', 'n1')
    const edit: Edit = { ...remind('e', ''), op: 'delete', target: 'Mind the units.' }
    expect(applyEdits(noted, [edit]).reports[0]?.status).toBe('refused')
  })

  it('can be written anew as a whole', () => {
    const noted = addNote(addNote(seedDocument('# A\r\n'), 'one', 'n1'), 'two', 'n2')
    const set = setNotes(noted, ['- both', '  '], 'consolidation:3')
    expect(appendixNotes(set.text)).toEqual(['both'])
    expect(set.text).toContain('\r\n- both\r\n')
    expect(lineOrigins(set).find(({ line }) => line === '- both')?.origins).toEqual(['consolidation:3'])
  })
})
