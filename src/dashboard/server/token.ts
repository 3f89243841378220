import { randomBytes } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import type { Surroundings } from '../../sleep/settings/places.js'
import { skilloptHome } from '../../system/home.js'
import { makePrivateFolder, readIfThere, writePrivateFile } from '../../system/private-file.js'
import { isLoopback } from './hosts.js'

interface TokenOptions extends Surroundings {
  readonly host: string
  readonly token?: string | undefined
  readonly newToken?: boolean | undefined
}

/** Returns the token that the user chose, or the stored one. */
export async function chooseToken({ host, token, newToken = false, ...user }: TokenOptions): Promise<string> {
  if (token !== undefined) return checkToken(token)
  if (isLoopback(host)) return keptToken(join(skilloptHome(user), 'view', 'token'), newToken)
  throw new InputError(
    `On ${host} other machines can reach the dashboard, so it takes a token of your choice.`,
    { hint: `Set SKILLOPT_VIEW_TOKEN, or pass --token. ${exposure}` },
  )
}

/** Warning for a dashboard that other machines can reach. */
export const exposure =
  'Nothing is encrypted, and whoever in the network has the token may read all that is shown and start trainings that cost money. `ssh -N -L 7860:127.0.0.1:7860 host` is the safe way.'

/** Reads the stored token or creates one. It is reused at the next start, so that open pages keep working. */
async function keptToken(file: string, wantsNew: boolean): Promise<string> {
  const kept = wantsNew ? undefined : await readToken(file)
  if (kept !== undefined) return kept
  const token = randomBytes(32).toString('base64url')
  await makePrivateFolder(dirname(file))
  await writePrivateFile(file, `${token}\n`)
  return token
}

const shortestToken = 20

/**
 * Validates a token chosen by the user. Blanks are not allowed, because the token is part of a URL that is
 * copied by hand.
 */
function checkToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token) && token.length >= shortestToken) return token
  throw new InputError(
    `The given token cannot be used: it takes ${shortestToken} characters or more, letters, digits and signs without blanks.`,
    { hint: '`openssl rand -hex 32` makes a good one.' },
  )
}

async function readToken(file: string): Promise<string | undefined> {
  const text = await readIfThere(file)
  if (text === undefined) return undefined
  await refuseShared(file)
  const token = text.trim()
  if (/^[\w-]{43}$/.test(token)) return token
  throw new InputError(`The token of the dashboard in ${file} is damaged.`, { hint: another })
}

/** Rejects a token file that other users can read, or that belongs to another user. */
async function refuseShared(file: string): Promise<void> {
  const { mode, uid } = await lstat(file)
  const isShared = process.platform !== 'win32' && (mode & 0o077) !== 0
  const isForeign = process.getuid !== undefined && uid !== process.getuid()
  if (!isShared && !isForeign) return
  throw new InputError(
    `The token of the dashboard in ${file} ${isForeign ? 'belongs to another user' : 'can be read by others'}.`,
    { hint: another },
  )
}

const another =
  '`skillopt view --new-token` makes another one. Pages that are open must then be opened again.'
