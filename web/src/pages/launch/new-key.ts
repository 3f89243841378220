/** Creates an idempotency key. It does not use `randomUUID`, which needs HTTPS or localhost. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
