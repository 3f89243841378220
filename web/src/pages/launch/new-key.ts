/** For one wish of a person: sent twice, it is still one. `randomUUID` is only there over HTTPS and on this machine. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
