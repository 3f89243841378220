/** Child process started by `workers.ts`. It answers each file with a result or a problem. */

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
    // This signal never fires: the parent stops a worker by ending its process.
    signal: new AbortController().signal,
  }
  process.on('message', async (file: SourceFile) => process.send?.(await answer(file, plan, tools)))
  process.send?.('ready')
})
// A terminal sends SIGINT to every process of the group, but the parent decides when this one ends.
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
    // Error messages often quote the text that caused them, so they are redacted.
    return { problem: tools.redactor.redact(messageOf(error)).text }
  }
}
