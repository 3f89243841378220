import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import base from './vitest.config.js'

/** Those whose programs try again for minutes when their server refuses: begun first, they wait beside the others. */
const patient = ['opencode', 'qwen-code', 'gemini', 'copilot']

class PatientFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = patient.findIndex(id => moduleId.includes(`/${id}.`))
      return at === -1 ? patient.length : at
    }
    return files.toSorted((left, right) => rank(left) - rank(right))
  }
}

/** `npm run test:agents`: every agent that can be installed, with all that can go wrong. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/agents/real/*.agents.ts'],
    sequence: { sequencer: PatientFirst },
    // Most of the time they wait, some for a minute between two tries; but each takes some hundred megabytes.
    maxWorkers: 5,
    maxConcurrency: 6,
  },
})
