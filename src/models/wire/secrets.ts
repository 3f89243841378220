const replacement = '[redacted]'

/** What keys of well-known providers look like, also half hidden, as providers quote them in their errors. */
const keyShapes = [/\b(?:sk|pk|rk)-[\w*.-]{6,}/g, /\bBearer\s+[\w*.~+/=-]{6,}/gi]

/** Applied to every message that comes from outside: an endpoint may echo what it was sent. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  // The longest first: one secret may be the beginning of another.
  for (const secret of [...secrets].sort((a, b) => b.length - a.length)) {
    if (secret !== '') clean = clean.replaceAll(secret, replacement)
  }
  for (const shape of keyShapes) clean = clean.replace(shape, replacement)
  return clean
}
