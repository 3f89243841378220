import { findProgram } from '../system/programs.js'

/** The number of keyctl by processor. */
const keyctl: Readonly<Record<string, number>> = { x64: 250, arm64: 219 }

/**
 * A command that first joins a session keyring of its own: keyrings are inherited, and no namespace divides them. That takes
 * a system call which Node does not have, so it is made by Perl, a part of nearly every distribution. Where there is none,
 * or the kernel refuses, the command runs as it is, and the filter of system calls alone keeps it from the keyring.
 */
export async function withOwnKeyring(
  command: readonly [string, ...string[]],
  folders: readonly string[],
): Promise<readonly [string, ...string[]]> {
  const number = keyctl[process.arch]
  const perl = await findProgram('perl', folders)
  if (number === undefined || perl === undefined) return command
  // KEYCTL_JOIN_SESSION_KEYRING without a name.
  const program = `syscall(${number}, 1, 0); exec { $ARGV[0] } @ARGV; exit 127`
  return [perl, '-e', program, '--', ...command]
}
