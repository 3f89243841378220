import { isUtf8 } from 'node:buffer'
import { InputError } from '../../../core/errors/errors.js'
import { hiddenTextIn } from '../../../core/skill/hidden-text.js'
import { listed } from '../../../core/text/format.js'
import type { SkillFile } from './supporting-files.js'

/** Refuses files with text that the agent reads but a person cannot see. */
export function refuseHiddenText(files: readonly SkillFile[]): void {
  const places = files.filter(({ content }) => isUtf8(content) && !content.includes(0)).flatMap(placesIn)
  if (places.length === 0) return
  throw new InputError(
    `The skill holds text that the agent reads and a person does not see: ${listed(places)}.`,
    {
      hint: 'Nothing was installed. Remove it from the file, or pass --allow-hidden if you know what it says.',
    },
  )
}

function placesIn({ path, content }: SkillFile): string[] {
  const isMarkdown = /\.(?:md|mdx|markdown)$/i.test(path)
  return hiddenTextIn(content.toString('utf8'), { isMarkdown }).map(
    ({ line, what }) => `${path}, line ${line}: ${what}`,
  )
}
