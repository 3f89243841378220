import { endianness } from 'node:os'
import { checkedCalls, missingCalls, refusedCalls } from './seccomp-calls.js'

/**
 * The seccomp filter for bubblewrap's `--seccomp`, as a classic BPF program. Each instruction has eight
 * bytes, and a jump counts the instructions that it skips.
 */

/** Offsets in the kernel's `struct seccomp_data`. Of an argument, the lower half is read. */
const numberAt = 0
const architectureAt = 4
const argumentAt = (index: number): number => 16 + 8 * index

const load = 0x20
const jumpIfEqual = 0x15
const jumpIfAtLeast = 0x35
const jumpIfAnyBit = 0x45
const giveBack = 0x06

const allow = 0x7fff_0000
const failWith = (errno: number): number => 0x0005_0000 | errno
const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

interface Instruction {
  readonly code: number
  readonly value: number
  readonly ifTrue?: number
  readonly ifFalse?: number
}

const architectures = {
  x64: { column: 0, audit: 0xc000_003e },
  arm64: { column: 1, audit: 0xc000_00b7 },
} as const

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const newNamespaces = 0x7e02_0000
/** TIOCSTI, TIOCLINUX, TIOCSETD: insert characters into a terminal's input or change how it reads. */
const terminalRequests = [0x5412, 0x541c, 0x5423]
/** Changes the size of a pipe. */
const F_SETPIPE_SZ = 1031
/** MAP_SHARED, which is also a bit of MAP_SHARED_VALIDATE, and MAP_ANONYMOUS. */
const [sharedMapping, anonymousMapping] = [0x01, 0x20]
const PR_SET_PDEATHSIG = 1
const SIGKILL = 9
const SOL_SOCKET = 1
/** SO_SNDBUF, SO_RCVBUF, and their privileged (FORCE) variants. */
const bufferSizes = [7, 8, 32, 33]
/**
 * AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Other families are refused: network namespaces do not separate
 * them, or they need privileges.
 */
const socketFamilies = [1, 2, 10, 16]

/** The filter for this machine; undefined for processors whose system call numbers are not listed. */
export function seccompFilter(architecture: string = process.arch): Buffer | undefined {
  if (architecture !== 'x64' && architecture !== 'arm64') return undefined
  if (endianness() !== 'LE') return undefined
  return assembled(instructionsFor(architecture))
}

function instructionsFor(architecture: keyof typeof architectures): Instruction[] {
  const { column, audit } = architectures[architecture]
  const refuse = (calls: Readonly<Record<string, readonly (number | undefined)[]>>, errno: number) =>
    Object.values(calls).flatMap(numbers => {
      const number = numbers[column]
      return number === undefined ? [] : whenEqual(number, [end(failWith(errno))])
    })
  const check = (name: keyof typeof checkedCalls, body: readonly Instruction[]) =>
    whenEqual(checkedCalls[name][column], body)
  return [
    { code: load, value: architectureAt },
    { code: jumpIfEqual, value: audit, ifTrue: 1 },
    end(failWith(ENOSYS)),
    { code: load, value: numberAt },
    // On x86_64, the x32 ABI offers every call a second time under another number.
    ...(architecture === 'x64'
      ? [{ code: jumpIfAtLeast, value: 0x4000_0000, ifFalse: 1 }, end(failWith(ENOSYS))]
      : []),
    ...refuse(refusedCalls, EPERM),
    ...refuse(missingCalls, ENOSYS),
    ...check('clone', [
      argument(0),
      { code: jumpIfAnyBit, value: newNamespaces, ifFalse: 1 },
      end(failWith(EPERM)),
      end(allow),
    ]),
    ...check('ioctl', [
      argument(1),
      ...terminalRequests.flatMap(request => whenEqual(request, [end(failWith(EPERM))])),
      end(allow),
    ]),
    // Pipes keep their default size, so that their memory can be computed from their number.
    ...check('fcntl', [argument(1), ...whenEqual(F_SETPIPE_SZ, [end(failWith(EPERM))]), end(allow)]),
    // Shared anonymous memory stays allocated when a process drops its pages (MADV_DONTNEED), but then no
    // process is charged for it.
    ...check('mmap', [
      argument(3),
      { code: jumpIfAnyBit, value: sharedMapping, ifTrue: 1 },
      end(allow),
      { code: jumpIfAnyBit, value: anonymousMapping, ifFalse: 1 },
      end(failWith(EPERM)),
      end(allow),
    ]),
    // Even if a program takes over the sandbox's first process, that process must still die with us.
    ...check('prctl', [
      argument(0),
      { code: jumpIfEqual, value: PR_SET_PDEATHSIG, ifTrue: 1 },
      end(allow),
      argument(1),
      ...whenEqual(SIGKILL, [end(allow)]),
      end(failWith(EPERM)),
    ]),
    // Buffers keep the kernel's default size, so that the memory of sockets can be computed from their
    // number. The call appears to succeed, because the kernel may always grant less than requested.
    ...check('setsockopt', [
      argument(1),
      { code: jumpIfEqual, value: SOL_SOCKET, ifTrue: 1 },
      end(allow),
      argument(2),
      ...bufferSizes.flatMap(option => whenEqual(option, [end(failWith(0))])),
      end(allow),
    ]),
    ...(['socket', 'socketpair'] as const).flatMap(name =>
      check(name, [
        argument(0),
        ...socketFamilies.flatMap(family => whenEqual(family, [end(allow)])),
        end(failWith(EAFNOSUPPORT)),
      ]),
    ),
    end(allow),
  ]
}

const argument = (index: number): Instruction => ({ code: load, value: argumentAt(index) })
const end = (value: number): Instruction => ({ code: giveBack, value })

/** Every body ends the filter, so the loaded value is still there for the next comparison. */
function whenEqual(value: number, body: readonly Instruction[]): Instruction[] {
  return [{ code: jumpIfEqual, value, ifFalse: body.length }, ...body]
}

function assembled(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8)
  for (const [index, { code, value, ifTrue = 0, ifFalse = 0 }] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4)
  }
  return bytes
}
