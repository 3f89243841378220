import type { Dice } from '../random.js'

/** Generic prose about decisions, short or long. It shows no knowledge of the field. */

export const genres = {
  brief: { asked: /^Write a brief on (.+)$/m, paragraphs: [2, 3] },
  analysis: { asked: /^Analy[sz]e the decision of (.+)$/m, paragraphs: [5, 9] },
  advice: { asked: /^Advise on (.+)$/m, paragraphs: [3, 4] },
  answer: { asked: /^Answer: (?:should we decide )?(.+)$/m, paragraphs: [0, 1] },
} as const
export type Genre = keyof typeof genres

const leads = [
  'On the question %: a small and reversible start is better than either extreme.',
  'As for %: it pays off where the people concerned feel the problem every week, and hardly elsewhere.',
  'In short, %: most of the value lies in trying it with few people before it becomes a promise to many.',
] as const

const thoughts = [
  'What speaks for it is speed: something that can be seen by customers within weeks teaches more than a plan that is finished after months, and it teaches it while there is still time to change course.',
  'What speaks against it is attention. A small team does one thing well, and each further commitment has to be kept up by the same few people who already carry everything that was promised before.',
  'Money matters less than it seems at first. The bill at the start is small in nearly every variant; what grows over time is the cost of support, of exceptions, and of explaining the exceptions.',
  'Seen from the side of the customers, the change is welcome as long as nothing that they rely on today gets worse, which is why the order of the steps is more important than their number.',
  'Competitors will notice, but they rarely react as fast as one fears. Far more often an internal deadline does the damage, because it forces a choice before there is anything to base it on.',
  'It helps to write down beforehand what would count as a failure. Without that, every result looks like a reason to go on, and nobody can say afterwards when it would have been right to stop.',
  'Hiring is a scenario of its own: with one more experienced person the picture changes, and several of the difficulties above turn into ordinary work that somebody has done more than once.',
  'A slow market changes the picture again. Then patience is cheap, the alternatives stay open for longer, and a decision that is put off by a quarter loses little of what it could have brought.',
  'In a fast market the reverse holds, since what is not taken now is taken by somebody else, and the cost of being late is paid over years and not only once.',
  'Regulation is the last angle. It is seldom a reason against the step itself, but it decides which data may be kept, who has to sign, and how long the first version takes in practice.',
  'There is also a middle way, in which the step is taken for new customers only. It doubles some of the work for a time, and it keeps the door open in both directions until there are figures.',
  'Finally, the people who do the work should be asked. They know which part of today’s way is held together by habit, and which part would break first if something around it changed.',
] as const

const concerns = [
  'It takes more of the team’s time than planned.',
  'Those who rely on today’s way leave before the new one is good enough.',
  'What is learned comes too late to change the course.',
  'It cannot be taken back without breaking a promise.',
] as const

export interface Asked {
  readonly genre: Genre
  readonly topic: string
}

export function askedIn(text: string): Asked | undefined {
  for (const [genre, { asked }] of Object.entries(genres)) {
    const topic = asked.exec(text)?.[1]
    if (topic !== undefined) return { genre: genre as Genre, topic: topic.replace(/[.?!]+$/, '') }
  }
  return undefined
}

/**
 * The text without any demands: an opening and the usual number of paragraphs for its genre. If the skill
 * asks for an exhaustive text, all paragraphs are used.
 */
export function paragraphsOn({ genre, topic }: Asked, isExhaustive: boolean, dice: Dice): readonly string[] {
  const [fewest, most] = genres[genre].paragraphs
  const number = isExhaustive ? thoughts.length : fewest + dice.integer(most - fewest + 1)
  const lead = dice.pick(leads).replace('%', () => topic)
  return [lead, ...dice.shuffle(thoughts).slice(0, number)]
}

export function sectionOn(name: string, dice: Dice): string {
  const points = dice.shuffle(concerns).slice(0, 2)
  return `## ${name}\n\n${points.map(point => `- ${point}`).join('\n')}`
}

export function labelled(name: string, dice: Dice): string {
  const value = /confiden|certain|sure/i.test(name)
    ? dice.pick(['low', 'medium', 'high'] as const)
    : dice.pick(['start small, and look again in a month', 'wait until there are figures'] as const)
  return `${name}: ${value}`
}

/** Shortens a text to the limit. Demanded parts stay; other paragraphs are dropped from the end. */
export function fit(paragraphs: readonly string[], demanded: readonly string[], most: number): string {
  const whole = [...paragraphs, ...demanded].join('\n\n')
  if (whole.length <= most) return whole
  return paragraphs.length > 1 ? fit(paragraphs.slice(0, -1), demanded, most) : whole.slice(0, most)
}
