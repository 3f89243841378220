/** The dashboard's launcher as a killable process: it starts the given training and stays. */
import { createTrainings } from '../../src/dashboard/server/launch/trainings.js'
import { createRunLibrary } from '../../src/dashboard/server/runs/library.js'

const { cwd, request } = JSON.parse(process.argv[2] ?? '{}')
const { signal } = new AbortController()
const surroundings = { cwd, env: process.env, folders: [`${cwd}/runs`], signal }
const context = { ...surroundings, runs: createRunLibrary(surroundings) }
const trainings = createTrainings(context)
let started = await trainings.start(request)
while (!started.begun) started = await trainings.start(request)
process.stdout.write(`${JSON.stringify(started)}\n`)
setInterval(() => undefined, 60_000)
