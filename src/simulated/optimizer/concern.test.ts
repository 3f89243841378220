import { expect, it } from 'vitest'
import { nameConcerned } from './concern.js'

const text = `<tasks>
[1] What does the insured parcel cost?
[2] When does it arrive?
[3] What does insurance of a parcel cost?
</tasks>

<causes>
[1] {"cause":"insured value","applies_to":"tasks with insurance"}
[2] {"cause":"what it does","remedy":"- Say when."}
[3] not JSON
</causes>`

it('names the tasks that share a word with the cause, and knows nothing else', () => {
  expect(nameConcerned(text)).toEqual({
    concerned: [
      { cause: 1, all_tasks: false, tasks: [1, 3] },
      { cause: 2, all_tasks: true, tasks: [] },
      { cause: 3, all_tasks: false, tasks: [] },
    ],
  })
})
