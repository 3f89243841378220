import { isUtf8 } from 'node:buffer'
import { basename, join } from 'node:path'
import { structuredPatch } from 'diff'
import { createRedactor } from '../../core/redaction/redact.js'
import { readPlainFile } from '../../system/plain-file.js'
import { removeFolder } from '../../system/remove-folder.js'
import { changed } from '../../tasks/loading/files.js'
import { type Change, changesBetween } from './changes.js'
import { isSecretName } from './file-copy.js'
import { type FolderState, stateOfFolder } from './folder-state.js'
import { mostShown, type ShownChange, sizeNote, type Work } from './work-text.js'

/** Larger files are treated as data, and their content is not shown. */
const largestShown = 400_000

/** Limits the diff by its number of edits rather than by time, so that the result is always the same. */
const mostEdits = 2_000

const redactor = createRedactor()

/**
 * Reports what changed in a folder since the given state. `makeGiven` creates a folder with the original
 * version of some files. Nothing in the changed folder is trusted: links are not followed, and no program is
 * started in it.
 */
export async function lookAtWork(
  folder: string,
  given: FolderState,
  makeGiven: (paths: readonly string[]) => Promise<string>,
): Promise<Work> {
  const now = await stateOfFolder(folder)
  const read = await withTexts(folder, changesBetween(given, now))
  const before = await givenTexts(
    read.filter(({ how, text }) => how === 'changed' && text !== undefined),
    makeGiven,
  )
  return {
    changes: read.map(change => withLines(change, before.get(change.path))),
    passedOver: now.passedOver.filter(path => basename(path) !== '.git'),
  }
}

type ReadChange = ShownChange & { readonly text?: string }

/** Reads the texts of as many files as may be shown. Further files are only listed by name. */
async function withTexts(folder: string, changes: readonly Change[]): Promise<readonly ReadChange[]> {
  const read: ReadChange[] = []
  let texts = 0
  for (const change of changes) {
    const note = noteOn(change)
    if (note !== undefined || change.how === 'renamed' || change.how === 'deleted')
      read.push(note === undefined ? change : { ...change, note })
    else if (texts === mostShown) read.push({ ...change, note: 'its lines are left out' })
    else {
      const text = textOf(await readPlainFile(join(folder, change.path)))
      if (text === undefined) read.push({ ...change, note: sizeNote('no text', change.after?.bytes ?? 0) })
      else {
        texts += 1
        read.push({ ...change, text })
      }
    }
  }
  return read
}

/** Explains why a file's content is not shown; undefined if it can be shown. */
function noteOn({ path, before, after }: Change): string | undefined {
  const state = after ?? before
  if (state?.kind === 'link') return 'a link'
  if (state?.kind === 'other') return 'nothing that can be read'
  if (path.split('/').some(isSecretName)) return 'not shown, since such files hold secrets'
  if (after === undefined) return undefined
  if (before !== undefined && before.kind === 'file' && before.hash === after.hash)
    return after.mayRun ? 'may be run now' : 'may not be run any more'
  if (after.bytes === 0) return 'empty'
  return after.bytes > largestShown ? sizeNote('too large to be shown', after.bytes) : undefined
}

/**
 * Decodes and redacts a file's text, because it goes into the log and to models that must not see the agent's
 * keys.
 */
function textOf(content: Buffer): string | undefined {
  return content.includes(0) || !isUtf8(content) ? undefined : redactor.redact(content.toString()).text
}

async function givenTexts(
  changes: readonly Change[],
  makeGiven: (paths: readonly string[]) => Promise<string>,
): Promise<ReadonlyMap<string, string>> {
  const wanted = changes.filter(
    ({ before }) => before?.kind === 'file' && before.bytes > 0 && before.bytes <= largestShown,
  )
  const texts = new Map<string, string>()
  if (wanted.length === 0) return texts
  const folder = await makeGiven(wanted.map(({ path }) => path))
  try {
    const { files } = await stateOfFolder(folder)
    for (const { path, before } of wanted) {
      if (files.get(path)?.hash !== before?.hash) changed('The project that the task is tried on')
      const text = textOf(await readPlainFile(join(folder, path)))
      if (text !== undefined) texts.set(path, text)
    }
    return texts
  } finally {
    await removeFolder(folder)
  }
}

function withLines({ text, ...change }: ReadChange, before: string | undefined): ShownChange {
  if (text === undefined) return change
  if (before === undefined) {
    const isNew = change.before === undefined || change.before.bytes === 0
    return { ...change, ...(isNew ? {} : { note: 'as it is now' }), lines: putIn(text) }
  }
  const patch = structuredPatch('', '', before, text, '', '', { context: 3, maxEditLength: mostEdits })
  if (patch === undefined) return { ...change, note: 'most of it is new; as it is now', lines: putIn(text) }
  const hunks = patch.hunks.map(
    ({ oldStart, newStart, lines }) => `@@ line ${oldStart}, now ${newStart} @@\n${lines.join('\n')}`,
  )
  return hunks.length === 0
    ? { ...change, note: 'only in what is hidden' }
    : { ...change, lines: hunks.join('\n') }
}

function putIn(text: string): string {
  return text.replace(/\n$/, '').replaceAll(/^/gm, '+')
}
