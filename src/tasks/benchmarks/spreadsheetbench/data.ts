import type { BenchmarkData } from '../../loading/benchmark-data.js'
import { readReleaseFiles } from '../../loading/release.js'
import { readItem } from './items.js'

export const data: BenchmarkData = {
  name: 'SpreadsheetBench',
  about:
    'Questions from Excel forums, each with workbooks; the agent writes Python that puts the right values into cells.',
  published: [
    { what: 'items with workbooks', address: 'https://huggingface.co/datasets/KAKA22/SpreadsheetBench' },
    { what: 'its own pages', address: 'https://github.com/RUCKBReasoning/SpreadsheetBench' },
    {
      what: 'splits by id, in data/spreadsheetbench_id_split',
      address: 'https://github.com/microsoft/SkillOpt',
    },
  ],
  licence: 'CC BY-SA 4.0',
  needs: [
    'dataset.json, or another file with `id`, `instruction`, `instruction_type`, `answer_position`, and `spreadsheet_path`; `answer_sheet` if you like',
    'a folder for each item, as spreadsheet/ID, with its cases: N_ID_input.xlsx and N_ID_answer.xlsx, N_ID_init.xlsx and N_ID_golden.xlsx, or initial.xlsx and golden.xlsx',
    'unpacked: spreadsheetbench_verified_400.tar.gz has 1 case an item, spreadsheetbench_912_v0.1.tar.gz has 3',
  ],
  releases: [
    { name: 'verified', items: 400 },
    { name: 'v0.1', items: 912 },
  ],
  splits: { train: 80, val: 40, test: 280 },
  readRelease: path =>
    readReleaseFiles(path, {
      matches: /^dataset\.json$/,
      expected: 'dataset.json',
      hint: 'Name the folder that has it, unpacked, or another file with items.',
    }),
  toItem: ({ fields }) => fields,
  inspector:
    async ({ files }) =>
    item =>
      readItem(item, files),
  fileOptions: async ({ folder, files }) => ({ files: files ?? folder }),
}
