import { partsIn } from '../marked-parts.js'
import type { Dice } from '../random.js'

const openings = [
  'Next one. ',
  'And now: ',
  'Here is another one. ',
  'The same for this one, please. ',
  '',
] as const
const names = ['Okafor', 'Lindqvist', 'Moreau', 'Tanaka', 'Silva', 'Novak', 'Haddad', 'Keller'] as const

/**
 * Writes superficial variations of a request: other numbers, other names in the pasted text, another opening.
 * Numbers that the rubric contains stay, because the rubric also judges the variations.
 */
export function writeVariants(text: string, dice: Dice): object {
  const parts = partsIn(text)
  const requests = textsIn(parts.requests)
  const fixed = new Set((parts.rubric ?? '').match(/\d+/g))
  const wanted = Number(/^Variations wanted: (\d+)/m.exec(text)?.[1] ?? 1)
  const variants = Array.from({ length: requests.length === 0 ? 0 : wanted }, (_, index) => {
    const request = requests[index % requests.length] ?? ''
    return `${dice.pick(openings)}${otherNames(otherNumbers(request, fixed, dice), dice)}`
  })
  return { variants }
}

/** Parses lines of one JSON string each. Lines that do not parse are skipped. */
function textsIn(lines: string | undefined): readonly string[] {
  return (lines ?? '').split('\n').flatMap(line => {
    const text: unknown = /^".*"$/.test(line) ? JSON.parse(line) : undefined
    return typeof text === 'string' ? [text] : []
  })
}

/**
 * Varies the numbers in a text. In a date it changes the day, elsewhere the last digit, so that dates stay
 * dates and numbers stay numbers.
 */
function otherNumbers(text: string, fixed: ReadonlySet<string>, dice: Dice): string {
  return text.replaceAll(/(\d{4}-\d{2}-)\d{2}|\d+/g, (number, month: string | undefined) => {
    if (month !== undefined) return `${month}${String(1 + dice.integer(28)).padStart(2, '0')}`
    const last = 1 + ((Number(number.at(-1)) + dice.integer(8)) % 9)
    return fixed.has(number) ? number : `${number.slice(0, -1)}${last}`
  })
}

const pasted = /```[\s\S]*?```|"[^"\n]*"/g
const properName = /(?<=[\p{Ll},:] )\p{Lu}\p{Ll}{2,}/gu

/** Replaces names in a text. All occurrences of a name get the same replacement. */
function otherNames(text: string, dice: Dice): string {
  const drawn = dice.shuffle(names)
  const given = new Map<string, string>()
  const other = (name: string) => {
    const found = given.get(name) ?? drawn[given.size % drawn.length] ?? name
    given.set(name, found)
    return found
  }
  return text.replaceAll(pasted, part => part.replaceAll(properName, other))
}
