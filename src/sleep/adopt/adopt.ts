import { dirname } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import { hiddenTextIn } from '../../core/skill/hidden-text.js'
import { editRegion, isInside, type ProposalTarget } from '../model/proposal.js'
import { regionObjection } from '../model/region-objection.js'
import { type Choice, type ChosenTarget, chosenFrom, unmeasuredBecause } from './choice.js'
import { type Disk, nodeDisk, privateFile } from './disk.js'
import { type AdoptionPlace, withAdoption } from './opening.js'
import { checkRegionOnly, type ReadProposal, readProposal } from './proposal-folder.js'
import { type Receipt, readReceipts, standing, stateIn } from './receipts.js'
import type { FileContent } from './take-back.js'
import { type LiveFile, mostBytes, readLive, regionOf, sha256, withRegion } from './target.js'
import { type Change, transact } from './transaction.js'
import { inWords } from './words.js'

/**
 * Writes a night's proposal into the person's files: all chosen changes or none. Only the managed region
 * changes. Text around it that the person edited since the proposal is kept, and a region that they edited is
 * never overwritten.
 */
export async function adopt(folder: string, place: AdoptionPlace, choice: Choice = {}): Promise<Receipt> {
  return withAdoption(place, async ({ state, disk, at, withFiles }) => {
    const wanted = await wantedFrom(folder, place, choice, disk)
    const files = wanted.chosen.map(({ target }) => target.realPath)
    return withFiles(files, async () => {
      const changes = await changesOf(wanted, disk)
      checkSeen(changes, choice)
      const about = {
        kind: 'adopt' as const,
        proposal: wanted.proposal.id,
        at,
        edits: choice.edits === undefined ? null : [...choice.edits],
        label: whyUnmeasured(wanted, changes, choice) === undefined ? 'measured' : 'unmeasured',
        roots: wanted.proposal.roots,
      } as const
      return transact(state, about, changes, disk)
    })
  })
}

export interface PreviewedChange {
  readonly name: string
  readonly path: string
  /** The file's current text; undefined if it does not exist yet. */
  readonly before: string | undefined
  readonly after: string
  /** Text of the managed region before and after. */
  readonly region: { readonly before: string; readonly after: string }
}

export interface Preview {
  readonly changes: readonly PreviewedChange[]
  /** Explains why exactly this text was not measured; undefined if it was. */
  readonly unmeasured: string | undefined
  /** Identifies these files with their current and new content; see `Choice`. */
  readonly seen: string
}

/** Returns what `adopt` would do now. Throws the same errors as `adopt` and changes nothing. */
export async function preview(folder: string, place: AdoptionPlace, choice: Choice = {}): Promise<Preview> {
  const { disk = nodeDisk } = place
  try {
    const wanted = await wantedFrom(folder, place, choice, disk)
    const changes = await changesOf(wanted, disk)
    return {
      changes: changes.map(previewed),
      unmeasured: whyUnmeasured(wanted, changes, choice),
      seen: seenIn(changes),
    }
  } catch (error) {
    throw inWords(error, `${folder} cannot be looked at`)
  }
}

function seenIn(changes: readonly WantedChange[]): string {
  const rows = changes.map(({ name, live, after }) => [
    name,
    live.path,
    live.realPath,
    sha256(after.bytes),
    live.content === undefined ? null : sha256(live.content.bytes),
  ])
  return sha256(JSON.stringify(rows))
}

function checkSeen(changes: readonly WantedChange[], { seen }: Choice): void {
  if (seen === undefined || seen === seenIn(changes)) return
  throw new InputError('What would be written is not what was shown: a file was changed in between.', {
    hint: 'Nothing was changed. Look at it again.',
  })
}

function previewed({ name, live, after, regionAfter }: WantedChange): PreviewedChange {
  const { path, content } = live
  const region = { before: regionBefore(live) ?? '', after: regionAfter ?? '' }
  return { name, path, before: content?.text, after: after.bytes.toString('utf8'), region }
}

const regionBefore = ({ path, content }: LiveFile) =>
  content === undefined ? undefined : regionOf(content.text, path)

interface Wanted {
  readonly proposal: ReadProposal['proposal']
  readonly texts: ReadProposal['texts']
  readonly chosen: readonly ChosenTarget[]
}

/** Validates the choice and the proposal without reading the live files. */
async function wantedFrom(folder: string, place: AdoptionPlace, choice: Choice, disk: Disk): Promise<Wanted> {
  const { proposal, texts } = await readProposal(folder, disk)
  if (proposal.project !== place.project) {
    throw new InputError(`${folder} was proposed for another project, ${proposal.project}.`, {
      hint: 'Nothing was changed. Run the command in that project.',
    })
  }
  checkRoots(proposal.roots, place.roots)
  const chosen = chosenFrom(proposal, choice)
  const earlier = standing(await readReceipts(stateIn(place.folder), disk))
  for (const { target } of chosen) checkNew(proposal.id, target, earlier)
  return { proposal, texts, chosen }
}

type WantedChange = Change & { readonly after: FileContent }

async function changesOf({ proposal, texts, chosen }: Wanted, disk: Disk): Promise<WantedChange[]> {
  const changes: WantedChange[] = []
  for (const one of chosen) {
    changes.push(await changeOf(one, texts.get(one.target.name) ?? '', proposal.roots, disk))
  }
  return changes
}

function whyUnmeasured(
  { proposal, chosen }: Wanted,
  changes: readonly WantedChange[],
  choice: Choice,
): string | undefined {
  const written = changes.map(({ name, live, after, merged }) => ({
    name,
    path: live.path,
    merged,
    after: sha256(after.bytes),
  }))
  return unmeasuredBecause(proposal, chosen, written, choice)
}

/** A proposal file is untrusted, so it must not decide where adoption may write. */
function checkRoots(wanted: readonly string[], allowed: readonly string[]): void {
  const outside = wanted.find(root => !allowed.some(folder => folder === root || isInside(folder, root)))
  if (outside === undefined) return
  throw new InputError(`The proposal wants to write to ${outside}, which Sleep may not write to.`, {
    hint: `Nothing was changed. Sleep may write to ${allowed.join(', ')}.`,
  })
}

function checkNew(id: string, { name }: ProposalTarget, earlier: readonly Receipt[]): void {
  const receipt = earlier.find(({ proposal, changes }) => {
    return proposal === id && changes.some(change => change.name === name)
  })
  if (receipt === undefined) return
  throw new InputError(`${name} of proposal ${id} was adopted already, on ${receipt.at}.`, {
    hint: 'Nothing was changed. Take that adoption back first if you want another part of it.',
  })
}

async function changeOf(
  chosen: ChosenTarget,
  proposed: string,
  roots: readonly string[],
  disk: Disk,
): Promise<WantedChange> {
  const { target } = chosen
  const live = await readLive(target.path, roots, disk)
  await checkSameFile(target, live, disk)
  const text = newText(chosen, proposed, live)
  if (text === live.content?.text) {
    throw new InputError(`${target.path} says already what is proposed for it.`, {
      hint: 'Nothing was changed.',
    })
  }
  const bytes = Buffer.from(text)
  if (bytes.length > mostBytes) {
    throw new InputError(`${target.path} would have more than 1 MB.`, { hint: 'Nothing was changed.' })
  }
  return {
    name: target.name,
    live,
    after: { bytes, mode: live.content?.mode ?? privateFile },
    regionAfter: regionOf(text, target.path),
    merged: live.content !== undefined && sha256(live.content.bytes) !== target.before,
  }
}

async function checkSameFile(target: ProposalTarget, live: LiveFile, disk: Disk): Promise<void> {
  const refuse = (problem: string): never => {
    throw new InputError(`${target.path} ${problem}.`, {
      hint: 'Nothing was changed. The next night begins from what is there now.',
    })
  }
  if (live.link !== target.link)
    refuse(`is ${live.link ? 'a' : 'no'} link now, which it was not when it was read`)
  if (live.realPath !== target.realPath)
    refuse(`leads to ${live.realPath} now, and led to ${target.realPath}`)
  if (target.before === null && live.content !== undefined)
    refuse('is there now, and was not when it was proposed')
  if (target.before !== null && live.content === undefined) refuse('was deleted since the proposal')
  const folder = await disk.entry(dirname(live.realPath))
  if (folder !== undefined && (folder.mode & 0o200) === 0) refuse('lies in a folder that is read-only')
}

function newText({ target, edits }: ChosenTarget, proposed: string, { content }: LiveFile): string {
  const { path } = target
  const wanted = regionOf(proposed, target.proposed)
  if (content === undefined) {
    if (edits !== undefined) return withRegion(proposed, edited('', edits, path), path)
    refuseObjectionable('', wanted, path)
    refuseHidden(proposed, path)
    return proposed
  }
  const region = regionOf(content.text, path)
  if (edits !== undefined) return withRegion(content.text, edited(region ?? '', edits, path), path)
  if ((region === undefined ? null : sha256(region)) !== target.regionBefore) {
    throw new InputError(`The managed region of ${path} was changed since the proposal.`, {
      hint: 'Nothing was changed. Choose single edits to add them to what it says now, or wait for the next night.',
    })
  }
  refuseObjectionable(region, wanted, path)
  if (sha256(content.bytes) === target.before) checkRegionOnly(content.text, proposed, path)
  return withRegion(content.text, wanted ?? '', path)
}

/** A proposal file is untrusted: someone may have added hidden text after the night. */
function refuseObjectionable(before: string | undefined, after: string | undefined, path: string): void {
  const objection = regionObjection(before ?? '', after ?? '')
  if (objection !== undefined) throw notAdoptable(path, objection)
}

function refuseHidden(document: string, path: string): void {
  const [first] = hiddenTextIn(document)
  if (first !== undefined) throw notAdoptable(path, `Line ${first.line} holds ${first.what}.`)
}

function notAdoptable(path: string, objection: string): InputError {
  return new InputError(`What is proposed for ${path} cannot be adopted. ${objection}`, {
    hint: 'Nothing was changed. Make a new proposal with another night.',
  })
}

function edited(region: string, edits: NonNullable<ChosenTarget['edits']>, path: string): string {
  const { text, reports } = editRegion(region, edits)
  const failed = reports.find(({ status }) => status !== 'applied')
  if (failed === undefined) return text
  throw new InputError(`Edit ${failed.edit} cannot be made in ${path} as it is now: ${failed.reason}`, {
    hint: 'Nothing was changed. It may need another edit that was not chosen.',
  })
}
