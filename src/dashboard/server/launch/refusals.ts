import { InputError } from '../../../core/errors/errors.js'
import type { RunSummary } from '../../contract/runs.js'
import type { LiveRun } from '../runs/types.js'

/** Throws if the run cannot be resumed from the dashboard, with a hint on how to resume it. */
export async function checkResumable(run: LiveRun): Promise<void> {
  const summary = await run.summary()
  checkTraining(summary)
  if (summary.importedFrom !== undefined) {
    throw new InputError('The run was made by another program: it can be read, and not gone on with.', {
      hint: 'Fork it: that starts a training from its skill.',
    })
  }
  if (summary.state === 'running') throw new InputError('The run is at work already.')
  if (summary.state === 'finished') {
    throw new InputError('The run is finished: there is nothing to go on with.', {
      hint: 'Fork it to train its skill further.',
    })
  }
}

export async function checkForkable(run: LiveRun): Promise<void> {
  checkTraining(await run.summary())
}

function checkTraining({ state, problem, sleep, kind }: RunSummary): void {
  if (state === 'unreadable') throw new InputError(problem ?? 'The log of the run cannot be read.')
  if (sleep !== undefined) {
    throw new InputError('The run is part of a night of Sleep, which goes on as a whole.', {
      hint: 'In the project: `skillopt sleep run`.',
    })
  }
  if (kind !== 'train') {
    throw new InputError('The run is a measurement, and no training.', {
      hint: 'The same command as before, in a terminal, goes on with it.',
    })
  }
}
