export type Variables = Readonly<Record<string, string | undefined>>

/**
 * Where an agent reads skills and how a user invokes one; docs/installing-a-skill.md links the agents'
 * documentation.
 */
export interface Agent {
  readonly id: string
  readonly title: string
  /** Folder for a project's skills, relative to the project. */
  readonly projectFolder: string
  /**
   * Folder for the user's skills in all projects. It follows the environment variable that the agent itself
   * reads.
   */
  readonly userFolder: (env: Variables, home: string) => string
  readonly invoke: (name: string) => string
}

/** Treats an empty variable as unset, as the agents themselves do. */
export function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}
