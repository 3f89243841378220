import { InputError } from '../../core/errors/errors.js'
import { PythonRandom } from '../../core/statistics/random.js'
import { inEnglish } from './english.js'
import { lexicalSpace } from './lexical.js'
import type { Keys, Space } from './space.js'
import { maskedText } from './words.js'

/**
 * Turns texts into vectors whose directions reflect the meaning. Returns one vector per text, in the same
 * order, all of the same length.
 */
export interface Embedder {
  readonly id: string
  /**
   * Weight of the vectors relative to the words, from 0 to 1. Use 1 for an embedder that knows all languages
   * in use.
   */
  readonly share?: number
  /** Cosine of two unrelated texts, 0.2 by default. A cosine up to this value counts as no similarity. */
  readonly unrelated?: number
  /** The embedder knows only English, so known German words are translated for it. */
  readonly isEnglishOnly?: boolean
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>
}

const defaultShare = 0.35

const defaultUnrelated = 0.2
const textsPerCall = 256

/** Locality-sensitive hashing with random hyperplanes: vectors of similar direction share whole bands. */
const bands = 32
const planesPerBand = 8

/** The seed is arbitrary but fixed, so that the same texts always give the same clusters. */
const planesSeed = 7

/** A shared band weighs less than a shared rare word and more than a shared common one. */
const bandWeight = 0.2

/** Builds the space in which texts are compared: by words alone, or also by an embedder's vectors. */
export async function spaceOf(texts: readonly string[], embedder: Embedder | undefined): Promise<Space> {
  const words = lexicalSpace(texts)
  return embedder === undefined ? words : embeddedSpace(texts, words, embedder)
}

/**
 * Compares texts by words and vectors. Vectors recognise different wordings of the same request; words tell
 * the changelog from the release notes. Files, names and numbers are masked before texts are embedded.
 */
async function embeddedSpace(texts: readonly string[], words: Space, embedder: Embedder): Promise<Space> {
  const share = embedder.share ?? defaultShare
  if (!(share >= 0 && share <= 1)) {
    throw new InputError(`The embedder "${embedder.id}" wants a share of ${share}.`, {
      hint: 'Give a share from 0 (words only) to 1 (vectors only).',
    })
  }
  const shown = (text: string) =>
    embedder.isEnglishOnly === true ? inEnglish(maskedText(text)) : maskedText(text)
  const unrelated = embedder.unrelated ?? defaultUnrelated
  if (!(unrelated >= 0 && unrelated < 1)) {
    throw new InputError(
      `The embedder "${embedder.id}" takes ${unrelated} for the cosine of unrelated texts.`,
      {
        hint: 'Give a cosine from 0 to below 1, such as 0.2.',
      },
    )
  }
  const vectors = await vectorsOf(texts.map(shown), embedder)
  const planes = randomPlanes(vectors[0]?.length ?? 0)
  const at = (item: number) => vectors[item] ?? new Float32Array()
  const counted = (cosine: number) => Math.max(0, (cosine - unrelated) / (1 - unrelated))
  return {
    size: texts.length,
    keysOf: item => withBands(words.keysOf(item), bandKeys(at(item), planes)),
    similarity: (left, right) =>
      (1 - share) * words.similarity(left, right) + share * counted(dot(at(left), at(right))),
  }
}

async function vectorsOf(texts: readonly string[], embedder: Embedder): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = []
  for (let start = 0; start < texts.length; start += textsPerCall) {
    const part = texts.slice(start, start + textsPerCall)
    vectors.push(...unitVectors(await embedder.embed(part), part.length, embedder.id, vectors[0]?.length))
  }
  return vectors
}

/** Adds the band keys of an item to its word keys. Band keys are negative, so that no word uses them. */
function withBands({ keys, weights }: Keys, bandsOfItem: Int32Array): Keys {
  const found = weights.findIndex(weight => weight < bandWeight)
  const heavier = found === -1 ? weights.length : found
  return {
    keys: Int32Array.from([
      ...keys.slice(0, heavier),
      ...bandsOfItem.map(key => -1 - key),
      ...keys.slice(heavier),
    ]),
    weights: Float32Array.from([
      ...weights.slice(0, heavier),
      ...new Float32Array(bands).fill(bandWeight),
      ...weights.slice(heavier),
    ]),
  }
}

/** Validates the vectors, because an embedder is third-party code. */
function unitVectors(
  vectors: readonly Float32Array[],
  wanted: number,
  id: string,
  dimensions = vectors[0]?.length ?? 0,
): Float32Array[] {
  if (vectors.length !== wanted) {
    throw new InputError(`The embedder "${id}" gave ${vectors.length} vectors for ${wanted} texts.`, {
      hint: 'Use another one, or cluster by words: leave the embedder out.',
    })
  }
  return vectors.map(vector => {
    const length = Math.sqrt(dot(vector, vector))
    if (vector.length !== dimensions || !Number.isFinite(length) || length === 0) {
      throw new InputError(
        `The embedder "${id}" gave a vector that has no direction or not the ${dimensions} dimensions of the others.`,
        { hint: 'Use another one, or cluster by words: leave the embedder out.' },
      )
    }
    return vector.map(value => value / length)
  })
}

function randomPlanes(dimensions: number): readonly Float32Array[] {
  const random = new PythonRandom(planesSeed)
  // The sum of four uniform draws is close enough to a normal distribution, and avoids logarithms, whose
  // results differ between machines.
  const draw = () => [0, 0, 0, 0].reduce(sum => sum + random.getRandomBits(16) / 65_535 - 0.5, 0)
  return Array.from({ length: bands * planesPerBand }, () => Float32Array.from({ length: dimensions }, draw))
}

function bandKeys(vector: Float32Array, planes: readonly Float32Array[]): Int32Array {
  const keys = new Int32Array(bands)
  for (const [index, plane] of planes.entries()) {
    const band = Math.floor(index / planesPerBand)
    const side = dot(vector, plane) > 0 ? 1 : 0
    keys[band] = ((keys[band] ?? 0) << 1) | side
  }
  return keys.map((key, band) => (band << planesPerBand) | key)
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0
  for (let index = 0; index < left.length; index += 1) sum += (left[index] ?? 0) * (right[index] ?? 0)
  return sum
}
