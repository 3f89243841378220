/** Prompts that somebody answers between two runs of a command: an agent's session, or a person. */

export const handoffFormat = 'skillopt.handoff.v1'

export const isHandoff = (model: string): boolean => model.startsWith('handoff/')

/** Stands at the top of every prompt that is written down: whoever has read one is known by it. */
export const handoffMark = (key: string): string => `<!-- skillopt-handoff ${key} -->`

const traces = /skillopt-handoff [0-9a-f]{32}|\b(?:pending|answers)[\\/]+[0-9a-f]{32}\.md/

/** Whether a text of a session shows that prompts of ours were answered in it: the mark, or the name of their files. */
export const showsHandoff = (text: string): boolean => traces.test(text)
