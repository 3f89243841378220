import type { Dice } from '../../simulated/random.js'
import { type Facts, nothingAround, type Persona } from '../persona.js'

const areas = [
  'parser',
  'cache',
  'router',
  'indexer',
  'importer',
  'scheduler',
  'renderer',
  'exporter',
] as const
/** A code change and its visible effect. */
type Pair = readonly [change: string, effect: string]

const changes: readonly [Pair, ...Pair[]] = [
  ['skip empty rows', 'Files with empty rows open without an error'],
  ['retry after a timeout', 'Short outages no longer lose what you typed'],
  ['sort by code point', 'Names with accents are listed where you look for them'],
  ['close idle sockets', 'The program stays small when left open overnight'],
  ['round half to even', 'Totals agree with those of your bank'],
  ['read the locale once', 'Dates appear in the form of your country'],
  ['batch the writes', 'Saving large projects takes half as long'],
  ['validate before the copy', 'A wrong path is reported before anything is overwritten'],
]

function facts(dice: Dice): Facts {
  const [change, effect] = dice.pick(changes)
  return { area: dice.pick(areas), change, effect, issue: String(100 + dice.integer(900)) }
}

export const persona: Persona = {
  title: 'A programmer who writes about changes all day',
  project: 'ledger',
  facts,
  answer: ({ area, change, issue }) => `Worked on the ${area}, it will now ${change}. Closes #${issue}.`,
  conventions: {
    issue: {
      complaints: [
        'no, issues are written as GH-123, not with a number sign',
        'that is wrong. we write GH-123 for an issue',
        'you forgot the form of the issue, GH-123',
        'I told you, GH-123 and never the hash',
      ],
      checks: ({ issue = '' }) => [{ op: 'contains', arg: `GH-${issue}` }],
    },
    area: {
      complaints: [
        'no, the area comes first and then a colon, in the imperative',
        'wrong, begin with the area, a colon, then what it does',
        'I told you, area and colon in front, small letters after it',
      ],
      checks: ({ area = '', change = '' }) => [{ op: 'contains', arg: `${area}: ${change}` }],
    },
    effect: {
      complaints: [
        'no, say what it means for users, not what is in the code',
        'that is not right, users do not care about the code, tell them what they notice',
        'not like that. what users notice, no internals',
      ],
      checks: ({ effect = '' }) => [{ op: 'contains', arg: effect }],
    },
    alone: {
      complaints: [
        'no, just that by itself, nothing around it',
        'not what I asked for. I paste this into the shell, so give it alone',
        'wrong, nothing else around it please, I copy the whole reply',
      ],
      checks: () => nothingAround,
    },
  },
  intents: [
    {
      id: 'commit',
      wants: ['area', 'issue'],
      wordings: [
        'commit subject please',
        'write the commit subject for this',
        'I need a commit subject',
        'what is a good commit subject for this',
      ],
    },
    {
      id: 'changelog',
      wants: ['effect', 'issue'],
      wordings: [
        'changelog line please',
        'write the line for the changelog',
        'add this to the changelog as a line',
        'I need a changelog line on this',
      ],
    },
    {
      id: 'branch',
      wants: ['issue', 'alone'],
      wordings: [
        'what do I call the branch',
        'branch name please',
        'name a branch for this',
        'I need the name of a branch for this',
      ],
    },
    {
      id: 'screenshot',
      wants: ['issue', 'alone'],
      wordings: [
        'what is the screenshot called',
        'screenshot file name please',
        'name the screenshot',
        'I need a name for the screenshot',
      ],
    },
    {
      id: 'pull-request',
      wants: ['area', 'issue'],
      wordings: [
        'pull request title please',
        'write the title of the pull request',
        'title for my pull request',
        'I need a pull request title here',
      ],
    },
    {
      id: 'announcement',
      wants: ['effect', 'issue'],
      wordings: [
        'announcement for the slack channel',
        'announce this in slack',
        'write the announcement for our slack channel',
        'I need to announce this on the slack channel',
      ],
    },
    {
      id: 'customer',
      wants: ['effect', 'issue'],
      wordings: [
        'a reply to the customer who wrote in',
        'answer the customer please',
        'write the reply to our customer',
        'I need a reply for that customer',
      ],
    },
    {
      id: 'standup',
      wants: ['area', 'issue'],
      wordings: [
        'my standup bullet',
        'write a bullet for the standup',
        'standup bullet please',
        'I need a bullet on this for standup',
      ],
    },
    {
      id: 'image',
      wants: ['issue', 'alone'],
      wordings: [
        'which docker tag does the preview get',
        'docker tag for the preview please',
        'I need a docker tag of the preview',
        'make the docker tag for a preview',
      ],
    },
    {
      id: 'roadmap',
      wants: ['effect', 'issue'],
      wordings: [
        'put this on the roadmap',
        'a roadmap milestone please',
        'write the roadmap milestone',
        'I need this as a milestone on our roadmap',
      ],
    },
    {
      id: 'comment',
      wants: ['area', 'issue'],
      wordings: [
        'a comment above the function',
        'write the comment for the function',
        'function comment please',
        'I need a comment on top of this function',
      ],
    },
    {
      id: 'flag',
      wants: ['issue', 'alone'],
      wordings: [
        'which feature flag hides this',
        'a feature flag please',
        'feature flag to hide this',
        'I need the feature flag that hides this',
      ],
    },
    {
      id: 'rollback',
      wants: ['area', 'issue'],
      wordings: [
        'summary of the rollback of this deployment',
        'write the rollback summary for this deployment',
        'rollback summary please, of the deployment below',
        'I need a summary for the deployment rollback',
      ],
    },
    {
      id: 'blog',
      wants: ['effect', 'issue'],
      wordings: [
        'a sentence for the blog article',
        'write the sentence for our blog',
        'blog article sentence please',
        'I need a sentence in the blog article about this',
      ],
    },
  ],
  oneOffs: [
    'why does the linker complain about duplicate symbols on windows only',
    'sketch the schema for an audit trail with soft deletes',
    'estimate how long the move to the new data centre takes',
    'write a haiku about monads for the office door',
    'compare the licence terms of three charting libraries',
    'find out who still uses the legacy SOAP gateway',
  ],
}
