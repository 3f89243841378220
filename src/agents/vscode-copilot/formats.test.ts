import { describe, expect, it } from 'vitest'
import { recordings } from '../../../test/conformance/source-reading.js'
import { mutated } from '../../../test/conformance/source-records.js'
import { asLines, readFiles } from '../../../test/support/read-source.js'
import { PythonRandom } from '../../core/statistics/random.js'
import { readSidecarText } from '../shared/transcripts/sidecar.js'
import { source as vscode } from './transcripts.js'

describe('GitHub Copilot in VS Code', () => {
  const session = 'w/chatSessions/3b7e1f1b-52c0-4d0e-9a64-0d7d6f0c1a01.jsonl'
  const request = (text: string, fields = {}) => ({
    message: { text },
    timestamp: 1_794_765_605_000,
    ...fields,
  })
  const snapshot = (...requests: readonly unknown[]) => ({ kind: 0, v: { sessionId: 's', requests } })
  const readLog = (...records: readonly unknown[]) => readFiles(vscode, { [session]: asLines(...records) })

  it('looks where each system has it, and where it runs for another machine', () => {
    const places = (platform: NodeJS.Platform, env = {}) =>
      vscode.places({ home: '/home/dev', platform, env })
    const ofWindows = '/data/Code - Insiders/User/workspaceStorage'
    expect(places('win32', { APPDATA: '/data' })).toContain(ofWindows)
    expect(places('darwin')).toContain('/home/dev/Library/Application Support/VSCodium/User/workspaceStorage')
    expect(places('linux', { XDG_CONFIG_HOME: '/x' })).toContain('/x/Code/User/workspaceStorage')
    expect(places('linux')).toContain('/home/dev/.vscode-server/data/User/workspaceStorage')
    expect(places('linux')).toContain('/home/dev/.config/Code/User/globalStorage/emptyWindowChatSessions')
  })

  it('finds sessions only, also in a place that is theirs alone', async () => {
    const text = asLines(snapshot(request('Mine')))
    const name = '3b7e1f1b-52c0-4d0e-9a64-0d7d6f0c1a01.jsonl'
    const files = {
      [name]: text,
      'w/chatSessions/other-name.jsonl': text,
      'w/workspace.json': '{}',
      'w/GitHub.copilot-chat/chatSessions/a.jsonl': text,
      'w/chatEditingSessions/x/state.json': text,
      'w/state.jsonl': text,
    }
    const { transcripts } = await readFiles(vscode, files)
    expect(transcripts.map(({ file }) => file.split('/').at(-1)).sort()).toEqual([name, 'other-name.jsonl'])
  })

  it.each([
    ['{"folder":"file:///home/dev/my%20proj"}', '/home/dev/my proj'],
    ['{"folder":"vscode-remote://wsl%2Bubuntu/home/dev/proj"}', undefined],
    ['{"folder":"vscode-remote://ssh-remote%2Bhost/home/dev/proj"}', undefined],
    ['{"workspace":"file:///home/dev/all.code-workspace"}', undefined],
    ['{"folder":["/home/dev/proj"]}', undefined],
    ['{"folder":"file:///home', undefined],
  ])('knows from %s that the project is %s', async (workspace, project) => {
    const files = { [session]: asLines(snapshot(request('Mine'))), 'w/workspace.json': workspace }
    const { transcripts } = await readFiles(vscode, files)
    expect(transcripts.map(transcript => transcript.project)).toEqual([project])
  })

  it('takes a session that is there in both forms from the newer one', async () => {
    const older = JSON.stringify({ requests: [request('Older')], sessionId: 's' })
    const { said, skipped } = await readFiles(vscode, {
      [session]: asLines(snapshot(request('Newer'))),
      [session.slice(0, -1)]: older,
    })
    expect(said).toEqual(['> Newer'])
    expect(skipped).toEqual([
      'copy 1 the same session is in chatSessions/3b7e1f1b-52c0-4d0e-9a64-0d7d6f0c1a01.jsonl, which is read',
    ])
    expect((await readFiles(vscode, { [session.slice(0, -1)]: older })).said).toEqual(['> Older'])
  })

  it('reads events of a session of which the log was only begun', async () => {
    const event = (type: string, data: unknown) => ({ type, data, timestamp: '2026-11-16T13:00:00Z' })
    const events = {
      'w/GitHub.copilot-chat/transcripts/3b7e1f1b-52c0-4d0e-9a64-0d7d6f0c1a01.jsonl': asLines(
        event('user.message', { content: 'By events' }),
        event('tool.execution_start', { toolCallId: 'a', toolName: 'search_subagent' }),
        event('assistant.message', { content: 'Of the sub-agent' }),
        event('user.message', { content: 'Stop that' }),
        event('assistant.message', { messageId: 'm', content: 'Stop' }),
        event('assistant.message', { messageId: 'm', content: 'Stopped' }),
        event('abort', { reason: 'by hand' }),
      ),
      'w/GitHub.copilot-chat/debug-logs/x.jsonl': asLines(event('user.message', { content: 'Other' })),
    }
    const begun = await readFiles(vscode, { ...events, [session]: asLines(snapshot()) })
    expect(begun.said).toEqual([
      '> By events',
      'tool search_subagent ',
      '> Stop that',
      '< Stopped',
      'x by hand',
    ])
    const both = await readFiles(vscode, { ...events, [session]: asLines(snapshot(request('By the log'))) })
    expect(both.said).toEqual(['> By the log'])
    expect(both.skipped.map(each => each.split(' ')[0])).toEqual(['copy'])
  })

  it('keeps what tools gave, and what they failed at', async () => {
    const tool = (fields: unknown) => ({ kind: 'toolInvocationSerialized', toolId: 't', ...Object(fields) })
    const { transcripts } = await readLog(
      snapshot(
        request('Mine', {
          response: [
            tool({
              toolSpecificData: { rawInput: { a: 1 } },
              resultDetails: { output: [{ value: 'x' }], isError: true },
            }),
            tool({
              resultDetails: { input: '{}', output: [{ value: 'QUFB', isText: false }, { value: 'y' }] },
            }),
            tool({ isConfirmed: { type: 0 }, invocationMessage: 'Runs', pastTenseMessage: { value: 'Ran' } }),
          ],
        }),
      ),
    )
    const used = { kind: 'tool', name: 't', at: 1_794_765_605_000 }
    expect(transcripts[0]?.entries.slice(1)).toEqual([
      { ...used, input: '{"a":1}', output: 'x', failed: true },
      { ...used, input: '{}', output: 'y', failed: false },
      { ...used, input: 'Runs', output: 'Ran', failed: true },
    ])
  })

  it('leaves out what a person went back from, clicked, or did not ask Copilot', async () => {
    const { said } = await readLog(
      snapshot(
        request('Wrong', { shouldBeRemovedOnSend: { requestId: 'x' } }),
        request('Hidden', { isHidden: true }),
        request('Continue?', { confirmation: 'Continue', response: [{ value: 'Yes' }] }),
        request('Of the system', { isSystemInitiated: true }),
        request('For another', { agent: { id: 'x.y', extensionId: { value: 'x.y' } } }),
        request('For none', { agent: { id: 'claude' } }),
        request('By another name', { agent: { id: 'github.copilot.default' } }),
        request('While setting up', {
          agent: { id: 'setup', extensionId: { value: 'nullExtensionDescription' } },
        }),
      ),
    )
    expect(said).toEqual(['< Yes', '> By another name', '> While setting up'])
  })

  it('reads what older versions wrote', async () => {
    const { said } = await readLog(
      snapshot({
        message: 'In words alone',
        response: [{ kind: 'markdownContent', content: { value: 'Yes' } }],
        responseErrorDetails: { message: 'Off the line' },
      }),
    )
    expect(said).toEqual(['> In words alone', '< Yes', 'x Off the line'])
  })

  it('says how a request ended that did not end well', async () => {
    const { said } = await readLog(
      snapshot(
        request('A', { modelState: { value: 2 } }),
        request('B', { modelState: { value: 3 } }),
        request('C', { result: { errorDetails: {} } }),
        request('D', { modelState: { value: 1 }, result: { errorDetails: { message: 'No quota' } } }),
        request('E', { modelState: { value: 1 }, result: { metadata: {} }, isCanceled: false }),
      ),
    )
    const failed = 'x The model failed.'
    expect(said).toEqual([
      '> A',
      'x The request was cancelled.',
      '> B',
      failed,
      '> C',
      failed,
      '> D',
      'x No quota',
      '> E',
    ])
  })

  it('continues without the beginning of a log, and counts operations that cannot be applied', async () => {
    const { said, skipped } = await readLog(
      { kind: 1, k: ['requests', 3, 'isCanceled'], v: true },
      { kind: 2, k: ['requests'], v: [request('Still here'), 'nothing', { type: 'from-the-future' }] },
      { kind: 9, k: ['requests'], v: [] },
      { kind: 1, k: ['__proto__', 'polluted'], v: true },
      { kind: 1, k: ['requests', 4_000_000_000], v: request('Far away') },
    )
    expect(said).toEqual(['> Still here'])
    expect(skipped).toEqual([
      'record 2 changes of what is not there',
      'record 1 records of the unknown kind "operation 9"',
      'record 1 requests that are none',
      'record 1 records of the unknown kind "from-the-future"',
    ])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('yields the snapshot, whatever 5,000 strange operations came before', async () => {
    const file =
      '.config/Code/User/workspaceStorage/6d0f9a3c21e84b7f95d1c0aa7e2b4f18/chatSessions/8c2f4f60-7a3d-4b4e-8f14-5f2f3e1c9b02.jsonl'
    const log = ((await readSidecarText(`${recordings}/${file}`)) ?? '')
      .split('\n')
      .filter(line => line !== '')
    const random = new PythonRandom(11)
    const strange = Array.from({ length: 5_000 }, (_, index) =>
      mutated(log[index % log.length] ?? '', random),
    )
    const { said, skipped } = await readFiles(vscode, {
      [session]: `${strange.join('\n')}\n${asLines(snapshot(request('Good')))}`,
    })
    expect(said).toEqual(['> Good'])
    expect(skipped.join()).toContain('torn')
  })
})
