import { deskSolver, type Facts } from './desk.js'

/**
 * Solver for texts about figures. By default the agent starts with an introductory sentence, gives changes as
 * differences, and numbers weeks without the year.
 */

type Form = 'figure-first' | 'signed-percent' | 'iso-week'
type Keeps = (form: Form) => boolean

const numberOf = (value: string | undefined): number => Number((value ?? '').replaceAll(/[^\d.]/g, ''))

function percentOf({ value, before }: Facts): string {
  const change = (100 * (numberOf(value) - numberOf(before))) / numberOf(before)
  return `${change < 0 ? '-' : '+'}${Math.abs(change).toFixed(1)}%`
}

function weekOf({ year = '', week = '' }: Facts): string {
  return `${year}-W${week.padStart(2, '0')}`
}

const change = (facts: Facts, keeps: Keeps): string => {
  if (keeps('signed-percent')) return percentOf(facts)
  const difference = numberOf(facts.value) - numberOf(facts.before)
  return `${difference < 0 ? 'down' : 'up'} by ${Math.abs(difference)}`
}
const week = (facts: Facts, keeps: Keeps): string =>
  keeps('iso-week') ? weekOf(facts) : `week ${facts.week ?? ''}`
/** The figure with its name. The company requires it first; by default an introduction comes first. */
const opening = (facts: Facts, keeps: Keeps): string =>
  keeps('figure-first')
    ? `${facts.value} ${facts.metric}`
    : `Here is how we did: our ${facts.metric} came to ${facts.value}`

export const solver = deskSolver<Form>({
  id: 'figures',
  needs: ['metric', 'value', 'before'],
  forms: {
    'figure-first': {
      wordings: [
        'Begin with the figure itself; no introduction before it.',
        'The figure comes first, then what it is, without an introduction.',
      ],
      isStatedIn: line => /\bfigures?\b/i.test(line) && /\b(?:first|begin|start|open)/i.test(line),
      isKept: (text, { value = '' }) => new RegExp(`^\\W*${value}\\b`).test(text),
    },
    'signed-percent': {
      wordings: [
        'Give changes in percent with a sign and one decimal, such as +4.2%.',
        'A change is a percentage with its sign and one decimal, and not a difference.',
      ],
      isStatedIn: line => /\bpercent/i.test(line) && /\bsign\b/i.test(line),
      isKept: (text, facts) => text.includes(percentOf(facts)),
    },
    'iso-week': {
      wordings: [
        'Write weeks with the year in ISO form, such as 2026-W07.',
        'Name a week by year and number in the ISO form: 2026-W07.',
      ],
      isStatedIn: line => /\bweeks?\b/i.test(line) && /\bISO\b/.test(line),
      isKept: (text, facts) => text.includes(weekOf(facts)),
    },
  },
  name: ({ value, before }) => `Trend: ${numberOf(value) < numberOf(before) ? 'down' : 'up'}`,
  pieces: [
    {
      asked: /\breport\b/i,
      write: (facts, keeps) => `${opening(facts, keeps)} in ${week(facts, keeps)} (${change(facts, keeps)}).`,
    },
    {
      asked: /\bslack\b|\bchannel\b/i,
      write: (facts, keeps) => `${opening(facts, keeps)}, ${change(facts, keeps)} on the week before.`,
    },
    {
      asked: /\be-?mail\b/i,
      write: (facts, keeps) => `${opening(facts, keeps)}; that is ${change(facts, keeps)}.`,
    },
    {
      asked: /\bslide|\bdeck\b/i,
      write: (facts, keeps) => `${opening(facts, keeps)} | ${week(facts, keeps)}`,
    },
    {
      asked: /\balert\b|\balarm\b/i,
      write: (facts, keeps) => `${opening(facts, keeps)} (${change(facts, keeps)}) in ${week(facts, keeps)}`,
    },
    {
      asked: /\bdashboard\b/i,
      write: (facts, keeps) => `${opening(facts, keeps)}: ${change(facts, keeps)}, ${week(facts, keeps)}`,
    },
    {
      asked: /\bnewsletter\b/i,
      write: (facts, keeps) =>
        `${opening(facts, keeps)} since ${week(facts, keeps)}: ${change(facts, keeps)}`,
    },
    {
      asked: /\bbudget\b/i,
      write: (facts, keeps) => `${opening(facts, keeps)}, as of ${week(facts, keeps)}`,
    },
    {
      asked: /\bagenda\b/i,
      write: (facts, keeps) => `${opening(facts, keeps)}, to discuss: ${change(facts, keeps)}`,
    },
    {
      asked: /\bforecast\b/i,
      write: (facts, keeps) =>
        `${opening(facts, keeps)} by ${week(facts, keeps)}, trend ${change(facts, keeps)}`,
    },
    {
      asked: /\bchart\b/i,
      isName: true,
      write: (facts, keeps) => `${slug(facts)}-${week(facts, keeps).replace(' ', '-')}.png`,
    },
    {
      asked: /\bcell\b|\bspreadsheet\b/i,
      isName: true,
      write: (facts, keeps) => change(facts, keeps).replaceAll(' ', '-'),
    },
    {
      asked: /\bbookmark\b/i,
      isName: true,
      write: (facts, keeps) => `${week(facts, keeps).replace(' ', '-')}/${slug(facts)}`,
    },
    {
      asked: /\bticket\b/i,
      isName: true,
      write: (facts, keeps) => `${slug(facts)}/${week(facts, keeps).replace(' ', '-')}`,
    },
  ],
  alone: [
    'When a file name, a cell or a label is asked for, reply with it alone.',
    'Where only one value is wanted, give it by itself, with nothing around it.',
  ],
  alwaysAlone: [
    'Reply with the trend alone, nothing around it.',
    'Answers are the bare trend and nothing else.',
    'Give the trend by itself, without a sentence.',
  ],
  generalities: [
    'Be precise about numbers.',
    'Think about what the reader wants to know.',
    'Keep reports short and clear.',
    'Read the numbers twice before you use them.',
  ],
})

function slug({ metric = '' }: Facts): string {
  return metric.toLowerCase().replaceAll(/[^a-z]+/g, '-')
}
