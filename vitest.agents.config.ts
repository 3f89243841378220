import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import base from './vitest.config.js'

/**
 * Those whose programs try again for minutes when their server refuses: begun first, they wait beside the others. No more
 * than two files with faults stand in a row at the beginning, since each starts six programs at once.
 */
const patient = ['opencode', 'qwen-code', 'killed', 'gemini', 'pi', 'copilot']
const parts = ['faults', 'training', 'agents', 'transcripts']

class PatientFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const [agent = '', part = ''] = moduleId.slice(moduleId.lastIndexOf('/') + 1).split('.')
      const at = patient.indexOf(agent)
      return (at === -1 ? patient.length : at) * parts.length + parts.indexOf(part)
    }
    return files.toSorted((left, right) => rank(left) - rank(right))
  }
}

const { projects: _, ...shared } = base.test ?? {}

const slow = ['test/agents/real/*.slow.agents.ts']

/** Every agent that can be installed. `npm run test:agents` leaves the slow ones to `npm run test:all`. */
export default defineConfig({
  ...base,
  test: {
    ...shared,
    projects: [
      {
        extends: true,
        test: {
          name: 'agents',
          include: ['test/agents/real/*.agents.ts'],
          exclude: [...configDefaults.exclude, ...slow],
        },
      },
      { extends: true, test: { name: 'slow', include: slow } },
    ],
    sequence: { sequencer: PatientFirst },
    // Most of the time they wait, some for a minute between two tries; but each takes some hundred megabytes.
    maxWorkers: 5,
    maxConcurrency: 6,
  },
})
