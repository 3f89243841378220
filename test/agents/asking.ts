import { mkdir } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { stringify } from 'yaml'
import type { ChatReply, ChatRequest } from '../../src/testing/index.js'
import { put } from '../end-to-end/support.js'
import { type Actor, plant } from './stage.js'

/**
 * A small training in which one agent has every role: it answers at a desk, judges the answers and improves
 * the skill. Answers satisfy the rubric only if the skill contains the rule.
 */

export const canary = 'canary-of-the-user'
export const rule = 'End every answer with the words: Fair winds.'
export const skillName = 'desk-answers'
const heading = '# At the desk'
const seed = `---\nname: ${skillName}\ndescription: How questions are answered.\n---\n\n${heading}\n\nAnswer in one sentence.\n`

const questions = {
  train: ['Where is the tea?', 'Where is the jam?'],
  val: ['Where is the rope?', 'Where is the soap?'],
  test: ['Where is the milk?'],
}

type Role = 'target' | 'optimizer' | 'judge'

/** Infers the role from the request, as a model could. */
export function roleOf({ messages }: ChatRequest): Role {
  const words = JSON.stringify(messages)
  if (words.includes('You grade one answer by a rubric')) return 'judge'
  return words.includes('You improve the skill document') ? 'optimizer' : 'target'
}

/** Plays the model in all roles, and records the answers at the desk. */
export function deskModel() {
  const answered: string[] = []
  const respond = (request: ChatRequest): ChatReply => {
    const words = JSON.stringify(request.messages)
    switch (roleOf(request)) {
      case 'judge': {
        const score = /It is on the shelf\. Fair winds/.test(words) ? 1 : 0
        return { content: JSON.stringify({ reason: 'By its end.', score }) }
      }
      case 'optimizer': {
        const patch = {
          reasoning: 'The farewell is missing.',
          edits: [{ op: 'append', content: `- ${rule}` }],
        }
        return { content: JSON.stringify({ batch_size: 2, failure_summary: [], patch }) }
      }
      case 'target': {
        const question = Object.values(questions)
          .flat()
          .find(each => words.includes(each))
        // Agents make other requests in between, such as for a title.
        if (question === undefined) return { content: 'The desk' }
        const knows = words.includes(rule)
        answered.push(`${question} ${knows ? 'the rule' : words.includes(heading) ? 'the seed' : 'no skill'}`)
        return { content: knows ? 'It is on the shelf. Fair winds.' : 'It is on the shelf.' }
      }
    }
  }
  return { respond, answered }
}

/**
 * Writes the project and the home of a user who has set up the agent. Returns the working directory for
 * commands.
 */
export async function writeDesk(folder: string, { kit, program }: Actor, model: object) {
  const agent = { model: `${kit.agent.id}/${kit.model}`, ...model }
  for (const [split, those] of Object.entries(questions)) {
    const tasks = those.map(question => `${JSON.stringify({ id: question, question })}\n`)
    await put(folder, `${split}.jsonl`, tasks.join(''))
  }
  await put(folder, 'SKILL.md', seed)
  const config = {
    name: 'desk',
    environment: {
      use: 'tasks',
      train: 'train.jsonl',
      val: 'val.jsonl',
      test: 'test.jsonl',
      scorer: { name: 'rubric', rubric: 'It ends with the farewell of the house.', votes: 1 },
    },
    models: { target: agent, optimizer: agent, judge: agent },
    train: { loop: 'steps', epochs: 1, batchSize: 2 },
    evaluation: { gate: 'strict' },
  }
  await put(folder, 'skillopt.yaml', stringify(config))
  const home = join(folder, 'home-of-the-user')
  await mkdir(home)
  await plant(kit.setup(home, canary))
  const env = { PATH: [dirname(program), process.env.PATH].join(delimiter), HOME: home, ...kit.env }
  return { cwd: folder, env }
}
