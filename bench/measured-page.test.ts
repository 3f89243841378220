import { expect, it } from 'vitest'
import { withSection } from './measured-page.js'

it('replaces one marked section and leaves the rest', () => {
  const page = '# Measured\n\n<!-- a -->\nold\n<!-- /a -->\n\n<!-- b -->\nkept\n<!-- /b -->\n'
  expect(withSection(page, 'a', 'new\n')).toBe(page.replace('old', 'new'))
  expect(withSection(page, 'b', 'kept')).toBe(page)
})

it('refuses a page without the section', () => {
  expect(() => withSection('# Measured\n', 'a', 'new')).toThrow('has no section <!-- a -->')
})
