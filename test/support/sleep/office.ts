import type { MadeSession } from '../../../src/experiment/generate.js'
import { type ChatReply, type ChatRequest, textOf } from '../../../src/simulated/chat.js'

/**
 * A person with recurring requests, each with a rule of its own, and scripted models: the agent follows a rule
 * only if it reads it, and only for the request that the rule is about. A rule for one request therefore never
 * changes the score of another.
 */

interface Duty {
  /** A word in every request of this kind. */
  readonly word: string
  readonly asked: readonly string[]
  readonly rule: string
  /** What an answer contains if it follows the rule. */
  readonly kept: string
}

const duties: readonly Duty[] = [
  {
    word: 'release notes',
    asked: [
      'write the release notes for 1.4',
      'release notes for 1.5 please',
      'I need release notes for version 1.6',
      'can you do the release notes of 1.7',
      'release notes 1.8, the usual ones',
      'draft release notes for 2.0-beta',
      'prepare the release notes for 2.0',
    ],
    rule: 'Release notes leave out internal changes.',
    kept: 'USERS-ONLY',
  },
  {
    word: 'flaky',
    asked: [
      'ReconnectTest is flaky on CI, fix it',
      'the flaky test PoolTest needs fixing',
      'fix flaky BackoffTest',
      'another flaky test on CI: DrainTest',
      'SocketTest is a flaky test, repair it',
      'please fix the flaky FrameTest',
      'flaky test again on CI, this time TimerTest',
    ],
    rule: 'A flaky test is mended at its cause, without a retry.',
    kept: 'NO-RETRY',
  },
  {
    word: 'migration',
    asked: [
      'write a migration that adds orders.refunded_at',
      'migration for an index on payments',
      'I need a database migration to drop legacy_quotes',
      'database migration: quotes.currency not null',
      'add a migration for users.locale',
      'create the migration that splits addresses',
      'a migration for the table of coupons please',
    ],
    rule: 'A migration has no down part.',
    kept: 'UP-ONLY',
  },
  {
    word: 'standup',
    asked: [
      'write my standup for monday',
      'standup text for tuesday please',
      'what do I say in the standup on wednesday',
      'summarise yesterday for the standup of thursday',
      'standup notes for friday',
      'draft the standup for next monday',
      'the standup text of tuesday again, second week',
    ],
    rule: 'A standup has three lines.',
    kept: 'THREE-LINES',
  },
  {
    word: 'customer',
    asked: [
      'answer the customer Krause, booked twice',
      'reply to customer Yilmaz about her data',
      'a mail to the customer Petrov on his invoice',
      'customer Sommer lost her login, answer her',
      'answer customer Lange about the refund',
      'reply to the customer Vogel, he is angry',
      'mail for customer Brandt about the outage',
    ],
    rule: 'A customer is addressed formally.',
    kept: 'FORMAL',
  },
  {
    word: 'dockerfile',
    asked: [
      'update the base image in the dockerfile of api',
      'dockerfile of worker: newer base image',
      'bump the base image of the web dockerfile',
      'the dockerfile for cron wants a newer base image',
      'new base image for the dockerfile of mailer',
      'raise the base image in the dockerfile of proxy',
      'base image update, dockerfile of search',
    ],
    rule: 'A dockerfile pins its base image by digest.',
    kept: 'DIGEST',
  },
]

/** One session per request, on days of their own; the requests of the duties alternate. */
export function officeSessions(
  today: number,
  kinds = duties.length,
  occasions = Number.POSITIVE_INFINITY,
): readonly MadeSession[] {
  return duties.slice(0, kinds).flatMap(({ asked }, duty) =>
    asked.slice(0, occasions).map((said, index) => ({
      id: `00000000-0000-4000-8000-${String(100 * duty + index).padStart(12, '0')}`,
      at: today - (index * duties.length + duty + 1) * 43_200_000,
      turns: [{ said, answer: 'Done.' }],
    })),
  )
}

const dutyIn = (text: string): Duty | undefined => duties.find(({ word }) => text.includes(word))

/** True if the agent follows the rule of this request, having read the skill. */
export function isDone(skill: string, asked: string): boolean {
  const duty = dutyIn(asked)
  return duty !== undefined && skill.includes(duty.rule)
}

export function answersInOffice(request: ChatRequest): ChatReply {
  const [system, asked] = [said(request, 'system'), said(request, 'user')]
  const reply = (value: object) => ({ content: JSON.stringify(value) })
  if (request.model === 'target') {
    const kept = isDone(system, asked) ? ` ${dutyIn(asked)?.kept}` : ''
    return { content: `Done.${kept}` }
  }
  if (request.model === 'judge') {
    const duty = duties.find(({ kept }) => asked.includes(`It is ${kept}`))
    const isKept = duty !== undefined && asked.includes(`Done. ${duty.kept}`)
    return reply({ reason: 'By its rule.', score: isKept ? 1 : 0 })
  }
  if (system.includes('"skip": null')) {
    const duty = dutyIn(asked)
    const rubric = [`It is ${duty?.kept ?? 'anything'}.`]
    return reply({ intent: `Do the ${duty?.word ?? 'rest'}.`, rubric, checks: [], skip: null })
  }
  if (system.includes('slow_update_content')) return reply({ slow_update_content: '' })
  if (system.includes('meta_skill_content')) return reply({ meta_skill_content: '' })
  if (system.includes('selected_indices')) return reply({ selected_indices: [0, 1, 2, 3] })
  if (system.includes('success_patterns')) return reply({ patch: { edits: [] } })
  const failed = duties.filter(({ word }) => asked.includes(word))
  const edits = failed.map(({ rule }) => ({ op: 'append', content: `- ${rule}` }))
  return system.includes('failure_summary') ? reply({ patch: { edits } }) : reply({ edits })
}

function said({ messages }: ChatRequest, wanted: string): string {
  return messages
    .filter(({ role }) => role === wanted)
    .map(textOf)
    .join('\n')
}
