import assert from 'node:assert/strict'
import { cp, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { damageChecksOf } from './source-damage.js'
import {
  counted,
  inHome,
  put,
  read,
  readAs,
  readLines,
  recordings,
  recordsOf,
  type SourceCheck,
  type SourceUnderTest,
  told,
} from './source-reading.js'
import { everyText, textsChanged } from './source-records.js'

const project = '/home/dev/proj'
const canary = 'CANARY-7f3a91c04d'

/** Requirements of every transcript source, whatever its format. */
const sourceChecks: readonly SourceCheck[] = [
  {
    name: 'looks where its agent writes, and where its variable says',
    async run({ source, place, variable: [name, below] }) {
      const user = { home: '/home/dev', env: {}, platform: 'linux' as const }
      assert.ok(source.places(user).includes(join('/home/dev', place)))
      assert.ok(source.places({ ...user, env: { [name]: '' } }).includes(join('/home/dev', place)))
      assert.ok(source.places({ ...user, env: { [name]: '/else' } }).includes(join('/else', below)))
    },
  },
  {
    name: 'reads its recordings into requests, answers, tools, times and project',
    async run(under) {
      const { transcripts } = await read(under, recordings)
      const seen = transcripts.map(transcript => ({
        id: transcript.id,
        ...(transcript.branch === undefined ? {} : { branch: transcript.branch }),
        startedAt: new Date(transcript.startedAt ?? Number.NaN).toISOString(),
        endedAt: new Date(transcript.endedAt ?? Number.NaN).toISOString(),
        skills: transcript.skills,
        entries: told(transcript),
      }))
      assert.deepEqual(
        seen.sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1)),
        under.sessions,
      )
      for (const { project: folder, source, file, entries } of transcripts) {
        assert.equal(folder, project)
        assert.equal(source, under.source.id)
        assert.ok((await stat(file)).isFile())
        assert.ok(entries.every(({ at }) => typeof at === 'number'))
        assert.ok(
          under.hasOutputs === false ||
            entries.every(entry => entry.kind !== 'tool' || entry.output !== undefined),
        )
      }
    },
  },
  {
    name: 'leaves sub-agents out, and says so',
    async run(under) {
      const { transcripts, skipped } = await read(under, recordings)
      assert.equal(transcripts.length, under.sessions.length)
      assert.equal(counted(skipped, 'sub-agent'), under.subAgents)
    },
  },
  {
    name: 'knows every record of its recordings',
    async run(under) {
      assert.equal(counted((await read(under, recordings)).skipped, 'record'), 0)
    },
  },
  {
    name: 'gives the session that was written to last first, and reads a place that is given, be it a file',
    async run(under) {
      await inHome(async home => {
        const file = await put(home, under.sample, await sampleFile(under))
        const { transcripts: here } = await read(under, home)
        const { transcripts: there } = await read(under, '/nowhere', { places: [join(home, under.place)] })
        const { transcripts: alone } = await read(under, '/nowhere', { places: [file] })
        assert.equal(here.length, 1)
        assert.deepEqual(there, here)
        assert.deepEqual(alone, here)
        assert.deepEqual(await read(under, '/nowhere'), { transcripts: [], skipped: [] })
      })
    },
  },
  {
    name: 'redacts every text',
    async run(under) {
      const lines = await planted(under, canary)
      const { transcripts, skipped } = await readLines(
        under,
        [...lines, `{"type":"unknown-${canary}"}`, `{"${canary}`],
        { redact: value => value.replaceAll(canary, '[hidden]') },
      )
      assert.equal(transcripts.length, 1)
      assert.ok(!JSON.stringify([transcripts, skipped]).includes(canary))
      for (const entry of transcripts[0]?.entries ?? [])
        assert.ok(JSON.stringify(entry).includes('[hidden]'), JSON.stringify(entry))
      assert.ok(under.form.hasNoKinds || skipped.some(({ detail }) => detail.includes('[hidden]')))
    },
  },
  {
    name: 'redacts before it shortens',
    async run(under) {
      const { transcripts } = await readLines(under, await planted(under, canary.repeat(5_000)), {
        redact: value => value.replaceAll(canary, 'a secret that was hidden. '),
      })
      const shown = JSON.stringify(transcripts)
      assert.ok(shown.includes('a secret that was hidden'))
      assert.ok(!/CANAR|a91c0|04d/.test(shown))
      assert.ok(shown.length < 2_000_000)
    },
  },
  {
    name: 'touches nothing',
    async run(under) {
      await inHome(async home => {
        await cp(recordings, home, { recursive: true })
        const before = await stateOf(home)
        await read(under, home)
        assert.deepEqual(await stateOf(home), before)
      })
    },
  },
  {
    name: 'stops at once when it is told to',
    async run(under) {
      let redacted = 0
      const count = (text: string) => {
        redacted += 1
        return text
      }
      await assert.rejects(read(under, recordings, { redact: count, signal: AbortSignal.abort() }))
      assert.equal(redacted, 0)
      const controller = new AbortController()
      const redact = (text: string) => {
        controller.abort()
        return count(text)
      }
      await assert.rejects(read(under, recordings, { redact, signal: controller.signal }))
      // Only the texts of the current record may have been read.
      assert.ok(redacted < 12, `${redacted} texts were read`)
    },
  },
  {
    name: 'asks for the project as it is written, and knows an empty or relative one for none',
    async run(under) {
      const lines = await recordsOf(under, under.sample)
      const at = (folder: string) =>
        lines.map(line => everyText(line, text => text.replaceAll(project, folder)))
      const asked: (string | undefined)[] = []
      const isWanted = (folder: string | undefined) => {
        asked.push(folder)
        return false
      }
      for (const folder of [project, '', 'proj', '.']) {
        const { transcripts, skipped } = await readLines(under, at(folder), { isWanted }, folder)
        assert.deepEqual(transcripts, [])
        assert.equal(counted(skipped, 'other-project'), 1)
      }
      assert.deepEqual(asked, [project, undefined, undefined, undefined])
      const { transcripts } = await readLines(under, at(''), {}, '')
      assert.equal(transcripts[0]?.project, undefined)
    },
  },
  {
    name: 'leaves out what was made in a folder of ours, wanted or not',
    async run(under) {
      const ours = '/tmp/skillopt-agent-12-345-0a1b2c3d-AbCdEf/work'
      const lines = await recordsOf(under, under.sample)
      const { transcripts, skipped } = await readLines(
        under,
        lines.map(line => everyText(line, text => text.replaceAll(project, ours))),
        {},
        ours,
      )
      assert.deepEqual(transcripts, [])
      assert.equal(counted(skipped, 'own'), 1)
    },
  },
  {
    name: 'says what holds no request, and what cannot be read',
    async run(under) {
      const lines = await recordsOf(under, under.sample)
      const [whole] = (await readLines(under, lines)).transcripts
      const requests = whole?.entries.flatMap(entry => (entry.kind === 'prompt' ? [entry.text] : [])) ?? []
      const others = lines.filter(line => !requests.some(request => asks(line, request)))
      assert.ok(others.length > 0)
      const idle = await readLines(under, others)
      assert.deepEqual([idle.transcripts, counted(idle.skipped, 'no-request')], [[], 1])
      const empty = await readLines(under, [])
      assert.deepEqual(
        [empty.transcripts, counted(empty.skipped, 'no-request')],
        [[], under.form.isOneSession ? 1 : 0],
      )
      const broken = await readAs(under, Buffer.from([0x1f, 0x8b, 0xff, 0x0a, 0xfe, 0x7b, 0x22]))
      assert.deepEqual([broken.transcripts, counted(broken.skipped, 'unreadable')], [[], 1])
    },
  },
]

/** For sources that record times. */
const timeChecks: readonly SourceCheck[] = [
  {
    name: 'compares times as times, in whatever zone they are written',
    async run(under) {
      const lines = await recordsOf(under, under.sample)
      const [plain] = (await readLines(under, lines)).transcripts
      assert.ok(plain?.endedAt !== undefined)
      const elsewhere = lines.map(line => everyText(line, inAnotherZone))
      const { transcripts: zoned } = await readLines(under, elsewhere)
      assert.equal(zoned[0]?.startedAt, plain.startedAt)
      assert.equal(zoned[0]?.endedAt, plain.endedAt)
      const since = (after: number) => readLines(under, elsewhere, { after })
      assert.equal((await since(plain.endedAt - 1)).transcripts.length, 1)
      const { transcripts, skipped } = await since(plain.endedAt)
      assert.deepEqual(transcripts, [])
      assert.equal(counted(skipped, 'too-old'), 1)
      assert.equal(counted((await since(Date.now() + 3_600_000)).skipped, 'too-old'), 1)
    },
  },
]

/** The checks that apply to this source. */
export function sourceChecksOf(under: SourceUnderTest): readonly SourceCheck[] {
  return [...sourceChecks, ...(under.hasTimes === false ? [] : timeChecks), ...damageChecksOf(under)]
}

const sampleFile = async (under: SourceUnderTest) => under.form.fileOf(await recordsOf(under, under.sample))

/** The session with tools, with a secret inserted into every text. */
async function planted(under: SourceUnderTest, secret: string): Promise<readonly string[]> {
  const lines = await recordsOf(under, under.output.file)
  return lines.map(line => textsChanged(line, under.structure, value => `${value}${secret}`))
}

/**
 * True if the request is a text of the record, quoted or as a line within one: some agents add text around
 * it.
 */
function asks(record: string, request: string): boolean {
  const text = JSON.stringify(request)
  const ways = [text, JSON.stringify(text), `\\n${text.slice(1, -1)}\\n`]
  return ways.some(way => record.includes(way))
}

/** The same time in Tokyo's time zone. */
function inAnotherZone(text: string): string {
  if (!/^20\d\d-\d\d-\d\dT[\d:.]+Z$/.test(text)) return text
  return new Date(Date.parse(text) + 9 * 3_600_000).toISOString().replace('Z', '+09:00')
}

async function stateOf(folder: string): Promise<readonly unknown[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort()
  return Promise.all(
    paths.map(async path => {
      const { mtimeMs, mode, size } = await stat(path)
      return [path, mtimeMs, mode, size, await readFile(path, 'utf8').catch(() => 'a folder')]
    }),
  )
}
