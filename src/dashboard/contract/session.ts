/** Session data that the pages load first. */
export interface DashboardSession {
  readonly product: string
  /**
   * CSRF token, sent with every POST in the header `x-skillopt-change`; a form on another site cannot know
   * it.
   */
  readonly changeToken: string
  /** The folders whose runs are shown, as the user wrote them. */
  readonly folders: readonly string[]
}

/** Body of every API error: a message of one sentence and a hint on what to do. */
export interface DashboardProblem {
  readonly error: string
  readonly hint?: string
}

export const changeHeader = 'x-skillopt-change'

/**
 * `GET /api/about`, the only response that needs no token. If the port is taken, the command line asks here
 * whether a dashboard uses it.
 */
export interface DashboardAbout {
  readonly dashboard: 'skillopt'
}
