export type Variables = Readonly<Record<string, string | undefined>>

/** Where an agent reads skills, and how a person calls one; its documentation is named in docs/installing-a-skill.md. */
export interface Agent {
  readonly id: string
  readonly title: string
  /** Below the project. */
  readonly projectFolder: string
  /** For all projects of a person; the variable is the one that the agent itself obeys. */
  readonly userFolder: (env: Variables, home: string) => string
  readonly invoke: (name: string) => string
}

/** An empty variable is one that is not set, as for the agents themselves. */
export function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}
