/** For each task of examples/ifeval, a reply that follows all its instructions. */

const words = (count: number) => 'word '.repeat(count)

export const passingReplies: Readonly<Record<string, string>> = {
  'ifeval-1000': `*Youth* and **Reign** and *Legacy*\n\n${words(300)}`,
  'ifeval-1001': 'Hark! We sail for fair Japan at dawn.',
  'ifeval-1005':
    '[name] [address] [phone] [email] [school] [year] [grade] [skill] [club] [sport] [job] [date]',
  'ifeval-1012':
    'Write an email to my boss telling him that I am quitting. The email must contain a title wrapped in double angular brackets, i.e. <<title>>.\n\n<<Notice>>\nI am leaving.',
  'ifeval-1019': 'what are the two young boys playing?',
  'ifeval-1021': 'PARAGRAPH 1\nTHE CLAIM IS TOO BROAD.\n\nPARAGRAPH 2\nA BAD LAW CAN BE CHANGED.',
  'ifeval-1051': 'dear friend, please go and vote.',
  'ifeval-1069': `correlated experiencing ${words(500)}`,
  'ifeval-1072': words(400),
  'ifeval-1082': 'He woke up as pixels.\n***\nHe pressed start.',
  'ifeval-1087': 'a sharp film, well acted.',
  'ifeval-1092': 'A short trip.',
  'ifeval-1098': 'Lord\n******\nCreator',
  'ifeval-1107': 'Rockets are over my head.\n******\nThey always take off.',
}
