import type { BenchmarkData } from '../../loading/benchmark-data.js'
import { readReleaseFiles } from '../../loading/release.js'
import { monthlyFile, publishedId } from './id.js'
import { options, readTask } from './index.js'

export const data: BenchmarkData = {
  name: 'LiveMathematicianBench',
  about:
    'Multiple choice on theorems of recent papers: which of five statements is the strongest that holds.',
  published: [
    {
      what: 'items, a file for each month',
      address: 'https://huggingface.co/datasets/LiveMathematicianBench/LiveMathematicianBench',
    },
    {
      what: 'splits by id, in data/livemathematicianbench_id_split',
      address: 'https://github.com/microsoft/SkillOpt',
    },
    { what: 'paper', address: 'https://arxiv.org/abs/2604.01754' },
  ],
  licence: 'not clear: none with the items; the theorems are from papers on arXiv, each under its own',
  needs: [
    'the monthly files qa_YYYYMM_final.json, or one file with items of the same form',
    '`no` (the id becomes YYYYMM:no) and `mcq` with `question`, `correct_choice` and the other `choices`; `theorem`, `sketch` and `theorem_type` beside it',
  ],
  releases: [{ name: '202511 to 202602', items: 177 }],
  splits: { train: 35, val: 18, test: 124 },
  readRelease: path =>
    readReleaseFiles(path, {
      matches: monthlyFile,
      expected: 'file qa_YYYYMM_final.json',
      hint: 'Name the folder with the monthly files, or one file with items.',
    }),
  toItem: item => ({ ...item.fields, id: publishedId(item) }),
  inspector: async () => {
    const given = options.parse({})
    return item => readTask(item, given)
  },
}
