import { describe, expect, it } from 'vitest'
import { seccompFilter } from './seccomp.js'
import { checkedCalls, missingCalls, refusedCalls } from './seccomp-calls.js'

const EPERM = 0x50001
const ENOSYS = 0x50026
const allow = 0x7fff0000

/** A minimal interpreter for the kernel's BPF: the filter's verdict on a call. */
function verdict(filter: Buffer, data: { arch: number; nr: number; args?: readonly number[] }): number {
  const read = (at: number) => (at === 0 ? data.nr : at === 4 ? data.arch : (data.args?.[(at - 16) / 8] ?? 0))
  let loaded = 0
  for (let index = 0; ; index += 1) {
    const code = filter.readUInt16LE(index * 8)
    const [ifTrue, ifFalse] = [filter.readUInt8(index * 8 + 2), filter.readUInt8(index * 8 + 3)]
    const value = filter.readUInt32LE(index * 8 + 4)
    if (code === 0x20) loaded = read(value) >>> 0
    else if (code === 0x06) return value
    else {
      const holds =
        code === 0x15 ? loaded === value : code === 0x35 ? loaded >= value : (loaded & value) !== 0
      index += holds ? ifTrue : ifFalse
    }
  }
}

describe.each([
  ['x64', 0xc000003e, 0],
  ['arm64', 0xc00000b7, 1],
] as const)('the filter of system calls on %s', (architecture, arch, column) => {
  const filter = seccompFilter(architecture) ?? Buffer.alloc(0)
  const of = (nr: number, args: readonly number[] = []) => verdict(filter, { arch, nr, args })

  it('refuses each call of the lists, and the same under another interface', () => {
    for (const [name, numbers] of Object.entries(refusedCalls)) {
      const number = numbers[column]
      if (number !== undefined) expect(of(number), name).toBe(EPERM)
    }
    for (const [name, numbers] of Object.entries(missingCalls))
      expect(of(numbers[column] ?? -1), name).toBe(ENOSYS)
    expect(verdict(filter, { arch: 0x40000003, nr: 1 })).toBe(ENOSYS)
    if (architecture === 'x64') expect(of(0x40000001)).toBe(ENOSYS)
  })

  it('looks at arguments', () => {
    const number = (name: keyof typeof checkedCalls) => checkedCalls[name][column]
    expect(of(number('clone'), [0x11])).toBe(allow)
    expect(of(number('clone'), [0x10000011])).toBe(EPERM)
    expect(of(number('ioctl'), [0, 0x5412])).toBe(EPERM)
    expect(of(number('ioctl'), [0, 0x5413])).toBe(allow)
    expect(of(number('fcntl'), [0, 1031])).toBe(EPERM)
    expect(of(number('fcntl'), [0, 1032])).toBe(allow)
    const mapped = (flags: number) => of(number('mmap'), [0, 4096, 3, flags])
    expect([0x21, 0x23, 0x8021].map(mapped)).toEqual([EPERM, EPERM, EPERM])
    expect([0x01, 0x03, 0x02, 0x22, 0x20022].map(mapped)).toEqual([allow, allow, allow, allow, allow])
    expect(of(number('prctl'), [1, 0])).toBe(EPERM)
    expect(of(number('prctl'), [1, 9])).toBe(allow)
    expect(of(number('prctl'), [15, 0])).toBe(allow)
    const option = (level: number, name: number) => of(number('setsockopt'), [3, level, name])
    expect([option(1, 7), option(1, 8), option(1, 33)]).toEqual([0x50000, 0x50000, 0x50000])
    expect([option(1, 2), option(6, 7)]).toEqual([allow, allow])
    expect(of(number('socket'), [2])).toBe(allow)
    expect(of(number('socket'), [40])).toBe(0x50061)
  })

  it('allows what programs live on', () => {
    const usual = architecture === 'x64' ? [0, 1, 2, 9, 59, 57, 257, 231] : [63, 64, 56, 222, 221, 94]
    for (const call of usual) expect(of(call)).toBe(allow)
  })
})

it('has no filter for processors whose numbers it does not know', () => {
  expect(seccompFilter('riscv64')).toBeUndefined()
})
