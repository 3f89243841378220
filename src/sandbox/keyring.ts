import { findProgram } from '../system/programs.js'

/** System call number of keyctl by processor. */
const keyctl: Readonly<Record<string, number>> = { x64: 250, arm64: 219 }

/**
 * A command that first joins a new session keyring: keyrings are inherited, and namespaces do not separate
 * them. Node lacks the system call for that, so Perl makes it, which is part of nearly every distribution.
 * Without Perl, or if the kernel refuses, the command runs unchanged and only the seccomp filter protects
 * the keyring.
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
