import type { Dice } from '../../simulated/random.js'
import { type Facts, nothingAround, type Persona } from '../persona.js'

const metrics = ['signups', 'refunds', 'visits', 'orders', 'trials', 'renewals', 'tickets sold'] as const

function facts(dice: Dice): Facts {
  const before = 400 + dice.integer(2000)
  const value = before + (dice.chance(0.5) ? 1 : -1) * (20 + dice.integer(300))
  return {
    metric: dice.pick(metrics),
    value: String(value),
    before: String(before),
    week: String(1 + dice.integer(52)),
    year: String(2024 + dice.integer(3)),
  }
}

function percentOf({ value, before }: Facts): string {
  const change = (Number(value) / Number(before) - 1) * 100
  return `${change < 0 ? '-' : '+'}${Math.abs(change).toFixed(1)}`
}

export const persona: Persona = {
  title: 'An analyst who writes about figures all day',
  project: 'metrics',
  facts,
  answer: ({ metric, value, before, week }) =>
    `Here is how we did: our ${metric} came to ${value} in week ${week}, after ${before}.`,
  conventions: {
    first: {
      complaints: [
        'no, the figure comes first, without an introduction',
        'that is wrong. begin with the figure itself',
        'I told you to start with the figure',
      ],
      checks: ({ value = '' }) => [{ op: 'regex', arg: `^\\W*${value}` }],
    },
    percent: {
      complaints: [
        'no, changes in percent with a sign and one decimal',
        'wrong, give the change as a percentage with its sign',
        'you forgot that changes are percentages with a sign',
      ],
      checks: figure => [{ op: 'contains', arg: `${percentOf(figure)}%` }],
    },
    week: {
      complaints: [
        'no, weeks in ISO form, with the year, like 2026-W07',
        'that is not right, a week is the ISO week with its year',
        'I told you that we write weeks as ISO does, year first',
      ],
      checks: ({ year = '', week = '' }) => [{ op: 'contains', arg: `${year}-W${week.padStart(2, '0')}` }],
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
      id: 'report',
      wants: ['first', 'percent', 'week'],
      wordings: [
        'opening of the weekly report please',
        'write the opening of our weekly report',
        'I need the opening for the weekly report',
        'weekly report opening from this',
      ],
    },
    {
      id: 'slack',
      wants: ['first', 'percent'],
      wordings: [
        'message for the slack channel',
        'write the slack message',
        'slack message please',
        'I need a message on this in the slack channel',
      ],
    },
    {
      id: 'email',
      wants: ['first', 'percent'],
      wordings: [
        'a sentence for the email to the director',
        'write the email sentence for the director',
        'email to the director please, one sentence',
        'I need an email sentence to our director on this',
      ],
    },
    {
      id: 'chart',
      wants: ['week', 'alone'],
      wordings: [
        'what do I call the exported chart',
        'chart file name please',
        'name the chart file',
        'I need the name of the chart file I export',
      ],
    },
    {
      id: 'bookmark',
      wants: ['week', 'alone'],
      wordings: [
        'which bookmark does the saved view get',
        'bookmark of the saved view please',
        'I need a bookmark for the saved view',
        'make a bookmark for this saved view',
      ],
    },
    {
      id: 'slide',
      wants: ['first', 'week'],
      wordings: [
        'headline of the slide please',
        'write the slide headline',
        'I need a headline for this slide',
        'slide headline from these',
      ],
    },
    {
      id: 'alert',
      wants: ['first', 'percent', 'week'],
      wordings: [
        'text of the monitoring alert',
        'write the monitoring alert',
        'alert text for monitoring please',
        'I need the alert in our monitoring',
      ],
    },
    {
      id: 'cell',
      wants: ['percent', 'alone'],
      wordings: [
        'what goes into the spreadsheet cell for the trend',
        'trend cell of the spreadsheet please',
        'I need the trend cell in my spreadsheet',
        'fill the trend cell of the spreadsheet',
      ],
    },
    {
      id: 'dashboard',
      wants: ['first', 'percent', 'week'],
      wordings: [
        'caption of the dashboard tile',
        'write the dashboard tile caption',
        'dashboard caption please, below the tile',
        'I need a caption for the tile on the dashboard',
      ],
    },
    {
      id: 'newsletter',
      wants: ['first', 'percent'],
      wordings: [
        'an item for the staff newsletter',
        'write the newsletter item for the staff',
        'staff newsletter item please',
        'I need an item on this in the newsletter',
      ],
    },
    {
      id: 'budget',
      wants: ['first', 'week'],
      wordings: [
        'remark for the budget please',
        'write the budget remark',
        'I need a remark in the budget on this',
        'a remark beside the budget',
      ],
    },
    {
      id: 'label',
      wants: ['week', 'alone'],
      wordings: [
        'which label does the jira ticket get',
        'ticket label please, for jira',
        'I need the label of the jira ticket',
        'make the label for a jira ticket',
      ],
    },
    {
      id: 'agenda',
      wants: ['first', 'percent'],
      wordings: [
        'put this on the agenda of the board',
        'a board agenda point please',
        'write the agenda point for the board',
        'I need this as a point on the board agenda',
      ],
    },
    {
      id: 'forecast',
      wants: ['first', 'percent', 'week'],
      wordings: [
        'a comment to the forecast',
        'write the forecast comment',
        'forecast comment please',
        'I need a comment on the forecast',
      ],
    },
  ],
  oneOffs: [
    'which of our warehouses is closest to the new airport',
    'explain the difference between median and mode to an intern',
    'rewrite the SQL for the churn cohort so that it uses window functions',
    'plan the farewell lunch for the finance team',
    'list the public holidays in Portugal next spring',
    'why does the pivot table forget its column widths',
  ],
}
