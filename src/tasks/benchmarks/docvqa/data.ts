import type { BenchmarkData } from '../../loading/benchmark-data.js'
import { TaskFiles } from '../../loading/files.js'
import { readReleaseFiles } from '../../loading/release.js'
import { readTask } from './index.js'

const hint =
  'The published .parquet tables hold the images inside: write these to files, and the rest as .csv or .jsonl with their paths.'

export const data: BenchmarkData = {
  name: 'DocVQA',
  about: 'Questions about one scanned page of a document; the answer is what stands there.',
  published: [
    { what: 'items with images', address: 'https://huggingface.co/datasets/lmms-lab/DocVQA' },
    { what: 'challenge, with terms of use', address: 'https://rrc.cvc.uab.es/?ch=17' },
    { what: 'splits by id, in data/docvqa_id_split', address: 'https://github.com/microsoft/SkillOpt' },
  ],
  licence: 'not clear: copies say Apache-2.0 or MIT; the pages are from the UCSF Industry Documents Library',
  needs: [
    'a .csv, .jsonl or .json file, or a folder with several: one item per question',
    '`id` (or `questionId`), `question`, a list `answers` (or `answer`), and the path of an image as `image` (or `image_path`)',
    'the images as PNG, JPEG, GIF or WebP files',
    hint,
  ],
  releases: [
    { name: 'train', items: 39_463 },
    { name: 'validation', items: 5349 },
  ],
  splits: { train: 107, val: 53, test: 374 },
  readRelease: path => readReleaseFiles(path, { matches: /^[^/]+$/, expected: 'data file', hint }),
  toItem: ({ fields }) => ({ ...fields, id: fields.id ?? fields.questionId ?? fields.question_id }),
  inspector: async ({ files: imageRoot }) => {
    const files = new TaskFiles()
    return item => readTask(item, files, { imageRoot, detail: 'auto' })
  },
  fileOptions: async ({ folder, files }) => ({ imageRoot: files ?? folder }),
}
