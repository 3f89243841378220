import { describe, expect, it } from 'vitest'
import { timeLimit } from '../../../test/support/time-limit.js'
import { createConfinement } from './own-places.js'

const confine = createConfinement(['/data/ada/my shop', '/data/kept/7'], '/data/ada')
const elsewhere = '[a place outside of the project]'

describe('a request for an agent in a copy', () => {
  it.each([
    ['mend /data/ada/my shop/src/total.ts, please', 'mend ./src/total.ts, please'],
    ['what is in /data/ada/my shop?', 'what is in ./?'],
    ['look at ~/my shop/a.md and $HOME/my shop/b.md', 'look at ./a.md and ./b.md'],
    ['open file:///data/kept/7/notes.md', 'open ./notes.md'],
    ['it ends in /data/kept/7.', 'it ends in ./.'],
  ])('names the project by its copy: %s', (given, text) => {
    expect(confine(given)).toEqual({ text, namedOthers: false })
  })

  it.each([
    ['read /home/bob/keys.txt now', `read ${elsewhere} now`],
    ['read `/etc/passwd`', `read \`${elsewhere}\``],
    ['as in ~/other/README.md.', `as in ${elsewhere}`],
    ['as in ~bob/notes', `as in ${elsewhere}`],
    [`as in \${HOME}/.ssh/id_rsa`, `as in ${elsewhere}`],
    ['the neighbour /data/ada/my shop-old/x', `the neighbour ${elsewhere} shop-old/x`],
    ['through /data/ada/my shop/../../../etc/passwd', `through ./${elsewhere}`],
    ['through src/../../../../home/bob/x', `through src/${elsewhere}`],
    ['through ../../../../data/bob/x', `through ${elsewhere}`],
    ['file:///root/.netrc and file:/etc/hosts', `${elsewhere} and ${elsewhere}`],
    ['C:\\Users\\bob\\x and D:/y and \\\\server\\share', `${elsewhere} and ${elsewhere} and ${elsewhere}`],
    ['//etc/passwd', elsewhere],
  ])('does not tell of places outside: %s', (given, text) => {
    expect(confine(given)).toEqual({ text, namedOthers: true })
  })

  it.each([
    'add the route /api/users/:id to src/routes.ts',
    "import total from '../lib/total.js' and '../../lib/tax.js'",
    'see https://example.com/home/ada/x and http://localhost:3000/tmp/y',
    'run `npm test 2>/dev/null` with #!/usr/bin/env node',
    'either/or, 1..5, wait... and/var/x in a word',
    'git diff HEAD~/2 at 10:30/11:30',
  ])('is left as it is: %s', given => {
    expect(confine(given)).toEqual({ text: given, namedOthers: false })
  })

  it('stays fast on long paths', () => {
    const before = performance.now()
    confine(`${'../'.repeat(50_000)}x ${'..//'.repeat(50_000)} ${'a/'.repeat(10_000)} ${'~'.repeat(20_000)}`)
    expect(performance.now() - before).toBeLessThan(timeLimit(1_000))
  })
})
