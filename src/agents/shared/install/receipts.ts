import { hash } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { z } from 'zod'
import { InputError } from '../../../core/errors/errors.js'
import { contentHash } from '../../../core/text/hash.js'
import { type Agent, given, type Variables } from './agent.js'
import { absentIfMissing } from './safe-path.js'

const fileSchema = z.strictObject({
  path: z.string(),
  /** Hash of the written content. */
  after: z.string(),
  /** The file that was replaced; its content is backed up beside the receipt. */
  before: z.strictObject({ hash: z.string(), mode: z.number(), backup: z.string() }).optional(),
})

const receiptSchema = z.strictObject({
  format: z.literal(1),
  agent: z.string(),
  name: z.string(),
  /** Path of the skill's folder. Nothing may be written outside `base`. */
  folder: z.string(),
  base: z.string(),
  at: z.string(),
  files: z.array(fileSchema),
  /** Created folders, outermost first. */
  madeFolders: z.array(z.string()),
})

export type Receipt = z.infer<typeof receiptSchema>
export type ReceiptFile = Receipt['files'][number]

/** A receipt and the folder in which it is stored. */
export interface KeptReceipt extends Receipt {
  readonly directory: string
}

const receiptFile = 'receipt.json'

/**
 * The folder for state kept between commands. It is outside the project, because receipts contain paths of
 * this machine.
 */
export function stateDirectory(env: Variables, home: string, platform: NodeJS.Platform): string {
  const folder =
    given(env.XDG_STATE_HOME) ??
    {
      darwin: join(home, 'Library', 'Application Support'),
      win32: given(env.LOCALAPPDATA) ?? join(home, 'AppData', 'Local'),
    }[platform as string] ??
    join(home, '.local', 'state')
  return join(folder, 'skillopt')
}

export function fileHash(content: Buffer): string {
  return hash('sha256', content)
}

/** Stores receipts in one folder, the newest last. */
export class Receipts {
  readonly #folder: string
  constructor(state: string) {
    this.#folder = join(state, 'installed')
  }

  /** Called before any change, so that an installation can be undone even if it was interrupted. */
  async add(receipt: Receipt, backups: ReadonlyMap<string, Buffer>): Promise<KeptReceipt> {
    const earlier = (await this.#names()).map(name => Number(name.split('-')[0]))
    const number = String(Math.max(0, ...earlier) + 1).padStart(6, '0')
    const directory = join(this.#folder, `${number}-${contentHash(receipt.folder).slice(0, 12)}`)
    await mkdir(directory, { recursive: true })
    for (const [name, content] of backups) await writeFileAtomic(join(directory, name), content)
    await writeFileAtomic(join(directory, receiptFile), `${JSON.stringify(receipt, null, 2)}\n`)
    return { ...receipt, directory }
  }

  /** The newest receipt of each skill folder that was installed into `folder` for this agent. */
  async newestIn(folder: string, agent: Agent): Promise<KeptReceipt[]> {
    const newest = new Map<string, KeptReceipt>()
    for (const name of await this.#names()) {
      const receipt = await this.#read(join(this.#folder, name))
      if (receipt?.agent === agent.id && receipt.folder === join(folder, receipt.name))
        newest.set(receipt.folder, receipt)
    }
    return [...newest.values()]
  }

  async remove({ directory }: KeptReceipt): Promise<void> {
    await rm(directory, { recursive: true })
  }

  async #names(): Promise<string[]> {
    const names = (await readdir(this.#folder).catch(absentIfMissing)) ?? []
    return names.filter(name => /^\d+-[0-9a-f]+$/.test(name)).sort()
  }

  /** Reads a receipt; undefined if the process ended before writing it, so that nothing was changed. */
  async #read(directory: string): Promise<KeptReceipt | undefined> {
    const file = join(directory, receiptFile)
    const text = await readFile(file, 'utf8').catch(absentIfMissing)
    if (text === undefined) return undefined
    try {
      return { ...receiptSchema.parse(JSON.parse(text)), directory }
    } catch (error) {
      throw new InputError(`The receipt ${file} is damaged, so the installation cannot be undone.`, {
        hint: `Restore the files by hand (backups are in ${directory}), then remove that folder.`,
        cause: error,
      })
    }
  }
}
