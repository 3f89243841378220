import { describe, expect, it } from 'vitest'
import { reportSource, tagsOf } from '../../test/support/report-source.js'
import { LogBuilder, sampleLog, seedHash } from '../../test/support/sample-run.js'
import type { RecordedEdit } from '../core/log/event.js'
import { renderHtml } from './html.js'
import { renderMarkdown } from './markdown.js'

const html = async (log: LogBuilder, given = {}) => renderHtml(await reportSource(log, given))
const markdown = async (log: LogBuilder, given = {}) => renderMarkdown(await reportSource(log, given))

describe('texts of models and tasks', () => {
  const attack = '</title></style><script>alert("x")</script><img src=x onerror=alert(1)>'

  const settings = [{ path: attack, value: attack, source: attack }]

  function hostileLog(): LogBuilder {
    const log = new LogBuilder().start({ run: attack })
    const text = `# ${attack}\n\n\`\`\`\n${attack}\n`
    const stored = {
      skill: seedHash,
      text: log.put(text),
      origins: log.put(JSON.stringify([{ length: text.length, origin: attack }])),
    }
    const edit: RecordedEdit = {
      id: attack,
      op: 'append',
      content: attack,
      why: attack,
      support: 1,
      from: 'failure',
      tasks: [attack],
    }
    const at = { epoch: 1, step: 1 }
    const summary = {
      hard: 1,
      soft: 1,
      scored: 1,
      failed: 0,
      score: 1,
      interval: { mean: 1, low: 0, high: 1 },
    }
    log.add('step.started', { ...at, budget: 1, tasks: [attack], skill: seedHash })
    log.add('aggregate.finished', { ...at, edits: [edit], failed: 0 })
    log.add('select.finished', { ...at, budget: 1, edits: [edit], dropped: [], failed: 0 })
    log.add('update.finished', {
      ...at,
      ...stored,
      reports: [{ edit: attack, status: 'unmatched', reason: attack }],
    })
    log.add('gate.decided', {
      ...at,
      what: 'step',
      candidate: seedHash,
      current: 0,
      score: 1,
      best: 0,
      action: 'accept_new_best',
      verdict: { decision: 'accept', complete: true, reason: attack },
    })
    log.add('best.changed', { ...stored, version: 1, score: 1 })
    log.add('slow-update.finished', {
      epoch: 1,
      pairs: { improved: 0, regressed: 0, persistent: 0, stable: 0 },
      guidance: attack,
      reasoning: attack,
      outcome: 'accepted',
    })
    log.add('meta-skill.finished', { epoch: 1, content: attack, reasoning: attack })
    const types = ['a', attack].map(type => ({ type, ...summary }))
    log.add('test.finished', { which: 'best', skill: seedHash, ...summary, types })
    const call = { stage: 'rollout', epoch: 1, step: 1, role: 'target', try: 1 } as const
    log.add('call.failed', { ...call, kind: attack, message: attack })
    log.add('one-shot.finished', { skill: seedHash, text: log.put(text), summary: attack })
    return log.add('run.stopped', { reason: 'failed', message: attack, hint: attack })
  }

  it('stay texts in HTML', async () => {
    const page = await html(hostileLog(), { settings })
    expect(page).not.toMatch(/<script|<img/i)
    expect(page.split('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;').length).toBeGreaterThan(12)
    expect(page.match(/<\/style>/g)).toHaveLength(1)
    tagsOf(page)
  })

  it('stay texts in Markdown, and cannot end the block of the diff', async () => {
    const text = await markdown(hostileLog(), { settings })
    const outside = text.replace(/^````diff$[\s\S]*?^````$/gm, '')
    expect(outside).not.toMatch(/<script|<img/i)
    expect(outside).toContain('&lt;script&gt;')
    expect(text).toContain('````diff\n')
  })

  it('show control characters and characters that reverse the reading order by their number', async () => {
    const log = sampleLog().add('run.stopped', { reason: 'failed', message: 'a\u001b[31mb\u202Ec\u0007' })
    const page = await html(log)
    expect(page).toContain('ab⟨U+202E⟩c⟨U+0007⟩')
    for (const character of ['\u001b', '\u202e', '\u0007']) expect(page).not.toContain(character)
  })
})
