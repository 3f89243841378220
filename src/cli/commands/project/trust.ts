import { realpath } from 'node:fs/promises'
import { exitCodes } from '../../../core/errors/errors.js'
import { loadProject } from '../../../project/load.js'
import { forgetTrust, rememberTrust, type TrustAnswer, type TrustRequest } from '../../../project/trust.js'
import { clean, shownPath } from '../../output/text.js'
import { askForTrust, cannotAsk, sayItems } from '../../terminal/ask-trust.js'
import { type Io, printLine } from '../../terminal/io.js'

export interface TrustCommandFlags {
  readonly config?: string | undefined
  readonly always?: true | undefined
  readonly remove?: true | undefined
  readonly yes?: true | undefined
}

/**
 * Shows what a project's config can do on this machine and records that the user trusts it. None of the
 * project's code is run.
 */
export async function trustProject(
  io: Io,
  project: string | undefined,
  flags: TrustCommandFlags,
): Promise<number> {
  if (flags.remove === true) return removeTrust(io, project, flags)
  // Trust covers the whole file, so the settings of Sleep are loaded too.
  const loading = { project, config: flags.config, env: io.env, cwd: io.cwd, forSleep: true }
  let asked: TrustRequest | undefined
  let answer: TrustAnswer | undefined
  const { file } = await loadProject({
    ...loading,
    trust: async request => {
      asked = request
      sayItems(io, request)
      answer = await answerTo(io, flags)
      return answer
    },
  }).catch((error: unknown) => {
    // The user may decline here. Only commands that need trust treat that as an error.
    if (answer !== 'no') throw error
    return { file: undefined }
  })
  if (file === undefined) {
    printLine(io, 'Not trusted; nothing was run.')
    return exitCodes.interrupted
  }
  const shown = clean(shownPath(file, io.cwd))
  if (asked === undefined && flags.always === true) {
    await rememberTrust(await realpath(file), 'any', io)
    answer = 'always'
  }
  if (answer === undefined) {
    printLine(
      io,
      `${shown} needs no further trust: you trust it already, or it names no code, no other host and no file outside its folder.`,
    )
  } else printLine(io, `${shown} is trusted${answer === 'always' ? '; it stays trusted after changes' : ''}.`)
  return exitCodes.ok
}

async function answerTo(io: Io, { always, yes }: TrustCommandFlags): Promise<TrustAnswer> {
  if (yes === true) return always === true ? 'always' : 'as-is'
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true) throw cannotAsk()
  const answer = await askForTrust()
  return answer === 'as-is' && always === true ? 'always' : answer
}

async function removeTrust(io: Io, project: string | undefined, flags: TrustCommandFlags): Promise<number> {
  // Revoking trust requires no trust, whatever the config now contains.
  const { file } = await loadProject({
    project,
    config: flags.config,
    env: io.env,
    cwd: io.cwd,
    trust: true,
  })
  const isKnown = await forgetTrust(await realpath(file), io)
  const shown = clean(shownPath(file, io.cwd))
  printLine(io, isKnown ? `${shown} is no longer trusted.` : `${shown} was not trusted.`)
  return exitCodes.ok
}
