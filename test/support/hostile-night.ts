import { appendFile, rm } from 'node:fs/promises'
import { readProposal, writeProposal } from '../../src/sleep/adopt/index.js'
import { sha256, withRegion } from '../../src/sleep/adopt/target.js'
import { updateBook } from '../../src/sleep/book/book.js'
import type { Proposal } from '../../src/sleep/model/proposal.js'
import { nightLog } from '../../src/sleep/schedule/index.js'
import { personsMemory } from './adoption.js'
import { hostileLine, hostileText } from './hostile.js'
import { endOf, makeNightWorld, type NightWorld } from './night.js'
import { sleepTask } from './sleep-book.js'

/** A night in which every text is hostile, with a proposal awaiting a decision. */
export async function makeHostileNight(): Promise<NightWorld> {
  const { targets, ...end } = endOf()
  const world = await makeNightWorld({
    outcome: {
      ...end,
      reason: hostileText('night'),
      targets: targets.map(target => ({ ...target, reason: hostileText('trained') })),
    },
  })
  const { proposal, texts } = await readProposal(world.proposalFolder)
  const memory = withRegion(personsMemory, hostileText('remembered'), 'memory')
  await rm(world.proposalFolder, { recursive: true })
  const files = proposal.targets.map(({ name, proposed }) => [proposed, texts.get(name) ?? ''] as const)
  await writeProposal(
    world.proposalFolder,
    hostileProposal(proposal, sha256(memory)),
    new Map([...files, ['memory.md', memory]]),
  )

  await updateBook(world.kept.folder, world.project, book => ({ ...book, tasks: [hostileTask()] }))
  await appendFile(nightLog(world.kept.folder), hostileText('night log'))
  return world
}

const hostileProposal = (proposal: Proposal, memory: string): Proposal => ({
  ...proposal,
  verdict: { accepted: true, reason: hostileText('night verdict') },
  targets: proposal.targets.map(target =>
    target.name === 'memory:CLAUDE.md' ? { ...target, after: memory } : target,
  ),
  edits: proposal.edits.map(edit => ({
    ...edit,
    why: hostileText(`why ${edit.id}`),
    tasks: [hostileLine('learned from')],
    sessions: [hostileLine('session')],
    ...(edit.id === 'e3' ? { content: hostileText('remembered') } : {}),
    ...(edit.status === 'rejected' ? { content: hostileText('rejected') } : {}),
  })),
})

const hostileTask = () =>
  sleepTask('hostile', {
    intent: hostileLine('intent'),
    rubric: [hostileLine('rubric')],
    checks: [{ op: 'contains', arg: hostileText('check') }],
    writtenBy: hostileLine('written by'),
    examples: [
      {
        text: hostileText('asked'),
        answer: hostileText('answered'),
        before: [hostileText('before')],
        session: hostileLine('session'),
        branch: hostileLine('branch'),
      },
    ],
    evidence: {
      sessions: [hostileLine('session')],
      failures: [
        { kind: 'correction', text: hostileText('corrected'), session: hostileLine('failed session') },
      ],
      tools: [hostileLine('used tool')],
    },
  })
