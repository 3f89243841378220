import { deskSolver, type Facts } from './desk.js'

/**
 * Solver for texts about papers. By default the agent links to arXiv without a version, lists all authors,
 * and builds keys from a name and a year.
 */

type Form = 'versioned-id' | 'et-al' | 'key'
type Keeps = (form: Form) => boolean

const authorsOf = ({ authors = '' }: Facts): readonly string[] => authors.split(/\s*,\s*/)
const surnameOf = (name: string): string => name.split(' ').at(-1) ?? name
const firstSurname = (facts: Facts): string => surnameOf(authorsOf(facts)[0] ?? '')
const versioned = ({ arxiv = '' }: Facts): string => `arXiv:${arxiv}`

const skipped = new Set(['a', 'an', 'the', 'on', 'of'])

function houseKey(facts: Facts): string {
  const words = (facts.title ?? '').toLowerCase().match(/[a-z]+/g) ?? []
  const word = words.find(each => !skipped.has(each)) ?? ''
  return `${firstSurname(facts).toLowerCase()}${facts.year ?? ''}${word}`
}

const paper = (facts: Facts, keeps: Keeps): string =>
  keeps('versioned-id')
    ? versioned(facts)
    : `https://arxiv.org/abs/${(facts.arxiv ?? '').replace(/v\d+$/, '')}`
const people = (facts: Facts, keeps: Keeps): string =>
  keeps('et-al') && authorsOf(facts).length > 2
    ? `${firstSurname(facts)} et al.`
    : authorsOf(facts).join(', ')
const key = (facts: Facts, keeps: Keeps): string =>
  keeps('key') ? houseKey(facts) : `${firstSurname(facts)}_${facts.year ?? ''}`

export const solver = deskSolver<Form>({
  id: 'references',
  needs: ['title', 'authors', 'arxiv'],
  forms: {
    'versioned-id': {
      wordings: [
        'Refer to a paper on arXiv by its id with prefix and version, such as arXiv:2401.00001v2, and not by a link.',
        'arXiv papers are named by prefix, id and version; a URL without the version is not enough.',
      ],
      isStatedIn: line => /\barxiv\b/i.test(line) && /\bversion/i.test(line),
      isKept: (text, facts) => text.includes(versioned(facts)) && !text.includes('arxiv.org'),
    },
    'et-al': {
      wordings: [
        'With three authors or more, name the first by surname and add et al.',
        'Shorten long lists of authors to the first surname followed by et al.',
      ],
      isStatedIn: line => /\bet al\b/i.test(line),
      isKept: (text, facts) =>
        text.includes(`${firstSurname(facts)} et al.`) &&
        !authorsOf(facts)
          .slice(1)
          .some(author => text.includes(surnameOf(author))),
    },
    key: {
      wordings: [
        'Citation keys are the first surname, the year and the first word of the title, in lower case and without separators.',
        'Form keys as surname, year and first title word, all in small letters and joined.',
      ],
      isStatedIn: line => /\bkeys?\b/i.test(line) && /\b(?:lower ?case|small letters)\b/i.test(line),
      isKept: (text, facts) => text.includes(houseKey(facts)),
    },
  },
  name: ({ arxiv = '' }) => `arXiv ${arxiv.replace(/v\d+$/, '')}`,
  pieces: [
    {
      asked: /\bbibtex\b/i,
      write: (facts, keeps) =>
        [
          `@misc{${key(facts, keeps)},`,
          `  author = {${authorsOf(facts).join(' and ')}},`,
          `  title = {${facts.title}},`,
          `  year = {${facts.year}},`,
          `  note = {${paper(facts, keeps)}}\n}`,
        ].join('\n'),
    },
    {
      asked: /\bfootnote/i,
      write: (facts, keeps) =>
        `${people(facts, keeps)}, “${facts.title}”, ${facts.year}, ${paper(facts, keeps)}.`,
    },
    {
      asked: /\bslide|\bdeck\b/i,
      write: (facts, keeps) => `Source: ${people(facts, keeps)} (${facts.year}), ${paper(facts, keeps)}`,
    },
    {
      asked: /\be-?mail\b/i,
      write: (facts, keeps) =>
        `Have you seen “${facts.title}” by ${people(facts, keeps)}? It is ${paper(facts, keeps)}.`,
    },
    {
      asked: /\breading list\b/i,
      write: (facts, keeps) =>
        `- ${people(facts, keeps)}: ${facts.title} (${facts.year}), ${paper(facts, keeps)}`,
    },
    {
      asked: /\breadme\b/i,
      write: (facts, keeps) =>
        `This code follows ${people(facts, keeps)}, “${facts.title}” (${paper(facts, keeps)}).`,
    },
    {
      asked: /\bnewsletter\b/i,
      write: (facts, keeps) =>
        `New this month: “${facts.title}” by ${people(facts, keeps)}, ${paper(facts, keeps)}.`,
    },
    {
      asked: /\bagenda\b/i,
      write: (facts, keeps) =>
        `14:00 Discussion of ${people(facts, keeps)}, “${facts.title}” (${paper(facts, keeps)})`,
    },
    {
      asked: /\bposter\b/i,
      write: (facts, keeps) => `After ${people(facts, keeps)}, ${facts.year}; ${paper(facts, keeps)}`,
    },
    {
      asked: /\brelated work\b/i,
      write: (facts, keeps) =>
        `${people(facts, keeps)} study the same question in “${facts.title}” \\cite{${key(facts, keeps)}}.`,
    },
    {
      asked: /\breferee\b/i,
      write: (facts, keeps) =>
        `The authors overlook ${people(facts, keeps)}, “${facts.title}” (${paper(facts, keeps)}).`,
    },
    {
      asked: /\bfile ?name\b|\bpdf\b/i,
      isName: true,
      write: (facts, keeps) => `${key(facts, keeps)}.pdf`,
    },
    { asked: /\barchive\b/i, isName: true, write: (facts, keeps) => `papers/${key(facts, keeps)}` },
    { asked: /\btag\b/i, isName: true, write: (facts, keeps) => `#${key(facts, keeps)}` },
    { asked: /\bkey\b/i, isName: true, write: key },
  ],
  alone: [
    'When a key, a tag or a file name is asked for, reply with it alone.',
    'Where only a name is wanted, give it by itself, with nothing around it.',
  ],
  alwaysAlone: [
    'Reply with the identifier alone, nothing around it.',
    'Answers are the bare identifier and nothing else.',
    'Give the identifier by itself, without a sentence.',
  ],
  generalities: [
    'Take care that references are consistent.',
    'Read the facts of a paper twice before you use them.',
    'Keep to the usual style of the field.',
    'References should be complete and easy to follow.',
  ],
})
