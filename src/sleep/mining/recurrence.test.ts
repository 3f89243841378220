import { describe, expect, it } from 'vitest'
import type { SessionRequest } from '../model/session-request.js'
import { recurrences } from './recurrence.js'

const day = 86_400_000
const start = Date.UTC(2026, 0, 5, 9)

interface Asked extends Partial<SessionRequest> {
  readonly session: string
}

function judged(asked: readonly Asked[]) {
  const requests = asked.map(
    (given, index): SessionRequest => ({
      id: `r${index}`,
      project: '/home/ada/shop',
      at: start,
      text: `wording ${index}`,
      file: '/sessions/a.jsonl',
      branch: undefined,
      before: [],
      answer: undefined,
      tools: [],
      evidence: [],
      skills: [],
      ...given,
    }),
  )
  const [first] = requests
  if (first === undefined) throw new Error('Nothing was asked.')
  const [found] = recurrences([{ id: 'c', central: first, requests }])
  return found
}

const corrected = [{ kind: 'correction', text: 'no', at: undefined }] as const

describe('recurrences', () => {
  it('treats three sessions as recurring, even on one day', () => {
    expect(judged([{ session: 'a' }, { session: 'b' }, { session: 'c' }])).toMatchObject({
      isRecurring: true,
      score: 3,
      evidence: { occasions: 3, days: 1, projects: 1, wordings: 3 },
    })
  })

  it('never treats one session as recurring, whatever its score', () => {
    const often = Array.from({ length: 20 }, (_, index) => ({
      session: 'a',
      at: start + index * day,
      project: `/p${index}`,
      evidence: corrected,
    }))
    expect(judged(often)).toMatchObject({ isRecurring: false, evidence: { occasions: 1, requests: 20 } })
  })

  it('requires rework or another project for two sessions on two days', () => {
    const two = (change: Partial<SessionRequest>) =>
      judged([{ session: 'a' }, { session: 'b', at: start + day, ...change }])?.isRecurring
    expect(two({})).toBe(false)
    expect(two({ evidence: corrected })).toBe(true)
    expect(two({ project: '/home/ada/site' })).toBe(true)
    expect(two({ evidence: [{ kind: 'praise', text: 'thanks', at: undefined }] })).toBe(false)
  })

  it('counts the same words within ten minutes once: several agents got one prompt', () => {
    const same = (minutes: number) =>
      ['a', 'b', 'c'].map((session, index) => ({
        session,
        text: 'fix it all',
        at: start + index * minutes * 60_000,
      }))
    expect(judged(same(1))).toMatchObject({ isRecurring: false, evidence: { occasions: 1, wordings: 1 } })
    expect(judged(same(11))).toMatchObject({ isRecurring: true, evidence: { occasions: 3 } })
  })

  it('works without times and folders', () => {
    const unknown = { at: undefined, project: undefined }
    expect(
      judged([
        { session: 'a', ...unknown },
        { session: 'b', ...unknown },
      ])?.evidence,
    ).toMatchObject({
      days: 1,
      projects: 1,
      occasions: 2,
      firstAt: undefined,
      lastAt: undefined,
    })
  })

  it('sorts the most recurring first, with a configurable rule', () => {
    const request = (session: string): SessionRequest => ({
      id: session,
      session,
      project: undefined,
      at: undefined,
      text: session,
      file: '/sessions/a.jsonl',
      branch: undefined,
      before: [],
      answer: undefined,
      tools: [],
      evidence: [],
      skills: [],
    })
    const cluster = (id: string, sessions: readonly string[]) => ({
      id,
      central: request('x'),
      requests: sessions.map(request),
    })
    const clusters = [
      cluster('once', ['a']),
      cluster('twice', ['a', 'b']),
      cluster('often', ['a', 'b', 'c', 'd']),
    ]
    expect(recurrences(clusters).map(({ id, isRecurring }) => [id, isRecurring])).toEqual([
      ['often', true],
      ['twice', false],
      ['once', false],
    ])
    expect(recurrences(clusters, { occasions: 2, score: 2 })[1]?.isRecurring).toBe(true)
  })
})
