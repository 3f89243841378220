import type { Item } from '../../loading/data.js'

/** What a month of the benchmark is called. */
export const monthlyFile = /qa_(\d{6})_final\.json/

/** Its own id, or month and number as the Python SkillOpt has them: numbers begin anew each month. */
export function publishedId({ fields: { id, month, no }, at }: Pick<Item, 'fields' | 'at'>): unknown {
  if (id !== undefined) return id
  const named = month ?? monthlyFile.exec(at)?.[1]
  return no === undefined || named === undefined ? no : `${named}:${no}`
}
