import { join, sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { InputError } from '../core/errors/errors.js'
import { installCommand, optionalPackage } from './optional-package.js'

const missing = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /x.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  })

describe('optionalPackage', () => {
  it('returns a package that is installed', async () => {
    expect(await optionalPackage('node:path', 'paths', () => import('node:path'))).toHaveProperty('join')
  })

  it('says in one line how to install a package that is missing', async () => {
    const load = () => Promise.reject(missing('@ai-sdk/azure'))
    const error = await optionalPackage('@ai-sdk/azure', 'Azure models', load).catch(problem => problem)
    expect(error).toBeInstanceOf(InputError)
    expect(error.message).toBe('Install @ai-sdk/azure to use Azure models: npm install @ai-sdk/azure')
    expect(error.hint).toBeUndefined()
  })

  it('names all packages of a use that needs several', async () => {
    const load = () => Promise.reject(missing('b'))
    await expect(optionalPackage(['a', 'b'], 'spans', load)).rejects.toThrow(
      'Install a, b to use spans: npm install a b',
    )
  })

  it('passes on every other error, also a missing dependency of the package', async () => {
    const broken = new Error('broken')
    await expect(optionalPackage('a', 'it', () => Promise.reject(broken))).rejects.toBe(broken)
    const inner = missing('inner')
    await expect(optionalPackage('a', 'it', () => Promise.reject(inner))).rejects.toBe(inner)
  })
})

describe('installCommand', () => {
  const root = join(sep, 'home', 'me', 'project')
  const fileIn = (...folders: string[]) =>
    join(sep, ...folders, 'node_modules', 'skillopt', 'dist', 'system', 'optional-package.js')

  it.each([
    ['in the project', fileIn('home', 'me', 'project'), 'npm install a b'],
    ['in a folder above it', fileIn('home', 'me'), 'npm install a b'],
    ['globally', fileIn('usr', 'lib'), 'npm install -g a b'],
    ['by npx', fileIn('home', 'me', '.npm', '_npx', '1f'), 'npx -p skillopt -p a -p b skillopt …'],
    ['in a clone', join(sep, 'home', 'me', 'skillopt', 'dist', 'x.js'), 'npm install a b'],
  ])('fits a package that was installed %s', (_, file, command) => {
    expect(installCommand('a b', { file, cwd: root })).toBe(command)
  })
})
