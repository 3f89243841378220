import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PythonRandom } from '../src/core/statistics/random.js'
import { labelledSet } from './mining-set.js'

/** One turn of a session, independent of the agent. */
export interface Turn {
  readonly request: string
  readonly steps: readonly Step[]
  readonly answer: string
}

export interface Step {
  readonly tool: 'shell' | 'read' | 'edit'
  readonly input: Readonly<Record<string, string>>
  readonly output: string
  readonly failed: boolean
  /** Base64-encoded. */
  readonly picture: string | undefined
}

const root = fileURLToPath(new URL('..', import.meta.url))

/** Content that agents read and write; this project's own files are used. */
function linesOfProject(): readonly string[] {
  const files = [
    'bench',
    'docs',
    join('src', 'core'),
    join('src', 'trainer', 'stages'),
    join('src', 'models'),
  ].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.(ts|md|json)$/.test(name))
      .sort()
      .map(name => join(root, folder, name)),
  )
  return files.flatMap(file => readFileSync(file, 'utf8').split('\n'))
}

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Session contents from a seed: deterministic for the same seed and checkout. */
export function createTexts(seed: number) {
  const random = new PythonRandom(seed)
  const lines = linesOfProject()
  const requests = labelledSet(seed).transcripts.flatMap(({ entries }) =>
    entries.flatMap(entry => (entry.kind === 'prompt' ? [entry.text] : [])),
  )
  const oneOf = <T>(items: readonly T[]): T => items[random.below(items.length)] as T
  const some = (count: number) => {
    const from = random.below(Math.max(1, lines.length - count))
    return lines.slice(from, from + count)
  }
  const characters = (count: number) => Array.from({ length: count }, () => oneOf([...base64])).join('')
  const noise = characters(400_000)
  const picture = (length: number) => {
    const from = random.below(noise.length)
    return noise
      .slice(from)
      .concat(noise.repeat(Math.ceil(length / noise.length)))
      .slice(0, length)
  }
  /** Many are short, few are long: so are the outputs of tools, and sessions. */
  const skewed = (median: number, most: number) =>
    Math.min(most, Math.ceil(median * Math.exp(1.3 * normal(random))))
  const secret = () =>
    oneOf([
      () => `export OPENAI_API_KEY=sk-proj-${picture(64).replaceAll(/[+/]/g, 'x')}`,
      () => `password: ${picture(14)}`,
      () => `https://deploy:${picture(20).replaceAll('/', 'x')}@registry.example.com/npm`,
      () =>
        `-----BEGIN PRIVATE KEY-----\n${picture(1600)
          .match(/.{1,64}/g)
          ?.join('\n')}\n-----END PRIVATE KEY-----`,
    ])()
  const output = (tool: Step['tool']): string => {
    const text = some(skewed(tool === 'edit' ? 6 : 60, 3_000))
    if (random.below(60) === 0) text.splice(random.below(text.length), 0, secret())
    if (tool === 'read')
      return text.map((line, index) => `${String(index + 1).padStart(6)}→${line}`).join('\n')
    if (random.below(4) > 0) return text.join('\n')
    return text
      .map((line, index) => ` ✓ src/part-${index}.test.ts (${line.length} tests) ${line.length}ms`)
      .join('\n')
  }
  const step = (): Step => {
    const tool = oneOf(['shell', 'shell', 'read', 'read', 'edit'] as const)
    const file = `/home/ada/shop/src/part-${random.below(400)}.ts`
    const input: Record<string, string> =
      tool === 'shell'
        ? { command: `npx vitest run ${file} && git diff --stat`, description: 'Run the tests of one part' }
        : tool === 'read'
          ? { file_path: file }
          : { file_path: file, old_string: some(8).join('\n'), new_string: some(12).join('\n') }
    const hasPicture = tool === 'read' && random.below(25) === 0
    return {
      tool,
      input,
      failed: random.below(12) === 0,
      output: hasPicture ? '' : output(tool),
      picture: hasPicture ? picture(skewed(300_000, 3_000_000)) : undefined,
    }
  }
  const turn = (): Turn => ({
    request: random.below(9) === 0 ? `${oneOf(requests)}\n\n${some(30).join('\n')}` : oneOf(requests),
    steps: Array.from({ length: skewed(5, 60) }, step),
    answer: some(skewed(8, 60)).join('\n'),
  })
  return { random, oneOf, skewed, turn, noise: picture }
}

export type Texts = ReturnType<typeof createTexts>

/** By Box and Muller. */
function normal(random: PythonRandom): number {
  const [first, second] = [random.below(1_000_000) + 1, random.below(1_000_000)].map(each => each / 1_000_000)
  return Math.sqrt(-2 * Math.log(first ?? 1)) * Math.cos(2 * Math.PI * (second ?? 0))
}
