import type { ChatReply, ChatRequest } from './chat.js'
import { answerAsOptimizer } from './optimizer.js'
import { answerAsTarget } from './target.js'

/** What GET /v1/models lists; with `simulated/` in front, they are understood as well. */
export const simulatedModels = ['target', 'optimizer'] as const

/** Answers as the model that the request names. The reply is a function of the messages and `seed`. */
export function answerSimulated(request: ChatRequest): ChatReply {
  const model = request.model.replace(/^simulated\//, '')
  const named = { ...request, model }
  if (model === 'target') return answerAsTarget(named)
  if (model === 'optimizer') return answerAsOptimizer(named)
  const message = `The model "${request.model}" does not exist: the simulated models are target and optimizer`
  return { error: { status: 404, message, code: 'model_not_found' } }
}
