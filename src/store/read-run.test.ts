import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { callFinished, callStarted, collect } from '../../test/conformance/store.js'
import { InputError } from '../core/errors/errors.js'
import { openDiskStore } from './disk.js'
import { readRun } from './read-run.js'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'read-run-'))
})
afterEach(() => rm(directory, { recursive: true }))

it('follows a run that is being written', async () => {
  const store = await openDiskStore(directory)
  const first = store.put('first')
  await store.append(callFinished(0, 'a', 'reply', first))
  const run = await readRun(directory)
  expect(await collect(run)).toEqual([callFinished(0, 'a', 'reply', first)])
  expect(await run.get(first)).toBe('first')

  const more = ['second', 'third 🙂'].map(text => store.put(text))
  await store.append(callStarted(1, 'b'))
  expect((await collect(run)).length).toBe(2)
  expect(await Promise.all(more.map(ref => run.get(ref)))).toEqual(['second', 'third 🙂'])
  await expect(run.get('0'.repeat(32))).rejects.toThrow(InputError)
  await store.close()
})

it('leaves out a torn last line, and writes nothing', async () => {
  const store = await openDiskStore(directory)
  await store.append(callStarted(0, 'a'))
  await store.close()
  await appendFile(join(directory, 'events.jsonl'), '{"seq":1,')
  const before = await readFile(join(directory, 'events.jsonl'), 'utf8')
  expect((await collect(await readRun(directory))).length).toBe(1)
  expect(await readFile(join(directory, 'events.jsonl'), 'utf8')).toBe(before)
  expect((await readdir(directory)).sort()).toEqual(['blobs.jsonl', 'events.jsonl'])
})

it('refuses a broken line in the middle and a newer log', async () => {
  const events = join(directory, 'events.jsonl')
  const line = JSON.stringify(callStarted(0, 'a'))
  await writeFile(events, `${line}\nnonsense\n${line}\n`)
  await expect(collect(await readRun(directory))).rejects.toThrow('damaged: line 2')
  await writeFile(events, '{"seq":0,"at":0,"type":"run.started","body":{"log":2}}\n')
  await expect(collect(await readRun(directory))).rejects.toThrow('newer version')
})

it('reports a directory that does not exist or is not a run', async () => {
  const refusal = async (path: string) => {
    const error = await readRun(path).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(InputError)
    return (error as InputError).message
  }
  expect(await refusal(join(directory, 'nowhere'))).toContain('is not a run directory')
  expect(await refusal(directory)).toContain('is not a run directory')
  await writeFile(join(directory, 'file'), '')
  expect(await refusal(join(directory, 'file'))).toContain('is not a run directory')
  await mkdir(join(directory, 'odd', 'events.jsonl'), { recursive: true })
  expect(await refusal(join(directory, 'odd'))).toContain('is not a file')
})
