import type {
  AgentTraits,
  FileSupport,
  Model,
  ModelReply,
  ModelRequest,
  Price,
} from '../../../core/ports/model.js'
import { promptParts } from '../../../core/task/parts.js'
import { imageTypes, type Message, type Part, type StopReason } from '../../../core/task/task.js'
import { type AgentSettings, askAgent } from './attempt.js'
import type { AgentDefinition } from './definition.js'

export interface AgentModelParts {
  readonly id: string
  readonly maxOutputTokens: number
  readonly price: Price | undefined
  readonly agent: AgentTraits
}

/**
 * Creates a model that is reached through an agent. As target model, the agent works on tasks through its
 * harness. As optimizer or judge, it answers plain questions with all its tools off.
 */
export function createAgentModel(
  definition: AgentDefinition,
  settings: AgentSettings,
  parts: AgentModelParts,
): Model {
  const { endpoint, effort, access, inherit } = settings
  return {
    ...parts,
    parameters: withoutUndefined({ endpoint, effort, access, inherit }),
    files: filesOf(definition),
    generate: async (request, signal) => {
      const { effort: asked = effort } = request
      const outcome = await askAgent(
        definition,
        { ...settings, effort: asked },
        { question: questionOf(request), signal },
      )
      if (outcome.status === 'failed') throw outcome.failure
      const { answer, stop, usage, cost } = outcome
      return {
        text: answer,
        stop: modelStops[stop] ?? 'stop',
        usage,
        cost,
      }
    },
  }
}

const modelStops: Partial<Record<StopReason, ModelReply['stop']>> = {
  'output-limit': 'length',
  refusal: 'content-filter',
  'context-overflow': 'context-overflow',
}

/** Files that the agent accepts. The token counts are upper bounds, used to keep within the caps. */
function filesOf({ supports }: AgentDefinition): FileSupport {
  const image = { mediaTypes: imageTypes, mostTokens: 5000 }
  const document = { mediaTypes: ['application/pdf'] as const, mostTokens: 5000 }
  return {
    ...(supports.includes('images') ? { image } : {}),
    ...(supports.includes('documents') ? { document } : {}),
  }
}

/** Builds the single prompt that an agent takes: earlier messages are quoted, and the question comes last. */
function questionOf({ messages, schema }: ModelRequest): { instructions: string; prompt: readonly Part[] } {
  const instructions = messages.filter(({ role }) => role === 'system').map(({ text }) => text)
  const said = messages.filter(({ role }) => role !== 'system')
  const last = said.at(-1)
  const before = said.slice(0, -1).map(quoted)
  const form =
    schema === undefined
      ? []
      : [
          `Reply with one JSON object that fits this JSON schema, and with nothing else:\n\n${JSON.stringify(schema.schema)}`,
        ]
  const texts = (lines: readonly string[]) => lines.map(text => ({ type: 'text' as const, text }))
  return {
    instructions: instructions.join('\n\n'),
    prompt: [
      ...texts(before.length === 0 ? [] : ['What was said before:', ...before, 'What is asked now:']),
      ...(last === undefined ? [] : (last.parts ?? promptParts(last.text))),
      ...texts(form),
    ],
  }
}

function quoted({ role, text }: Message): string {
  return `<${role}>\n${text}\n</${role}>`
}

function withoutUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
