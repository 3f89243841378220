import type { BenchmarkData } from '../../loading/benchmark-data.js'
import { readReleaseFiles } from '../../loading/release.js'
import { readTask } from './index.js'

const hint =
  'The published .parquet tables have to be written as .jsonl first: `to_json` of the Python package datasets does it.'

export const data: BenchmarkData = {
  name: 'SearchQA',
  about:
    'Trivia questions, each with the snippets that a search engine found for it; the answer is a short phrase.',
  published: [
    { what: 'items', address: 'https://huggingface.co/datasets/lucadiliello/searchqa' },
    { what: 'splits by id, in data/searchqa_id_split', address: 'https://github.com/microsoft/SkillOpt' },
    { what: 'paper', address: 'https://arxiv.org/abs/1704.05179' },
  ],
  licence: 'none stated: the questions are from J! Archive, the snippets from web pages',
  needs: [
    'a .jsonl or .json file, or a folder with several: one item per question',
    '`id` (or `key`, as published), `question`, `context` with [DOC] before each snippet, and a list `answers`',
    hint,
  ],
  releases: [
    { name: 'train', items: 117_384 },
    { name: 'validation', items: 16_980 },
  ],
  splits: { train: 400, val: 200, test: 1400 },
  readRelease: path => readReleaseFiles(path, { matches: /^[^/]+$/, expected: 'data file', hint }),
  toItem: ({ fields: { key, labels: _, ...fields } }) => ({
    ...(key === undefined ? {} : { id: key }),
    ...fields,
  }),
  inspector: async () => readTask,
}
