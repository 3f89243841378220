/** Marks in prompts that a person or an agent's session answers between two runs of a command. */

export const handoffFormat = 'skillopt.handoff.v1'

export const isHandoff = (model: string): boolean => model.startsWith('handoff/')

/** First line of every handoff prompt. A session that read such a prompt is recognised by it. */
export const handoffMark = (key: string): string => `<!-- skillopt-handoff ${key} -->`

const traces = /skillopt-handoff [0-9a-f]{32}|\b(?:pending|answers)[\\/]+[0-9a-f]{32}\.md/

/**
 * Whether a session answered handoff prompts: its text contains a handoff mark or the name of a handoff file.
 */
export const showsHandoff = (text: string): boolean => traces.test(text)
