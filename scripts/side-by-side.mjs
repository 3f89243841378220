/**
 * `node scripts/side-by-side.mjs lint types`: runs scripts of package.json in parallel. Each script's output
 * is shown when it ends, so that outputs do not mix; fails if any script fails.
 */
import { spawn } from 'node:child_process'

const run = name =>
  new Promise((resolve, reject) => {
    const child = spawn(`npm run ${name}`, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const said = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => said.push(chunk))
    child.once('error', reject)
    child.once('close', code => {
      process.stdout.write(Buffer.concat(said))
      resolve(code === 0)
    })
  })

const results = await Promise.all(process.argv.slice(2).map(run))
process.exitCode = results.every(Boolean) ? 0 : 1
