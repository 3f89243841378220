import { deskSolver, type Facts } from './desk.js'

/**
 * Solver for texts about program changes. By default the agent describes a change of the code in the past
 * tense and refers to issues with a number sign.
 */

type Form = 'issue' | 'area-first' | 'for-users'
type Keeps = (form: Form) => boolean

const issueOf = ({ issue = '' }: Facts): string => `GH-${issue}`
const headed = ({ area = '', change = '' }: Facts): string => `${area}: ${change}`

const issue = (facts: Facts, keeps: Keeps): string =>
  keeps('issue') ? issueOf(facts) : `#${facts.issue ?? ''}`
const subject = (facts: Facts, keeps: Keeps): string =>
  keeps('area-first') ? headed(facts) : `Worked on the ${facts.area}, it will now ${facts.change}.`
const news = (facts: Facts, keeps: Keeps): string =>
  keeps('for-users') ? (facts.effect ?? '') : `In the ${facts.area}, we ${facts.change}`

export const solver = deskSolver<Form>({
  id: 'changes',
  needs: ['area', 'change', 'issue'],
  forms: {
    issue: {
      wordings: [
        'Name issues as GH-123: the letters GH, a dash and the number, without a number sign.',
        'Issues are written in the form GH-123, never as #123.',
      ],
      isStatedIn: line => /\bGH-/.test(line),
      isKept: (text, facts) => text.includes(issueOf(facts)) && !text.includes('#'),
    },
    'area-first': {
      wordings: [
        'Begin subjects and titles with the area and a colon, then an imperative in small letters.',
        'Put the area in front, followed by a colon; go on in the imperative.',
      ],
      isStatedIn: line => /\barea\b/i.test(line) && /\bcolon\b/i.test(line),
      isKept: (text, facts) => text.includes(headed(facts)),
    },
    'for-users': {
      wordings: [
        'Say what changes for users, and not what was done in the code.',
        'Tell readers the effect on users; internals stay out.',
      ],
      isStatedIn: line => /\busers?\b/i.test(line) && /\b(?:code|internals?|inside)\b/i.test(line),
      isKept: (text, { effect = '' }) => text.includes(effect),
    },
  },
  name: ({ issue: number = '' }) => `Issue ${number}`,
  pieces: [
    {
      asked: /\bcommit\b/i,
      write: (facts, keeps) => `${subject(facts, keeps)} (${issue(facts, keeps)})`,
    },
    {
      asked: /\bchangelog\b/i,
      write: (facts, keeps) => `- ${news(facts, keeps)} (${issue(facts, keeps)})`,
    },
    {
      asked: /\bpull request\b|\bPR\b/i,
      write: (facts, keeps) => `${subject(facts, keeps)} [${issue(facts, keeps)}]`,
    },
    {
      asked: /\bannounce/i,
      write: (facts, keeps) => `Just released: ${news(facts, keeps)} (see ${issue(facts, keeps)})`,
    },
    {
      asked: /\bcustomer/i,
      write: (facts, keeps) => `Good news on your report ${issue(facts, keeps)}: ${news(facts, keeps)}.`,
    },
    {
      asked: /\bstandup\b/i,
      write: (facts, keeps) => `Yesterday: ${subject(facts, keeps)} ${issue(facts, keeps)}`,
    },
    {
      asked: /\broadmap\b/i,
      write: (facts, keeps) => `Next: ${news(facts, keeps)}, tracked in ${issue(facts, keeps)}`,
    },
    {
      asked: /\bcomment\b/i,
      write: (facts, keeps) => `// ${subject(facts, keeps)}, see ${issue(facts, keeps)}`,
    },
    {
      asked: /\brollback\b/i,
      write: (facts, keeps) => `Revert "${subject(facts, keeps)}", which belongs to ${issue(facts, keeps)}`,
    },
    {
      asked: /\bblog\b/i,
      write: (facts, keeps) => `What is new: ${news(facts, keeps)} (${issue(facts, keeps)}).`,
    },
    { asked: /\bbranch\b/i, isName: true, write: (facts, keeps) => `${issue(facts, keeps)}-${facts.area}` },
    { asked: /\bscreenshot\b/i, isName: true, write: (facts, keeps) => `${issue(facts, keeps)}.png` },
    { asked: /\bdocker\b/i, isName: true, write: (facts, keeps) => `preview-${issue(facts, keeps)}` },
    { asked: /\bfeature flag\b/i, isName: true, write: (facts, keeps) => `flag.${issue(facts, keeps)}` },
  ],
  alone: [
    'When the name of a branch, an image or a flag is asked for, reply with it alone.',
    'Where only a name is wanted, give it by itself, with nothing around it.',
  ],
  alwaysAlone: [
    'Reply with the number alone, nothing around it.',
    'Answers are the bare number of the issue and nothing else.',
    'Give the number by itself, without a sentence.',
  ],
  generalities: [
    'Write clearly and to the point.',
    'Think about who is going to read it.',
    'Stay consistent with the history of the project.',
    'Read the facts of a change twice before you use them.',
  ],
})
