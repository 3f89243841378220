import { join } from 'node:path'
import type { BenchmarkData, FilePlaces } from '../../loading/benchmark-data.js'
import { readReleaseFiles } from '../../loading/release.js'
import { readTask } from './item.js'
import { folderAt, Sources } from './sources.js'

export const data: BenchmarkData = {
  name: 'OfficeQA',
  about:
    'Questions about the bulletins of the US Treasury, to be looked up with tools in documents of hundreds of pages.',
  published: [
    {
      what: 'items and documents; you have to be granted access to the items',
      address: 'https://huggingface.co/datasets/databricks/officeqa',
    },
    { what: 'splits by id, in data/officeqa_id_split', address: 'https://github.com/microsoft/SkillOpt' },
  ],
  licence: 'CC BY-SA 4.0; whoever is granted access promises not to train models on the answers',
  needs: [
    'officeqa_full.csv, or another file with the columns `uid`, `question`, `answer`, `source_files`; `source_docs` and `difficulty` if you like',
    'the documents as text: treasury_bulletins_parsed/transformed/*.txt',
    'treasury_bulletins_parsed/jsons/*.json, if pages are to stand in the prompt (`mode: pages` or `both`)',
  ],
  releases: [
    { name: 'full', items: 246 },
    { name: 'pro', items: 133 },
  ],
  splits: { train: 50, val: 24, test: 172 },
  readRelease: path =>
    readReleaseFiles(path, {
      matches: /^officeqa(?:_full)?\.csv$/,
      expected: 'officeqa_full.csv',
      hint: 'Name the folder that has it, or another file with items.',
    }),
  toItem: ({ fields }) => ({ ...fields, id: fields.uid ?? fields.id }),
  inspector: async places => {
    const sources = await Sources.at(await documentsIn(places))
    return item => readTask(item, sources)
  },
  fileOptions: async places => ({ sourcesDir: await documentsIn(places) }),
}

/** The folder with the documents, which is a subfolder in a published copy. */
async function documentsIn({ folder, files }: FilePlaces): Promise<string> {
  const place = files ?? folder
  return (await folderAt(join(place, 'treasury_bulletins_parsed'))) ?? place
}
