import { findProgram } from '../system/programs.js'

/** Number of the system call keyctl, by processor. */
const keyctl: Readonly<Record<string, number>> = { x64: 250, arm64: 219 }

/**
 * Makes a command join a new session keyring first, because keyrings are inherited and namespaces do not
 * separate them. Node cannot make that system call, so Perl does, which nearly every distribution has. If
 * there is no Perl or the kernel refuses, the command runs unchanged, and only the seccomp filter protects
 * the keyring.
 */
export async function withOwnKeyring(
  command: readonly [string, ...string[]],
  folders: readonly string[],
): Promise<readonly [string, ...string[]]> {
  const number = keyctl[process.arch]
  const perl = await findProgram('perl', folders)
  if (number === undefined || perl === undefined) return command
  // The arguments mean KEYCTL_JOIN_SESSION_KEYRING without a name.
  const program = `syscall(${number}, 1, 0); exec { $ARGV[0] } @ARGV; exit 127`
  return [perl, '-e', program, '--', ...command]
}
