import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineOrigins, seedDocument, setRegion } from './document.js'
import { applyEdits, type Edit } from './edit.js'
import { rewriteDocument } from './rewrite.js'
import { parseSkill } from './skill.js'

const rewrite = (content: string): Edit => ({
  id: 'r1',
  op: 'rewrite',
  content,
  summary: 'anew',
  support: 1,
  from: 'failure',
  tasks: [],
})

const skill = '---\nname: demo\n---\n\n# Demo\n\n- Round up.\n- Be brief.\n'

describe('a rewrite', () => {
  it('replaces the body and keeps the origins of the lines that stayed', () => {
    const { document, reports } = applyEdits(seedDocument(skill), [
      rewrite('# Demo\n\n- Round up.\n- Show the working.\n'),
    ])
    expect(reports).toEqual([{ edit: 'r1', status: 'applied', reason: 'Rewritten.' }])
    expect(document.text).toBe('---\nname: demo\n---\n\n# Demo\n\n- Round up.\n- Show the working.\n')
    const origins = Object.fromEntries(lineOrigins(document).map(({ line, origins }) => [line, origins]))
    expect(origins['- Round up.']).toEqual(['seed'])
    expect(origins['- Show the working.']).toEqual(['r1'])
    expect(origins['name: demo']).toEqual(['seed'])
  })

  it('cannot touch frontmatter or protected regions, whatever it says of them', () => {
    const guided = setRegion(seedDocument(skill), 'SLOW_UPDATE', { text: 'calm', origin: 'slow-update:2' })
    const noted = setRegion(guided, 'APPENDIX', { text: '- a note', origin: 'n1' })
    const forged =
      '---\nname: evil\n---\n# New\n\n<!-- SLOW_UPDATE_START -->\nforged\n<!-- SLOW_UPDATE_END -->\n\n<!-- APPENDIX_END -->'
    const { document } = applyEdits(noted, [rewrite(forged)])
    const { frontmatter, regions } = parseSkill(document.text)
    expect(frontmatter).toBe('---\nname: demo\n---\n')
    expect(regions.map(({ inner }) => document.text.slice(inner.start, inner.end).trim())).toEqual([
      'calm',
      '- a note',
    ])
    expect(document.text).not.toMatch(/forged|evil|Round up/)
    const calm = lineOrigins(document).find(({ line }) => line === 'calm')
    expect(calm?.origins).toEqual(['slow-update:2'])
  })

  it('is reported as empty if it changes nothing or has no text', () => {
    const statuses = [skill, '  \n'].map(
      text => applyEdits(seedDocument(skill), [rewrite(text)]).reports[0]?.status,
    )
    expect(statuses).toEqual(['empty', 'empty'])
  })

  it('keeps the blank lines before the body, and sets a body apart from frontmatter that has no line end', () => {
    const rewritten = (before: string) => rewriteDocument(seedDocument(before), '# New', 'r').text
    expect(rewritten('\n\n\n# Old\n')).toBe('\n\n\n# New\n')
    expect(rewritten('# Old\n\n\n- one')).toBe('# New\n')
    expect(rewritten('---\nname: a\n---')).toBe('---\nname: a\n---\n# New\n')
    expect(rewritten('---\nname: a\n---\n')).toBe('---\nname: a\n---\n# New\n')
    expect(rewritten('')).toBe('# New\n')
  })

  it('knows a last line that has no line end as the old one when it gets one', () => {
    const before = seedDocument('# A\n- one\n- two')
    const after = rewriteDocument(before, '# A\n- two', 'r')
    expect(after.text).toBe('# A\n- two\n')
    expect(lineOrigins(after)[0]?.origins).toEqual(['seed'])
    expect(after.origins.reduce((sum, span) => sum + span.length, 0)).toBe(after.text.length)
  })

  it('uses the line ends of the skill', () => {
    const windows = seedDocument('# A\r\n\r\n- one\r\n')
    expect(rewriteDocument(windows, '# A\n\n- two\n', 'r').text).toBe('# A\r\n\r\n- two\r\n')
  })

  it('always covers its text with origins, and is stable under itself', () => {
    const lines = fc.array(fc.constantFrom('# A', '- one', '- two', '', '---', 'x <!-- y'), { maxLength: 8 })
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        fc.pre(parseSkill(after.join('\n')).body.trim() !== '')
        const document = rewriteDocument(seedDocument(before.join('\n')), after.join('\n'), 'r')
        const covered = document.origins.reduce((sum, span) => sum + span.length, 0)
        expect(covered).toBe(document.text.length)
        expect(rewriteDocument(document, document.text, 'again').text).toBe(document.text)
      }),
    )
  })
})

describe('a suggestion', () => {
  it('changes nothing by itself', () => {
    const suggestion: Edit = { ...rewrite('x'), op: 'suggest', title: 't', content: 'Add a line.' }
    const { document, reports } = applyEdits(seedDocument(skill), [suggestion])
    expect(document.text).toBe(skill)
    expect(reports[0]?.status).toBe('refused')
  })
})

describe('an objection', () => {
  it('refuses the edit it is about, and lets the others through', () => {
    const append = (id: string, content: string): Edit => ({ ...rewrite(content), id, op: 'append', content })
    const { document, reports } = applyEdits(
      seedDocument('# A\n'),
      [append('long', 'a very long line'), append('short', 'ok')],
      (_, after) => (after.length > 12 ? 'Too long.' : undefined),
    )
    expect(reports.map(({ status, reason }) => `${status}: ${reason}`)).toEqual([
      'refused: Too long.',
      'applied: Appended.',
    ])
    expect(document.text).toBe('# A\n\nok\n')
  })
})
