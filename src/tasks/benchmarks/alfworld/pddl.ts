/** Parses the part of PDDL that game files use: nested lists of words, whose case does not matter. */

export type Expression = string | readonly Expression[]
type List = readonly Expression[]

/** The facts by predicate; each fact is the list of its arguments. */
export type Facts = ReadonlyMap<string, readonly (readonly string[])[]>

/** The initial facts and the goal of a game. */
interface Problem {
  readonly facts: Facts
  readonly goal: Expression
}

/** Parses a game's PDDL. Throws an `Error` that describes the problem. */
export function readProblem(text: string): Problem {
  const definition = readExpression(text)
  const facts = new Map<string, (readonly string[])[]>()
  for (const fact of sectionOf(definition, ':init')) {
    if (!isFact(fact)) continue
    const [predicate = '', ...parameters] = fact
    const known = facts.get(predicate)
    if (known === undefined) facts.set(predicate, [parameters])
    else known.push(parameters)
  }
  const [goal] = sectionOf(definition, ':goal')
  if (goal === undefined) throw new Error('its goal is empty')
  return { facts, goal }
}

export function withoutComments(text: string): string {
  return text.replace(/;[^\n]*/g, '')
}

function readExpression(text: string): List {
  const top: Expression[] = []
  const open: Expression[][] = [top]
  for (const [token] of withoutComments(text)
    .toLowerCase()
    .matchAll(/[()]|[^\s()]+/g)) {
    const innermost = open.at(-1) ?? top
    if (token === '(') {
      const list: Expression[] = []
      innermost.push(list)
      open.push(list)
    } else if (token === ')') {
      if (open.length === 1) throw new Error('it has a ")" too many')
      open.pop()
    } else innermost.push(token)
  }
  if (open.length > 1) throw new Error('it ends in the middle: a ")" is missing')
  const [definition] = top
  if (definition === undefined || typeof definition === 'string') throw new Error('it is empty')
  return definition
}

function sectionOf(definition: List, name: string): List {
  const found = definition.find(part => typeof part !== 'string' && part[0] === name)
  if (found === undefined || typeof found === 'string') throw new Error(`it has no section "${name}"`)
  return found.slice(1)
}

/** Whether an expression is a fact. Sums such as `(= (total-cost) 0)` are not, because they contain lists. */
export function isFact(expression: Expression): expression is readonly string[] {
  return typeof expression !== 'string' && expression.every(part => typeof part === 'string')
}
