import type { Item } from '../../loading/data.js'

/** File name of a month of the benchmark. */
export const monthlyFile = /qa_(\d{6})_final\.json/

/** The item's own id, or month and number as in the Python SkillOpt, because numbers restart every month. */
export function publishedId({ fields: { id, month, no }, at }: Pick<Item, 'fields' | 'at'>): unknown {
  if (id !== undefined) return id
  const named = month ?? monthlyFile.exec(at)?.[1]
  return no === undefined || named === undefined ? no : `${named}:${no}`
}
