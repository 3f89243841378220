import { InputError, messageOf, PausedError, SkillOptError } from '../../core/errors/errors.js'
import { codeOf } from './disk.js'

/** Turns a system error into a sentence; other errors are returned unchanged. */
export function inWords(error: unknown, what: string): unknown {
  if (error instanceof SkillOptError || codeOf(error) === undefined) return error
  if (codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT') {
    return new PausedError(`${what}: the disk is full.`, {
      hint: 'Nothing was changed. Free disk space, then rerun the same command to resume.',
      cause: error,
    })
  }
  return new InputError(`${what}: ${reasons[codeOf(error) ?? ''] ?? messageOf(error)}.`, {
    hint: 'Nothing was changed. Put that right and run the same command again.',
    cause: error,
  })
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'you are not allowed to',
  EPERM: 'you are not allowed to',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a file is in the way',
  EISDIR: 'a folder is in the way',
  ELOOP: 'a link is in the way',
  EEXIST: 'something is in the way',
  ENAMETOOLONG: 'the name is too long',
  EIO: 'the disk does not answer',
}
