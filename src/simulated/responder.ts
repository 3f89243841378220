import { type Character, targetCharacters, usualCharacter } from './character.js'
import type { ChatReply, ChatRequest } from './chat.js'
import { answerAsJudge } from './judge.js'
import { answerAsOptimizer } from './optimizer.js'
import { answerAsTarget } from './target.js'

/** Names of the models in GET /v1/models. With the prefix `simulated/` they are accepted as well. */
export const simulatedModels = [...Object.keys(targetCharacters), 'optimizer', 'judge']

/** Answers as the requested model. The reply depends only on the messages and `seed`. */
export function answerSimulated(request: ChatRequest, character: Character = usualCharacter): ChatReply {
  const model = request.model.replace(/^simulated\//, '')
  const named = { ...request, model }
  const target = targetCharacters[model]
  if (target !== undefined) return answerAsTarget(named, { ...character, ...target })
  if (model === 'optimizer') return answerAsOptimizer(named, character)
  if (model === 'judge') return answerAsJudge(named)
  const message = `The model "${request.model}" does not exist: the simulated models are ${simulatedModels.join(', ')}`
  return { error: { status: 404, message, code: 'model_not_found' } }
}
