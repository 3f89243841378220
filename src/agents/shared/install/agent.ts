export type Variables = Readonly<Record<string, string | undefined>>

/**
 * Where an agent reads skills and how a user invokes one; docs/installing-a-skill.md links the agents'
 * documentation.
 */
export interface Agent {
  readonly id: string
  readonly title: string
  /** Relative to the project. */
  readonly projectFolder: string
  /** For all projects of a user; follows the variable that the agent itself uses. */
  readonly userFolder: (env: Variables, home: string) => string
  readonly invoke: (name: string) => string
}

/** Treats an empty variable as unset, as the agents themselves do. */
export function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}
