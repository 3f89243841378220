import { describe, expect, it } from 'vitest'
import { loadSource } from '../src/agents/registry/transcript-sources.js'
import type { Skipped, Transcript } from '../src/core/transcript/transcript.js'
import { promptText } from '../src/models/handoff/prompt.js'
import { inHome } from './conformance/source-reading.js'
import type { MadeSession } from './support/sleep/made-session.js'
import { forms, sourceOf } from './support/sleep/world.js'

/**
 * A session that answered our own prompts is not a person's work: it is not mined, whichever agent recorded
 * it.
 */

const key = '0123456789abcdef0123456789abcdef'
const answer = `/home/dev/handoff/answers/${key}.md`
const prompt = promptText(
  { messages: [{ role: 'user', text: `Write the changelog. ${'Lots of words. '.repeat(1_000)}` }] },
  { key, answer },
)
const plain = { failed: false, picture: undefined }

type Turns = MadeSession['turns']

const sessions: Readonly<Record<string, Turns>> = {
  'was given a prompt': [{ request: prompt, steps: [], answer: 'The changelog.' }],
  'read a prompt with a tool': [
    {
      request: 'Answer what waits in the folder.',
      steps: [
        {
          tool: 'shell',
          input: { command: 'cat -n pending/*' },
          output: `${'x'.repeat(9_000)}\n     1\t${prompt}`,
          ...plain,
        },
      ],
      answer: 'Done.',
    },
  ],
  'wrote an answer': [
    {
      request: 'Answer what waits in the folder.',
      steps: [
        { tool: 'shell', input: { command: `echo The changelog. > ${answer}` }, output: 'ok', ...plain },
      ],
      answer: 'Done.',
    },
  ],
}

const ordinary: Turns = [
  {
    request: 'Explain what skillopt-handoff does with answers/KEY.md and pending/.',
    steps: [],
    answer: 'It waits for answers.',
  },
]

async function readAll(form: string, turns: Turns) {
  const source = await loadSource(sourceOf(form))
  const session = (id: string, at: number, made: Turns): MadeSession => ({
    id,
    project: '/home/dev/proj',
    branch: 'main',
    at,
    turns: made,
    strange: [],
  })
  return inHome(async home => {
    await forms[form]?.(home, [
      session('11111111-2222-4333-8444-555555555555', Date.UTC(2026, 0, 5), turns),
      session('21111111-2222-4333-8444-555555555555', Date.UTC(2026, 0, 6), ordinary),
    ])
    const transcripts: Transcript[] = []
    const skipped: Skipped[] = []
    for await (const transcript of source.read({
      user: { home, env: {}, platform: 'linux' },
      isWanted: () => true,
      redact: text => text,
      skip: each => void skipped.push(each),
      signal: new AbortController().signal,
    }))
      transcripts.push(transcript)
    const requests = transcripts.flatMap(({ entries }) =>
      entries.flatMap(entry => (entry.kind === 'prompt' ? [entry.text] : [])),
    )
    return { requests, own: skipped.filter(({ reason }) => reason === 'own').length }
  })
}

/** They record no tool outputs, so a session is recognised by what it wrote. */
const withoutOutputs = ['cursor', 'copilot/store']

describe.each(Object.keys(forms))('a session of %s', form => {
  const known = Object.entries(sessions).filter(
    ([what]) => what !== 'read a prompt with a tool' || !withoutOutputs.includes(form),
  )
  it.each(known)('that %s is left out as our own', async (_what, turns) => {
    const { requests, own } = await readAll(form, turns)
    expect([requests, own]).toEqual([ordinary.map(({ request }) => request), 1])
  })
})
