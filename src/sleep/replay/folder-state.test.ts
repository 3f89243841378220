import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hasByteNames, leaveHostileNames } from '../../../test/support/hostile-names.js'
import { removeFolder } from '../../system/remove-folder.js'
import { stateOfFolder } from './folder-state.js'

it.runIf(hasByteNames)('counts what has a name that is not text or too long as unreadable', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-state-'))
  try {
    leaveHostileNames(folder)
    const { files } = await stateOfFolder(folder)
    expect(files.get('ok')).toMatchObject({ kind: 'file', bytes: 4 })
    const others = [...files].filter(([path]) => path !== 'ok')
    expect(others.length).toBeGreaterThanOrEqual(4)
    // The deep folders end in a readable file; nothing else is readable.
    expect(others.filter(([path, { kind }]) => kind === 'file' && !path.startsWith('d/'))).toEqual([])
  } finally {
    await removeFolder(folder)
  }
})
