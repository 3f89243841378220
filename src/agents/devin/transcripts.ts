import { basename, dirname, join } from 'node:path'
import type { Draft } from '../shared/transcripts/draft.js'
import { agentFolder } from '../shared/transcripts/homes.js'
import { fieldOf } from '../shared/transcripts/json-items.js'
import { createSource, type RecordReader } from '../shared/transcripts/source.js'
import { timeOf } from '../shared/transcripts/times.js'
import { asText, at, type JsonRecord, recordsIn, textIn } from '../shared/transcripts/values.js'
import { devinFolder } from './sessions.js'

export const source = createSource({
  id: 'devin',
  title: 'Devin',
  places: user => {
    const data =
      user.platform === 'win32'
        ? agentFolder(user, ['APPDATA'], 'AppData', 'Roaming')
        : agentFolder(user, ['XDG_DATA_HOME'], '.local', 'share')
    return [join(data, 'devin', 'cli', 'transcripts')]
  },
  kindOf: path => (path.endsWith('.json') ? 'session' : undefined),
  listIn: () => 'steps',
  async open(draft) {
    const id = basename(draft.file, '.json')
    const { folder, problem } = await devinFolder(join(dirname(draft.file), '..', 'sessions.db'), id)
    draft.at(folder)
    if (problem !== undefined) draft.lost(`folders, which the database of sessions tells: ${problem}`)
    return createReader(draft, id)
  },
})

/** States of a step that did not succeed. */
const brokenOff = new Set(['error', 'cancelled', 'canceled', 'aborted', 'interrupted'])

function createReader(draft: Draft, id: string): RecordReader {
  const readAgent = (step: JsonRecord, time: number | undefined) => {
    draft.answer(textIn(step.message), time)
    const calls = recordsIn(step.tool_calls)
    for (const { tool_call_id, function_name, arguments: input } of calls)
      draft.call({ id: tool_call_id, name: function_name, input, at: time })
    for (const { source_call_id, content, extra } of recordsIn(at(step, 'observation', 'results'))) {
      const failed = at(extra, 'is_error') === true || at(extra, 'success') === false
      // With a single call, the result can only belong to that call.
      const call = source_call_id ?? (calls.length === 1 ? calls[0]?.tool_call_id : undefined)
      draft.result(call, { output: textIn(content), failed })
    }
    const how = asText(at(step, 'extra', 'finish_reason')) ?? asText(at(step, 'metadata', 'finish_reason'))
    if (how !== undefined && brokenOff.has(how)) draft.brokenOff(how, time)
  }
  const readStep = (step: JsonRecord): string | undefined => {
    // A copy of earlier context, repeated for the model.
    if (step.is_copied_context === true) return undefined
    const time = timeOf(step.timestamp) ?? timeOf(at(step, 'metadata', 'created_at'))
    draft.happened(time)
    // Older versions record the speaker in the step's metadata.
    if (step.source === 'user' || at(step, 'metadata', 'is_user_input') === true)
      draft.prompt(textIn(step.message), time)
    else if (step.source === 'agent' || step.role === 'assistant') readAgent(step, time)
    else if (step.source !== 'system')
      return asText(step.type) ?? `step of ${asText(step.source) ?? 'nobody'}`
    return undefined
  }
  return {
    read(record) {
      if (fieldOf(record) === undefined) return readStep(record)
      draft.name(record.session_id)
      return undefined
    },
    finish: () => draft.name(id),
  }
}
