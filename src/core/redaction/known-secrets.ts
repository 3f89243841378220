const replacement = '[redacted]'

/** Key formats of well-known providers, including the partly masked form that they quote in errors. */
const keyShapes = [/\b(?:sk|pk|rk)-[\w*.-]{6,}/g, /\bBearer\s+[\w*.~+/=-]{6,}/gi]

/** Redacts key-like texts and known secrets in messages from outside, which may echo a request. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  return keyShapes.reduce((clean, shape) => clean.replace(shape, replacement), hideSecrets(text, secrets))
}

/** Hides only known secrets, because an agent's work may legitimately contain text that looks like a key. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  // In a URL, such as a redirect target, secrets are percent-encoded.
  const forms = secrets.flatMap(secret => [secret, encodeURIComponent(secret)])
  // Longest first, because one secret may be a prefix of another.
  for (const form of forms.sort((a, b) => b.length - a.length)) {
    if (form !== '') clean = clean.replaceAll(form, replacement)
  }
  return clean
}
