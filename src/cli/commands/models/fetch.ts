import { exitCodes } from '../../../core/errors/errors.js'
import { fetchWeights } from '../../../models/local/fetch.js'
import { localModelNamed } from '../../../models/local/known.js'
import { megabytes } from '../../../models/local/weights.js'
import { type Io, printLine, warnLine } from '../../terminal/io.js'

/** Downloads the weights of a known model. Progress goes to stderr, the path to stdout. */
export async function fetchModel(io: Io, name: string): Promise<number> {
  const model = localModelNamed(name.replace(/^local\//, ''))
  warnLine(io, `${model.title}: ${megabytes(model.bytes)}, licence: ${model.licence}.`)
  const { file, wasThere } = await fetchWeights(model, {
    env: io.env,
    onProgress: ({ parts, of, bytes }) => {
      const next = parts < of ? `fetching part ${parts + 1} of ${of}` : 'joining and checking'
      warnLine(io, `  ${megabytes(bytes)} of ${megabytes(model.bytes)}: ${next}`)
    },
  })
  warnLine(io, wasThere ? 'Already here.' : `Checksum correct: sha256 ${model.sha256}.`)
  printLine(io, file)
  return exitCodes.ok
}
