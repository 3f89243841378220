import { readFileSync } from 'node:fs'
import { lintSource } from '@secretlint/core'
import { creator } from '@secretlint/secretlint-rule-preset-recommend'
import { expect, it } from 'vitest'
import { createRedactor } from './redact.js'

/** The marks keep secret scanners from flagging the file; see `corpus.test.ts`. */
const secrets = readFileSync(
  new URL('../../../test/fixtures/redaction/secrets.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map(line => JSON.parse(line.replaceAll('¦', '')) as { text: string; secret: string; kind: string })
const { redact } = createRedactor()

async function foundBySecretlint({ text, secret }: { text: string; secret: string }): Promise<boolean> {
  const { messages } = await lintSource({
    source: { content: text, filePath: 'transcript.txt', ext: '.txt', contentType: 'text' },
    options: { config: { rules: [{ id: 'preset', rule: creator }] }, noPhysicFilePath: true },
  })
  return messages.some(({ range: [from, to] }) => {
    const part = text.slice(from, to)
    return part !== '' && (part.includes(secret) || secret.includes(part))
  })
}

it('finds every secret of the corpus that secretlint finds', async () => {
  const found = []
  for (const secret of secrets) if (await foundBySecretlint(secret)) found.push(secret)
  console.info(`secretlint finds ${found.length} of ${secrets.length} secrets`)
  // Otherwise nothing is compared.
  expect(found.length).toBeGreaterThan(20)
  expect(found.filter(({ text, secret }) => redact(text).text.includes(secret))).toEqual([])
})
