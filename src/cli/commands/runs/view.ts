import { exitCodes, InputError, messageOf } from '../../../core/errors/errors.js'
import { startDashboard } from '../../../dashboard/server/index.js'
import { clean } from '../../output/text.js'
import { type Io, printLine, sayWarnings, warnLine } from '../../terminal/io.js'
import { openFile } from '../../terminal/open-file.js'

export interface ViewFlags {
  readonly port?: number | undefined
  readonly host?: string | undefined
  readonly token?: string | undefined
  readonly newToken?: true | undefined
  readonly open?: true | undefined
}

interface ViewOptions extends ViewFlags {
  readonly start?: typeof startDashboard
  readonly openWith?: typeof openFile
}

/** Shows runs in a browser until interrupted. Runs started there are separate processes and continue. */
export async function view(
  io: Io,
  folders: readonly string[],
  { start = startDashboard, openWith = openFile, open, token: typed, ...flags }: ViewOptions,
): Promise<number> {
  const token = typed ?? givenToken(io)
  if (token !== undefined && flags.newToken)
    throw new InputError('--new-token makes a token to be kept, and another one is given already.', {
      hint: 'Leave out --new-token, or --token and SKILLOPT_VIEW_TOKEN.',
    })
  const onUnexpected = (error: unknown) => sayUnexpected(io, error)
  const dashboard = await start({ ...flags, token, folders, cwd: io.cwd, env: io.env, onUnexpected })
  const ended = interrupted(io)
  if (dashboard.warning !== undefined) sayWarnings(io, [dashboard.warning])
  printLine(io, `The dashboard is at\n\n  ${io.colors.bold(dashboard.url)}\n`)
  printLine(io, io.colors.dim('Press Ctrl-C to stop it. Training runs continue.'))
  if (open && !(await openWith(dashboard.url))) warnLine(io, 'No browser found: copy the address into one.')
  await ended
  await dashboard.close()
  return exitCodes.ok
}

function givenToken({ env }: Io): string | undefined {
  const given = env.SKILLOPT_VIEW_TOKEN
  return given === '' ? undefined : given
}

/** Resolves at the first Ctrl-C. A second one quits without waiting for open connections. */
function interrupted(io: Io): Promise<void> {
  return new Promise(resolve => {
    let isEnding = false
    io.onInterrupt(() => {
      if (isEnding) return io.quit(exitCodes.ok)
      isEnding = true
      resolve()
    })
  })
}

function sayUnexpected(io: Io, error: unknown): void {
  const stack = io.env.SKILLOPT_DEBUG === '1' && error instanceof Error ? error.stack : undefined
  warnLine(io, `${io.colors.red('unexpected error:')} ${clean(stack ?? messageOf(error))}`)
  if (stack === undefined) warnLine(io, 'This is a bug in skillopt. Set SKILLOPT_DEBUG=1 to see where.')
}
