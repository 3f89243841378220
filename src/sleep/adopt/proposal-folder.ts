import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { InputError, messageOf } from '../../core/errors/errors.js'
import { type Proposal, type ProposalTarget, parseProposal, proposalFile } from '../model/proposal.js'
import { type Disk, FileTooLarge, nodeDisk, privateFile } from './disk.js'
import { ensureFolder } from './files.js'
import { decode, describeTarget, mostBytes, readLive, regionOf, sha256, withRegion } from './target.js'
import { inWords } from './words.js'

const mostManifestBytes = 20_000_000

export interface ReadProposal {
  readonly folder: string
  readonly proposal: Proposal
  /** The new texts, keyed by target name. */
  readonly texts: ReadonlyMap<string, string>
}

/**
 * Writes the proposal folder atomically, readable by the user only. `texts` holds the proposed texts of the
 * targets and other files, such as a report, keyed by file name. Throws if a live file has changed since the
 * night began.
 */
export async function writeProposal(
  folder: string,
  proposal: Proposal,
  texts: ReadonlyMap<string, string>,
  disk: Disk = nodeDisk,
): Promise<void> {
  const checked = parseProposal(proposal, 'The proposal')
  for (const target of checked.targets) checkProposed(target, texts.get(target.proposed))
  for (const name of texts.keys()) checkFileName(name)
  const draft = join(dirname(folder), `.${basename(folder)}.${process.pid}.partial`)
  try {
    await ensureFolder(dirname(folder), disk)
    if ((await disk.entry(folder)) !== undefined) {
      throw new InputError(`${folder} is there already; a proposal is never overwritten.`)
    }
    await rm(draft, { recursive: true, force: true })
    await disk.makeFolder(draft)
    for (const [name, text] of texts) await disk.create(join(draft, name), Buffer.from(text), privateFile)
    await disk.create(
      join(draft, proposalFile),
      Buffer.from(`${JSON.stringify(checked, null, 2)}\n`),
      privateFile,
    )
    // This check is as late as possible, to notice edits that the person made while the night ran.
    for (const target of checked.targets) {
      await checkUnchanged(target, texts.get(target.proposed) ?? '', checked.roots, disk)
    }
    await disk.rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw inWords(error, `The proposal ${folder} could not be written`)
  }
}

function checkFileName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/.test(name) && name !== proposalFile) return
  throw new InputError(`"${name}" cannot be the name of a file in a proposal.`)
}

function checkProposed({ name, proposed, after, before }: ProposalTarget, text: string | undefined): void {
  if (text === undefined) throw new InputError(`The proposal has no text for ${name} (${proposed}).`)
  if (Buffer.byteLength(text) > mostBytes)
    throw new InputError(`The text proposed for ${name} has more than 1 MB.`)
  if (sha256(text) !== after)
    throw new InputError(`The text proposed for ${name} is not the one that was hashed.`)
  if (regionOf(text, proposed) === undefined && before === null) {
    throw new InputError(
      `The text proposed for ${name} has no managed region, so it could not be taken back.`,
    )
  }
}

async function checkUnchanged(
  target: ProposalTarget,
  proposed: string,
  roots: readonly string[],
  disk: Disk,
): Promise<void> {
  const live = await readLive(target.path, roots, disk)
  const { before, realPath, link } = describeTarget(target.name, live)
  if (before !== target.before || realPath !== target.realPath || link !== target.link) {
    throw new InputError(`${target.path} was changed while the night ran, so nothing is proposed for it.`, {
      hint: 'The next night begins from what it says now.',
    })
  }
  if (live.content !== undefined) checkRegionOnly(live.content.text, proposed, target.path)
}

/** Throws if a proposal changes more than the managed region of an existing file. */
export function checkRegionOnly(live: string, proposed: string, path: string): void {
  if (withRegion(live, regionOf(proposed, path) ?? '', path) === proposed) return
  throw new InputError(`What is proposed for ${path} changes text outside of the managed region.`, {
    hint: 'Nothing was changed: a proposal may change nothing else.',
  })
}

/** Reads a proposal and validates everything again, because anyone could have edited the file. */
export async function readProposal(folder: string, disk: Disk = nodeDisk): Promise<ReadProposal> {
  const file = join(folder, proposalFile)
  const proposal = parseProposal(parseJson(await textAt(file, mostManifestBytes, disk), file), file)
  const texts = new Map<string, string>()
  for (const target of proposal.targets) {
    const path = join(folder, target.proposed)
    const text = await textAt(path, mostBytes, disk)
    if (sha256(text) !== target.after) {
      throw new InputError(`${path} was changed since it was proposed.`, {
        hint: 'Nothing was changed. Edit the file itself after the adoption instead.',
      })
    }
    regionOf(text, path)
    texts.set(target.name, text)
  }
  return { folder, proposal, texts }
}

async function textAt(path: string, most: number, disk: Disk): Promise<string> {
  try {
    if ((await disk.entry(path))?.kind === 'file') {
      const bytes = await disk.read(path, most)
      if (bytes !== undefined) return decode(bytes, path)
    }
  } catch (error) {
    if (error instanceof FileTooLarge) throw new InputError(`${path} is too large for a proposal.`)
    throw inWords(error, `${path} cannot be read`)
  }
  throw new InputError(`${path} is not there, or is no file: this is no proposal.`, {
    hint: 'A proposal is the folder that a night left for review.',
  })
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new InputError(`${file} is damaged: ${messageOf(cause)}.`, { hint: 'Nothing was changed.', cause })
  }
}
