import type { MiningCluster } from '../../src/sleep/mining/mining-cluster.js'
import type { SessionRequest } from '../../src/sleep/model/session-request.js'

export function sessionRequest(text: string, given: Partial<SessionRequest> = {}): SessionRequest {
  return {
    id: `request of ${text}`,
    session: 'codex:1',
    file: '/sessions/1.jsonl',
    project: '/home/ada/shop',
    branch: undefined,
    at: undefined,
    text,
    before: [],
    answer: undefined,
    tools: [],
    evidence: [],
    skills: [],
    ...given,
  }
}

export function miningCluster(
  key: string,
  requests: readonly SessionRequest[],
  evidence: Partial<MiningCluster['evidence']> = {},
): MiningCluster {
  const wordings = new Set(requests.map(({ text }) => text)).size
  return {
    key,
    requests,
    evidence: { occasions: requests.length, days: 2, projects: 1, reworked: 0, wordings, ...evidence },
  }
}
