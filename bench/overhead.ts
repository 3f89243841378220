import { timeTraining } from './bound.js'

console.log(await timeTraining({ train: 200, val: 100, test: 400 }, { train: { epochs: 4 } }, 0.5))
