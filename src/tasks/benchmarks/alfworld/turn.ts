/** Writes the prompt of one turn and parses the reply. */

export const defaultInstructions = `You act in a simulated house to get a task done, with one short text command per turn.
You see what is at the place you went to; what is behind a closed door shows only once it is open. You can carry one thing.
Each turn is asked on its own: beyond the message you remember nothing.
Think first, between <think> and </think>. Then give exactly one command, as it stands in the list of possible ones,
between <action> and </action>. Anything else does nothing and costs a step.`

/** An observation and the action that followed it. */
export interface Step {
  readonly observation: string
  readonly action: string
}

export interface Moment {
  readonly task: string
  readonly steps: readonly Step[]
  readonly maxSteps: number
  /** How many of the latest steps the prompt shows. */
  readonly history: number
  readonly observation: string
  readonly commands: readonly string[]
}

export function turnMessage({ task, steps, maxSteps, history, observation, commands }: Moment): string {
  const shown = history === 0 ? [] : steps.slice(-history)
  const past = shown.map(step => `Observation: ${step.observation}\nAction: ${step.action}`)
  const count =
    steps.length === 0 ? `You have ${maxSteps} steps.` : `Steps so far: ${steps.length} of ${maxSteps}.`
  return [
    `Your task is to: ${task}\n${count}`,
    past.length === 0 ? '' : `What you saw and did last:\n${past.join('\n')}`,
    `Observation: ${observation}`,
    `Possible commands:\n${commands.map(command => `'${command}'`).join('\n')}`,
    'Think between <think> and </think>, then give one of these commands between <action> and </action>.',
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

/** The command in a reply; undefined if there is none between the tags. */
export function actionIn(reply: string): string | undefined {
  const action = /<action>([\s\S]*?)<\/action>/i.exec(reply)?.[1]?.trim().toLowerCase()
  return action === '' ? undefined : action
}

/** The action to take if a reply has no command. */
export const defaultAction = 'look'
