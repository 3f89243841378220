export { scoreContext } from '../src/testing/score-context.js'
