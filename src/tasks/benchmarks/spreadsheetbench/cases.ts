/** Names of the files of one test case in a task's folder. */
export interface CaseNames {
  readonly number: string
  readonly input: string
  readonly gold: string
}

/** Words in the names of a case's input and answer file, in the two releases of the benchmark. */
const pairs = [
  { input: 'input', gold: 'answer' },
  { input: 'init', gold: 'golden' },
] as const

const bare = { number: '1', input: 'initial.xlsx', gold: 'golden.xlsx' }

/**
 * Pairs the input files of a task with their answers: `N_id_input` with `N_id_answer`, `N_id_init` with
 * `N_id_golden`, or just `initial` with `golden`. In one published task the answer file has another task's
 * id, so a file is also used if it is the only one with the number.
 */
export function findCases(
  names: readonly string[],
  id: string,
): { readonly cases: readonly CaseNames[] } | { readonly problem: string } {
  const cases: CaseNames[] = []
  for (const pair of pairs) {
    for (const { name, number } of numbered(names, pair.input)) {
      const expected = `${number}_${id}_${pair.gold}.xlsx`
      const answers = numbered(names, pair.gold).filter(answer => answer.number === number)
      const gold =
        answers.find(answer => answer.name === expected) ?? (answers.length === 1 ? answers[0] : undefined)
      if (gold === undefined) return { problem: `has ${name}, but not ${expected}` }
      cases.push({ number, input: name, gold: gold.name })
    }
  }
  if (cases.length > 0)
    return { cases: cases.sort((one, other) => Number(one.number) - Number(other.number)) }
  const missing = [bare.input, bare.gold].filter(name => !names.includes(name))
  if (missing.length === 0) return { cases: [bare] }
  if (missing.length === 1) return { problem: `has no file ${missing[0]}` }
  return { problem: `has no input such as 1_${id}_input.xlsx, 1_${id}_init.xlsx or initial.xlsx` }
}

function numbered(
  names: readonly string[],
  kind: string,
): readonly { readonly name: string; readonly number: string }[] {
  const pattern = new RegExp(`^([0-9]+)_.*_${kind}\\.xlsx$`, 'i')
  return names.flatMap(name => {
    const number = pattern.exec(name)?.[1]
    return number === undefined ? [] : [{ name, number }]
  })
}
