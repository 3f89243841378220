import { access, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InputError } from '../core/errors/errors.js'
import { git } from '../system/git.js'
import { openPlace } from './place.js'

describe('the place of an experiment', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'place-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is gone when it is closed', async () => {
    const place = await openPlace('shop')
    expect((await readdir(place.root)).sort()).toEqual(['home', 'shop'])
    await place.close()
    await expect(access(place.root)).rejects.toThrow()
  })

  it('stays if it was to be kept', async () => {
    const keep = join(folder, 'new', 'place')
    const place = await openPlace('shop', { keep })
    await place.close()
    expect(await readdir(join(keep, 'shop'))).toContain('README.md')
  })

  it('knows nothing of where the person keeps what', async () => {
    const { env, home, close } = await openPlace('shop')
    const own = Object.entries(env).filter(([name]) => !['PATH', 'TMPDIR', 'SystemRoot'].includes(name))
    for (const [, value] of own) expect(value?.startsWith(home)).toBe(true)
    await close()
  })

  it('has a project that git has kept for a month', async () => {
    const { project, env, close } = await openPlace('shop')
    const asked = ['-C', project, 'log', '--format=%ct %s']
    const [seconds, subject] = (await git(asked, { env })).toString('utf8').trim().split(' ')
    expect(subject).toBe('Begin')
    expect(Date.now() / 1000 - Number(seconds)).toBeGreaterThan(29 * 86_400)
    await close()
  })

  it('takes no folder that holds something already, and no file', async () => {
    await writeFile(join(folder, 'mine.txt'), 'precious')
    const refused = (keep: string) => openPlace('shop', { keep }).catch((error: unknown) => error)
    const full = await refused(folder)
    expect(full).toBeInstanceOf(InputError)
    expect(full).toMatchObject({ message: `${folder} is not empty; nothing was begun.` })
    const file = await refused(join(folder, 'mine.txt'))
    expect(file).toMatchObject({ message: expect.stringContaining('it is no folder that can be written') })
    expect(await readdir(folder)).toEqual(['mine.txt'])
  })

  it('takes a folder that is there and empty', async () => {
    const keep = join(folder, 'empty')
    await mkdir(keep)
    await openPlace('shop', { keep })
    expect((await readdir(keep)).sort()).toEqual(['home', 'shop'])
  })
})
