/** What a night proposes, and how a person takes it over and back. */
export { adopt } from './adopt.js'
export type { Choice } from './choice.js'
export { type AdoptionPlace, recover } from './opening.js'
export { type ReadProposal, readProposal, writeProposal } from './proposal-folder.js'
export type { Receipt } from './receipts.js'
export { describeTarget, readLive } from './target.js'
export { type UndoOptions, undo } from './undo.js'
