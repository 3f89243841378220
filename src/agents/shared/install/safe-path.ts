import { lstat, realpath } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { InputError } from '../../../core/errors/errors.js'

/**
 * Refuses to write a file through a link that leads out of `base`: otherwise anyone who can commit to a
 * project could make us write anywhere. Links above `base` are the user's own choice.
 */
export async function checkInside(base: string, file: string): Promise<void> {
  const last = await kindOf(file)
  if (last === 'other') {
    throw new InputError(`${file} is a link or a folder, so it is not overwritten.`, {
      hint: 'Remove it, or choose another name with --name.',
    })
  }
  const root = await realPathOf(base)
  if (root === undefined) return
  for (let path = file; path.startsWith(base); path = dirname(path)) {
    const kind = await kindOf(path)
    if (kind === 'absent') continue
    if (kind === 'file' && path !== file) {
      throw new InputError(`${path} is a file, where a folder is needed for the skill.`, {
        hint: 'Move it away, or install somewhere else (--project or --user).',
      })
    }
    const real = await realPathOf(path)
    if (real === root || real?.startsWith(root + sep) === true) return
    throw new InputError(`${path} links to ${real ?? 'nothing'}, outside ${base}, so nothing was written.`, {
      hint: 'Replace the link by a folder, or install somewhere else (--project or --user).',
    })
  }
}

export async function kindOf(path: string): Promise<'absent' | 'file' | 'other'> {
  const stats = await lstat(path).catch(absentIfMissing)
  if (stats === undefined) return 'absent'
  return stats.isFile() ? 'file' : 'other'
}

async function realPathOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(absentIfMissing)
}

export function absentIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
  throw error
}
