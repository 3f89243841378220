import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { InputError } from '../../../core/errors/errors.js'
import { readPlainFile } from '../../../system/plain-file.js'

export interface SkillFile {
  /** Path relative to the skill's folder, with slashes. */
  readonly path: string
  readonly content: Buffer
  readonly executable: boolean
}

export const skillFileName = 'SKILL.md'

const standardFolders = ['scripts', 'references', 'assets']
const hiddenOrMade = /^(?:\..*|node_modules|__pycache__)$/
const ofTheProject = /^(?:runs|skillopt\.(?:ya?ml|json))$/

/**
 * The files to install with SKILL.md: the folders named in the specification, the license, and files that the
 * text mentions. Other files are left out, because the folder may be a project with tasks, runs and keys.
 */
export async function supportingFiles(folder: string, text: string): Promise<SkillFile[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const belonging = entries.filter(entry => belongs(entry, text))
  const found = await Promise.all(belonging.map(entry => filesOf(folder, entry.name, entry)))
  return found.flat().sort((left, right) => (left.path < right.path ? -1 : 1))
}

function belongs(entry: Dirent, text: string): boolean {
  const { name } = entry
  if (hiddenOrMade.test(name) || ofTheProject.test(name) || name === skillFileName) return false
  if (standardFolders.includes(name) || /^LICEN[CS]E/i.test(name)) return true
  const mention = entry.isDirectory() ? `${name}/` : name
  return new RegExp(
    `(?<![\\w./-])(?:\\./)?${escaped(mention)}${entry.isDirectory() ? '' : '(?![\\w-])'}`,
  ).test(text)
}

async function filesOf(root: string, path: string, entry: Dirent): Promise<SkillFile[]> {
  const place = join(root, path)
  if (entry.isDirectory()) {
    const inner = await readdir(place, { withFileTypes: true })
    const kept = inner.filter(({ name }) => !hiddenOrMade.test(name))
    const files = await Promise.all(kept.map(each => filesOf(root, posix.join(path, each.name), each)))
    return files.flat()
  }
  if (!entry.isFile()) {
    throw new InputError(`${place} is a link or a special file, which is not copied.`, {
      hint: 'Put the file itself there, or leave the supporting files out by naming the SKILL.md alone.',
    })
  }
  const { mode } = await stat(place)
  return [{ path, content: await readPlainFile(place), executable: (mode & 0o100) !== 0 }]
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
