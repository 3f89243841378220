/** What the dashboard does not do: a sentence, what to do instead, and the status that says so to programs. */
export class Refusal extends Error {
  constructor(
    readonly status: 401 | 403 | 404 | 405 | 413 | 415,
    message: string,
    readonly hint?: string,
  ) {
    super(message)
  }
}
