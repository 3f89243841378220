/** What the dashboard's pages learn when they begin. */
export interface DashboardSession {
  readonly product: string
  /** Goes with every POST, in the header `x-skillopt-change`: a form on another site cannot know it. */
  readonly changeToken: string
  /** The folders whose runs are shown, as a person wrote them. */
  readonly folders: readonly string[]
}

/** Every refusal of the API: one sentence, and what to do. */
export interface DashboardProblem {
  readonly error: string
  readonly hint?: string
}

export const changeHeader = 'x-skillopt-change'

/** `GET /api/about`, the one answer that needs no token: somebody who finds a port taken learns by what. */
export interface DashboardAbout {
  readonly dashboard: 'skillopt'
}
