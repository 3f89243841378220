import { InputError } from '../../core/errors/errors.js'
import { lockRunDirectory } from '../../store/lock.js'
import { nightsFolder } from './nights.js'

/** Takes the lock that allows one night at a time. Two would train the same documents and pay twice. */
export async function lockNights(projectFolder: string): Promise<{ release(): Promise<void> }> {
  try {
    return await lockRunDirectory(nightsFolder(projectFolder))
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new InputError(`A night of this project is under way already. ${error.message}`, {
      hint: 'Wait for it, or stop it: `skillopt sleep run` then goes on where it was.',
      cause: error,
    })
  }
}
