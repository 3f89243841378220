import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { defineEnvironment, InputError } from 'skillopt'
import { z } from 'zod'

/** A task, as a line of the tasks file has it. The agent sees what `prompt` makes of it, and nothing else. */
const parcel = z.strictObject({
  id: z.string().min(1),
  split: z.enum(['train', 'val', 'test']),
  /** Groups tasks in reports. */
  type: z.string(),
  sides: z.tuple([z.number(), z.number(), z.number()]),
  kilograms: z.number(),
  /** For the scorer. */
  expected: z.number(),
})

export default defineEnvironment({
  id: 'chargeable-weight',
  options: z.object({ file: z.string().default('tasks.jsonl') }),
  tasks: async (split, { options, baseDir }) =>
    (await readParcels(resolve(baseDir, options.file))).filter(task => task.split === split),
  instructions: 'Put your final answer between <answer> and </answer>.',
  prompt: ({ sides, kilograms }) =>
    `A parcel measures ${sides.join(' x ')} cm and weighs ${kilograms.toFixed(1)} kg. What is its chargeable weight?`,
  score({ expected }, answer) {
    const written = /<answer>\s*(.*?)\s*<\/answer>/i.exec(answer)?.[1] ?? ''
    const right = Number.parseFloat(written) === expected
    const withUnit = /^[\d.]+ kg$/.test(written)
    return {
      hard: right && withUnit ? 1 : 0,
      soft: (right ? 0.8 : 0) + (withUnit ? 0.2 : 0),
      // The optimizer learns from this sentence: it says what was expected.
      feedback: `Expected "${expected} kg"; got "${written}".`,
    }
  },
})

/** Bad data is refused here, with its line: before anything is paid for. */
async function readParcels(file: string) {
  const lines = (await readFile(file, 'utf8')).split('\n')
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    try {
      return [parcel.parse(JSON.parse(line))]
    } catch (error) {
      const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error)
      throw new InputError(`${file}, line ${index + 1}: ${reason}`)
    }
  })
}
