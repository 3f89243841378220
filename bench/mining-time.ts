import { PythonRandom } from '../src/core/statistics/random.js'
import { clusterRequests } from '../src/sleep/mining/clusters.js'
import { requestsOf } from '../src/sleep/mining/requests.js'
import { labelledSet } from './mining-set.js'

interface TimeOfMany {
  readonly requests: number
  readonly clusters: number
  readonly seconds: number
  /** Peak memory of the process, including the requests themselves. */
  readonly megabytes: number
}

const wanted = 50_000

/**
 * All requests are distinct: the labelled ones with varying words appended, so that caching gains nothing.
 */
export async function timeOfMany(): Promise<TimeOfMany> {
  const known = labelledSet(1).transcripts.flatMap(requestsOf)
  const random = new PythonRandom(11)
  const letters = 'abdefgiklmnoprstuvwz'
  const word = () => Array.from({ length: 6 }, () => letters[random.below(letters.length)]).join('')
  const words = Array.from({ length: 3000 }, word)
  const any = () => words[random.below(words.length)] ?? ''
  const requests = Array.from({ length: wanted }, (_, index) => {
    const text = known[index % known.length]?.text ?? ''
    return { id: String(index), text: `${text} ${any()} ${any()} ${any()}` }
  })
  const began = performance.now()
  const clusters = await clusterRequests(requests)
  return {
    requests: requests.length,
    clusters: clusters.length,
    seconds: (performance.now() - began) / 1000,
    megabytes: process.resourceUsage().maxRSS / 1024,
  }
}
