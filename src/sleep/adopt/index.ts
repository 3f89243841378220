/** Proposals, adopting them and undoing an adoption. */
export { adopt, type Preview, type PreviewedChange, preview } from './adopt.js'
export type { Choice } from './choice.js'
export { type AdoptionPlace, recover, type Settled } from './opening.js'
export { type ReadProposal, readProposal, writeProposal } from './proposal-folder.js'
export { type Receipt, readAdoptions, readUnfinished } from './receipts.js'
export { describeTarget, readLive, realPathOf, sha256, withRegion } from './target.js'
export { undo } from './undo.js'
