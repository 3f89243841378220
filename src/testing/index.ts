/**
 * Helpers for users' own tests: a loopback server that speaks the OpenAI, Anthropic and Google APIs, with
 * scripted replies, fault modes and a request log; and the contract checks for environments.
 */
export type { ChatMessage, ChatReply, ChatRequest, Responder } from '../simulated/chat.js'
export type { FaultKind, FaultPlan, Latency } from '../simulated/faults.js'
export type { RequestRecord } from '../simulated/request-log.js'
export { type LoopbackOptions, type LoopbackServer, startLoopbackServer } from '../simulated/server.js'
export {
  type EnvironmentCheck,
  type EnvironmentSubject,
  environmentChecks,
  said,
} from './environment.js'
export { projectEnvironment } from './project.js'
