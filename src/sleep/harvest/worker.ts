/** Runs in a process of its own, started by `workers.ts`: answers each file with what came of it, or what went wrong. */

import { loadSource } from '../../agents/registry/transcript-sources.js'
import { messageOf } from '../../core/errors/errors.js'
import { createRedactor } from '../../core/redaction/redact.js'
import type { HarvestPlan, SourceFile } from './plan.js'
import { type ReadingTools, readFile } from './reading.js'
import { createScope } from './scope.js'
import type { WorkerAnswer } from './workers.js'

process.once('message', (plan: HarvestPlan) => {
  const tools: ReadingTools = {
    redactor: createRedactor({ patterns: plan.patterns }),
    isWanted: createScope(plan.scope, plan.user.platform),
    // Whoever wants it to stop ends the process.
    signal: new AbortController().signal,
  }
  process.on('message', async (file: SourceFile) => process.send?.(await answer(file, plan, tools)))
  process.send?.('ready')
})
// A terminal sends this to every process; the one that started us decides what becomes of it.
process.on('SIGINT', () => undefined)
process.on('disconnect', () => process.exit())

async function answer(
  { source, path }: SourceFile,
  plan: HarvestPlan,
  tools: ReadingTools,
): Promise<WorkerAnswer> {
  try {
    return { gathered: await readFile(await loadSource(source), plan, path, tools) }
  } catch (error) {
    // What is wrong with a text is often said by quoting it.
    return { problem: tools.redactor.redact(messageOf(error)).text }
  }
}
