const replacement = '[redacted]'

/** What keys of well-known providers look like, also half hidden, as providers quote them in their errors. */
const keyShapes = [/\b(?:sk|pk|rk)-[\w*.-]{6,}/g, /\bBearer\s+[\w*.~+/=-]{6,}/gi]

/** Applied to every message that comes from outside: an endpoint may echo what it was sent. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  return keyShapes.reduce((clean, shape) => clean.replace(shape, replacement), hideSecrets(text, secrets))
}

/** For what is the agent's work and may well hold something that looks like a key: only what is known is hidden. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  // In an address, such as one to redirect to, a secret is written otherwise.
  const forms = secrets.flatMap(secret => [secret, encodeURIComponent(secret)])
  // The longest first: one secret may be the beginning of another.
  for (const form of forms.sort((a, b) => b.length - a.length)) {
    if (form !== '') clean = clean.replaceAll(form, replacement)
  }
  return clean
}
