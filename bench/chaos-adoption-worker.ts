import { type AdoptionPlace, adopt, undo } from '../src/sleep/adopt/index.js'

/** Adopts a proposal and reverts it in an endless loop, until it is killed. */
const [folder, place] = JSON.parse(process.argv[2] ?? '') as [string, AdoptionPlace]
process.stdout.write('ready\n')
for (;;) {
  await adopt(folder, place)
  await undo(place)
}
