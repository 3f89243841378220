import { expect, it } from 'vitest'
import { createRedactor } from './redact.js'

const { redact } = createRedactor()

/** Each text targets one rule and keeps it searching for an end that never comes. */
const hostile: readonly string[] = [
  'sk-',
  'sk-proj-x',
  'eyJ',
  'eyJ.',
  '-eyJaaaaaaa',
  'password=',
  'token=token',
  '"password":"',
  'password = "a b ',
  "secret: '",
  '\\"token\\":\\"',
  'Authorization: ',
  'authorization=Basic',
  'Authorization: Digest a=b,',
  'Bearer a',
  'Cookie: a=',
  '://a:',
  'x://a:b@',
  '-----BEGIN PRIVATE KEY-----',
  `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n`,
  '-----END PRIVATE KEY-----',
  `${'A'.repeat(500)}\n-----END PRIVATE KEY-----`,
  'curl -u a:',
  'mysql -p',
  '[redacted',
  '[redacted: a]',
  'xox',
  'MT',
  'A',
  '\\',
  'api_key',
  '{"a":',
  'DB_PASSWORD=Xk29vQ7 ',
  'token,password\n',
  '| password | a1 |',
  '| password | a1 |\n',
  '{"name":"API_KEY","value":',
  '"value":"abcd","name":"token',
  'name: token\n',
  '<add key="Password" ',
  "define('DB_PASSWORD', ",
  'AKIAQ7A3D4E5F6G7H8I9 a ',
  'a:5432:b:c:',
  'data:\n  password: YQ==\n',
  'kind: Secret\ndata:\n  a: YQ==\n',
  '\u001b[32mPASSWORD\u001b[0m=',
  'curl -uuser:',
]

/**
 * Measures this process's CPU time, so that other load matters little, and takes the minimum, because noise
 * only adds.
 */
function microseconds(text: string): number {
  return Math.min(
    ...[1, 2, 3].map(() => {
      const start = process.cpuUsage()
      redact(text)
      return process.cpuUsage(start).user
    }),
  )
}

it.each(hostile)('%j again and again takes no more than its length', piece => {
  const length = 8_000
  const text = piece.repeat(Math.ceil((8 * length) / piece.length))
  const short = microseconds(text.slice(0, length))
  // Quadratic time would take 64 times as long for eight times the text.
  expect(microseconds(text.slice(0, 8 * length))).toBeLessThan(24 * short + 50_000)
})
