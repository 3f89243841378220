import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readRepository, root, writeSite } from './build.js'
import { buildSite } from './site.js'

/** `npm run docs`: builds the documentation into `site/` and reports broken links. */
const folder = join(root, 'site')
rmSync(folder, { recursive: true, force: true })
const site = buildSite(readRepository())
writeSite(site, folder)
console.log(`${site.files.size} files. Open site/index.html`)
for (const problem of site.problems) console.error(problem)
if (site.problems.length > 0) process.exitCode = 1
