import { isAbsolute, join, relative } from 'node:path'
import { InputError } from '../core/errors/errors.js'

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns the paths in the field `files`. As in the environment, the field is a list, one path, or paths
 * separated by semicolons.
 */
export function filesOf({ files }: Fields): readonly string[] {
  const listed: readonly unknown[] =
    typeof files === 'string' ? files.split(';') : Array.isArray(files) ? files : []
  return listed.flatMap(path => (typeof path === 'string' && path.trim() !== '' ? [path.trim()] : []))
}

/**
 * Rewrites file paths for a tasks file in another folder. They are relative to that file's folder and may not
 * leave it.
 */
export function withFilesFrom(fields: Fields, from: string, to: string): Fields {
  const paths = filesOf(fields)
  if (paths.length === 0) return fields
  const files = paths.map(path =>
    relative(to, isAbsolute(path) ? path : join(from, path)).replaceAll('\\', '/'),
  )
  const outside = files.find(path => path.startsWith('..') || isAbsolute(path))
  if (outside !== undefined) {
    throw new InputError(
      `Task files must be in or below the folder of the tasks; ${outside} would be outside.`,
      {
        hint: `Write the tasks into ${from}, or copy the files to where the tasks go.`,
      },
    )
  }
  return { ...fields, files }
}
