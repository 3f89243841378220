import type { Dice } from '../../simulated/random.js'
import { type Facts, nothingAround, type Persona } from '../persona.js'

const firstNames = [
  'Mira',
  'Jun',
  'Lena',
  'Tomas',
  'Aisha',
  'Pedro',
  'Ingrid',
  'Kofi',
  'Yara',
  'Emil',
] as const
const surnames = ['Okafor', 'Tanaka', 'Vogt', 'Novak', 'Rahman', 'Silva', 'Berg', 'Mensah', 'Haddad'] as const
const subjects = ['Sparse', 'Causal', 'Robust', 'Latent', 'Modular', 'Frugal', 'Shallow', 'Elastic'] as const
const things = ['Routing', 'Attention', 'Retrieval', 'Pruning', 'Sampling', 'Alignment', 'Planning'] as const
const uses = ['Long Contexts', 'Small Devices', 'Noisy Labels', 'Rare Events', 'Open Worlds'] as const

function facts(dice: Dice): Facts {
  const authors = dice
    .shuffle(surnames)
    .slice(0, 3 + dice.integer(2))
    .map(surname => `${dice.pick(firstNames)} ${surname}`)
  const year = 2019 + dice.integer(7)
  // This number is higher than arXiv has ever reached in a month, so no such paper exists.
  const id = `${year % 100}${String(1 + dice.integer(12)).padStart(2, '0')}.9${1000 + dice.integer(9000)}`
  return {
    title: `${dice.pick(subjects)} ${dice.pick(things)} for ${dice.pick(uses)}`,
    authors: authors.join(', '),
    year: String(year),
    arxiv: `${id}v${1 + dice.integer(4)}`,
  }
}

const surnameOf = ({ authors = '' }: Facts): string => authors.split(',')[0]?.split(' ').at(-1) ?? ''
const keyOf = (paper: Facts): string =>
  `${surnameOf(paper)}${paper.year ?? ''}${(paper.title ?? '').split(' ')[0] ?? ''}`.toLowerCase()

export const persona: Persona = {
  title: 'A researcher who writes about papers all day',
  project: 'survey',
  facts,
  answer: ({ authors, title, year, arxiv = '' }) =>
    `${authors}, "${title}" (${year}), https://arxiv.org/abs/${arxiv.replace(/v\d+$/, '')}`,
  conventions: {
    id: {
      complaints: [
        'no, papers on arXiv always with prefix and version, never as a link',
        'that is wrong. I want the arXiv id with its version there, not the URL',
        'you forgot the version of the arXiv id, it goes right behind the number',
        'not like that, it is arXiv, a colon, then the id and the version',
      ],
      checks: ({ arxiv = '' }) => [{ op: 'contains', arg: `arXiv:${arxiv}` }],
    },
    people: {
      complaints: [
        'no, three authors or more are the first surname and et al., not the whole list',
        'I told you: only the first surname, then et al.',
        'that is not right, shorten the authors to the first one et al.',
      ],
      checks: paper => [{ op: 'contains', arg: `${surnameOf(paper)} et al.` }],
    },
    key: {
      complaints: [
        'no, keys are surname, year and first word of the title, all in lower case',
        'wrong, our keys are joined from surname, year and title word in small letters',
        'I told you that a key is lower case: surname, year, first title word',
      ],
      checks: paper => [{ op: 'regex', arg: keyOf(paper) }],
    },
    alone: {
      complaints: [
        'no, just that by itself, nothing around it',
        'not what I asked for. I paste this, so give it alone',
        'wrong, nothing else around it please, I copy the whole reply',
      ],
      checks: () => nothingAround,
    },
  },
  intents: [
    {
      id: 'bibtex',
      wants: ['key', 'id'],
      wordings: [
        'bibtex entry for this one please',
        'I need the BibTeX entry of the following',
        'write a bibtex entry',
        'can you make me a bibtex entry from this',
      ],
    },
    {
      id: 'footnote',
      wants: ['people', 'id'],
      wordings: [
        'a footnote please',
        'write the footnote for this',
        'I need a footnote on the following',
        'could you turn this into a footnote',
      ],
    },
    {
      id: 'slide',
      wants: ['people', 'id'],
      wordings: [
        'the credit at the bottom of my slide',
        'write the credit for a slide',
        'slide credit please',
        'I need a credit on this slide',
      ],
    },
    {
      id: 'email',
      wants: ['people', 'id'],
      wordings: [
        'one sentence for an email to my coauthor that points to this',
        'write a sentence for the email to a coauthor',
        'email sentence for my coauthor please',
        'I need a sentence in an email to the coauthor about this',
      ],
    },
    {
      id: 'key',
      wants: ['key', 'alone'],
      wordings: [
        'which citation key does this get',
        'citation key please',
        'I need the citation key of this',
        'make a citation key',
      ],
    },
    {
      id: 'archive',
      wants: ['key', 'alone'],
      wordings: [
        'where in the archive do I file this',
        'archive path please',
        'I need the path in the archive',
        'which archive path does it get',
      ],
    },
    {
      id: 'readme',
      wants: ['people', 'id'],
      wordings: [
        'acknowledge this in the README',
        'a README acknowledgement please',
        'write the acknowledgement for our readme',
        'I need an acknowledgement of this in the readme',
      ],
    },
    {
      id: 'reading-list',
      wants: ['people', 'id'],
      wordings: [
        'put this on the reading list',
        'a bullet of the reading list please',
        'write the reading list bullet',
        'I want this as a bullet on our reading list',
      ],
    },
    {
      id: 'file-name',
      wants: ['key', 'alone'],
      wordings: [
        'what should the pdf be called',
        'a file name for the pdf please',
        'which filename do I give this pdf',
        'name the pdf file of this',
      ],
    },
    {
      id: 'related-work',
      wants: ['people', 'key'],
      wordings: [
        'a related work sentence with the cite command',
        'write this up for related work, with the cite command',
        'related work sentence please, cite command included',
        'I need this in related work, with a cite command',
      ],
    },
    {
      id: 'newsletter',
      wants: ['people', 'id'],
      wordings: [
        'an item for the group newsletter',
        'write the newsletter item',
        'newsletter item please',
        'I need an item on this in the newsletter of the group',
      ],
    },
    {
      id: 'agenda',
      wants: ['people', 'id'],
      wordings: [
        'the agenda of journal club with this in it',
        'write the journal club agenda',
        'journal club agenda please',
        'I need this on the agenda for the journal club',
      ],
    },
    {
      id: 'tag',
      wants: ['key', 'alone'],
      wordings: [
        'which tag do I use in my notebook app',
        'a notebook tag please',
        'I need the tag for my notebook',
        'make the tag for the notebook',
      ],
    },
    {
      id: 'poster',
      wants: ['people', 'id'],
      wordings: [
        'caption below the figure on our poster',
        'write the poster caption',
        'poster caption please',
        'I need the caption of this figure on the poster',
      ],
    },
    {
      id: 'referee',
      wants: ['people', 'id'],
      wordings: [
        'tell the authors in my referee statement that they overlook this',
        'a referee statement that this is overlooked',
        'referee statement please: they overlook the following',
        'write in the referee statement that they overlooked this',
      ],
    },
  ],
  oneOffs: [
    'why does my laptop fan spin up whenever the training script loads the tokenizer',
    'convert the lab inventory from the wiki into a table sorted by room',
    'draft an apology to the cleaning staff for the glitter on the third floor',
    'compute how many GPU hours we have left until the end of the quarter',
    'translate the visa letter into French',
    'what is the difference between a workshop and a symposium',
  ],
}
