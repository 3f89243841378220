import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type Context, Hono } from 'hono'
import { accepts } from 'hono/accepts'
import { InputError } from '../../core/errors/errors.js'
import { isApi } from './guard.js'

interface WebFile {
  readonly type: string
  readonly content: Buffer
  /** Compressed content by encoding, created at the first request. */
  readonly packed: Map<string, Promise<Buffer>>
}

/** The dashboard's files by URL path. Only files in this map are ever sent. */
export type WebFiles = ReadonlyMap<string, WebFile>

const entry = '/index.html'

/**
 * Reads all files into memory, a few hundred kilobytes. A later build in the same folder thus cannot mix with
 * this one.
 */
export async function readWebFiles(folder: string): Promise<WebFiles> {
  const files = await Promise.all(
    (await filesBelow(folder)).map(async file => {
      const address = `/${relative(folder, file).split(sep).join('/')}`
      const type = types[extname(file)] ?? 'application/octet-stream'
      return [address, { type, content: await readFile(file), packed: new Map() }] as const
    }),
  )
  const listed = new Map<string, WebFile>(files)
  if (listed.has(entry)) return listed
  throw new InputError(`The pages of the dashboard are not there: ${folder}.`, {
    hint: 'In a clone of the repository `npm run build` makes them; otherwise install skillopt again.',
  })
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries.filter(each => each.isFile()).map(each => join(each.parentPath, each.name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

export function staticRoutes(files: WebFiles): Hono {
  return new Hono().get('*', async (c, next) => {
    const { path } = c.req
    // Any other path belongs to the client-side router and gets the entry page.
    const file = files.get(path) ?? (isAsset(path) || isApi(path) ? undefined : files.get(entry))
    if (file === undefined) return next()
    const encoding = encodingFor(c)
    c.header('content-type', file.type)
    c.header('vary', 'accept-encoding')
    if (encoding !== 'identity') c.header('content-encoding', encoding)
    if (isAsset(path)) c.header('cache-control', 'private, max-age=31536000, immutable')
    return c.body(new Uint8Array(await packedAs(encoding, file)))
  })
}

/** Asset names contain a hash of their content, so an asset never changes. */
const isAsset = (path: string) => path.startsWith('/assets/')

const encodings = ['br', 'gzip']

function encodingFor(c: Context): string {
  return accepts(c, {
    header: 'Accept-Encoding',
    supports: encodings,
    default: 'identity',
    // Prefers the better accepted encoding; browsers list gzip first.
    match: (accepted, { default: none }) =>
      encodings.find(known => accepted.some(({ type, q }) => type === known && q > 0)) ?? none,
  })
}

function packedAs(encoding: string, { content, packed }: WebFile): Promise<Buffer> {
  const made = packed.get(encoding) ?? pack(encoding, content)
  packed.set(encoding, made)
  return made
}

async function pack(encoding: string, content: Buffer): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(content)
  if (encoding === 'identity') return content
  return promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
}
