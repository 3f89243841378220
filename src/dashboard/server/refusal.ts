/** A rejected request: a message, a hint and an HTTP status. */
export class Refusal extends Error {
  constructor(
    readonly status: 401 | 403 | 404 | 405 | 413 | 415,
    message: string,
    readonly hint?: string,
  ) {
    super(message)
  }
}
