import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { InputError, messageOf } from '../core/errors/errors.js'
import { type AgentSkillFinding, checkAgentSkill, suggestName } from '../core/skill/agent-skill.js'
import { checkSkill } from '../core/skill/skill.js'
import { readPlainFile } from '../system/plain-file.js'
import { kindOf } from './source.js'
import { skillText } from './starter.js'

export interface ExistingSkill {
  readonly file: string
  /** The skill's text as bytes, so that it is copied unchanged. */
  readonly content: Uint8Array
  /**
   * Other entries of the skill's folder. They are not copied, because training reads and writes only the
   * text.
   */
  readonly beside: readonly string[]
  readonly findings: readonly AgentSkillFinding[]
}

const skillFile = 'SKILL.md'

/** Reads a skill from its file or folder. */
export async function readSkill(path: string, shownAs: string): Promise<ExistingSkill> {
  const kind = await kindOf(path)
  if (kind === undefined) {
    throw new InputError(`${shownAs} does not exist.`, { hint: `Pass a ${skillFile} or a folder with one.` })
  }
  const file = kind === 'folder' ? join(path, skillFile) : path
  if (kind === 'folder' && (await kindOf(file)) !== 'file') {
    throw new InputError(`${shownAs} has no ${skillFile}.`, {
      hint: `Pass a ${skillFile} or a folder with one.`,
    })
  }
  const content = await readPlainFile(file).catch((error: unknown) => {
    throw new InputError(`Cannot read ${shownAs}: ${messageOf(error)}.`, { cause: error })
  })
  const text = content.toString('utf8')
  checkSkill(text, shownAs)
  return { file, content, beside: await folderNames(dirname(file)), findings: checkAgentSkill(text) }
}

/** Returns a starter skill that is named after the folder. */
export function starterSkill(folder: string, description: string): string {
  return skillText(suggestName(`# ${basename(folder)}`), description)
}

/** Lists those subfolders that the Agent Skills specification defines. */
async function folderNames(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter(name => ['scripts', 'references', 'assets'].includes(name))
}
