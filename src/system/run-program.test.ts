import { expect, test } from 'vitest'
import { runProgram } from './run-program.js'

const node = (script: string, ...rest: string[]) => [process.execPath, '-e', script, ...rest] as const

test('gives what a program printed, as bytes, and how it ended', async () => {
  const script = 'process.stdout.write(Buffer.from([255, 10])); console.error("no"); process.exitCode = 3'
  expect(await runProgram(node(script), { env: {} })).toEqual({
    code: 3,
    stdout: Buffer.from([255, 10]),
    stderr: 'no\n',
  })
})

test('passes arguments and input on as they are', async () => {
  const script = 'process.stdout.write(process.argv[1] + require("node:fs").readFileSync(0, "utf8"))'
  const end = await runProgram(node(script, '$(x) "y" ; z'), { env: {}, input: Buffer.from('ü') })
  expect(end?.stdout.toString()).toBe('$(x) "y" ; zü')
})

test('looks along the PATH that is given, and says if there is nothing', async () => {
  expect(await runProgram(['sh', '-c', 'true'], { env: { PATH: '/nowhere' } })).toBeUndefined()
})

test('a program that reads nothing of a long input is no fault', async () => {
  const end = await runProgram(node(''), { env: {}, input: Buffer.alloc(10_000_000) })
  expect(end?.code).toBe(0)
})

test('a program that does not end is ended', async () => {
  const end = await runProgram(node('setInterval(() => {}, 1000)'), { env: {}, seconds: 0.3 })
  expect(end?.code).toBeUndefined()
  expect(end).toBeDefined()
})

test('a file that is not a program is reported', async () => {
  await expect(runProgram([import.meta.dirname], { env: {} })).rejects.toThrow('EACCES')
})
