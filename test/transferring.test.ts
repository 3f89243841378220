import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Library } from '../src/cli/library.js'
import { main } from '../src/cli/main.js'
import type { ChatRequest } from '../src/simulated/chat.js'
import { answerSimulated } from '../src/simulated/responder.js'
import { startLoopbackServer } from '../src/testing/index.js'
import { fakeIo } from './support/fake-io.js'
import { expectShown, linesBetween } from './support/shown-output.js'

/** One target follows its skill, as the simulated one does; the other does not see it. */
function answer(request: ChatRequest) {
  const messages =
    request.model === 'inattentive'
      ? request.messages.filter(({ role }) => role !== 'system')
      : request.messages
  return answerSimulated({ ...request, model: 'target', messages })
}

it('docs/evaluating.md shows what a transfer prints', async () => {
  const quickstart = fileURLToPath(new URL('../examples/quickstart', import.meta.url))
  const cwd = await mkdtemp(join(tmpdir(), 'skillopt-transferring-'))
  const server = await startLoopbackServer({ respond: answer })
  try {
    const before = await readFile(join(quickstart, 'SKILL.md'), 'utf8')
    const rules = [
      '- Add a fixed 6 EUR when the destination is remote.',
      '- The volumetric weight is length x width x height / 4000.',
    ]
    await writeFile(join(cwd, 'new.md'), `${before}${rules.join('\n')}\n`)
    const env = { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` }
    const io = fakeIo<Library>({ cwd, env, library: await import('../src/app/index.js') })
    const to = 'openai-compatible/small,openai-compatible/inattentive'
    const argv = ['eval', quickstart, '--skill', 'new.md', '--on', to, '--yes', '--quiet']
    expect(await main(argv, io), io.err()).toBe(0)
    const shown = linesBetween(io.out(), /^test split/, /^$/)
    expectShown('docs/evaluating.md', 'transfer', shown.join('\n').trimEnd())
  } finally {
    await server.close()
    await rm(cwd, { recursive: true })
  }
})
