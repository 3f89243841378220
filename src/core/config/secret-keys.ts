import { dotted, isSection } from './tree.js'

const secretNames =
  /^(.*[-_])?(api[-_]?key|access[-_]?key|token|secret|password|passwd|authorization|bearer)$/i
const secretEndings = /(ApiKey|AccessKey|AccessToken|AuthToken|Secret|Password)$/

/**
 * Whether the key's name suggests that its value is a secret, and not the name of a variable that holds one.
 */
export function isSecretKey(key: string): boolean {
  return secretNames.test(key) || secretEndings.test(key)
}

/**
 * Returns one problem per secret in a config. Secrets there end up in logs, copies and version control, so
 * none is accepted. The sentences name the option, never the value.
 */
export function secretProblems(data: unknown, where: (path: readonly string[]) => string): string[] {
  const problems: string[] = []
  const visit = (value: unknown, path: readonly string[]): void => {
    const key = path.at(-1) ?? ''
    if (Array.isArray(value))
      for (const [index, inner] of value.entries()) visit(inner, [...path, String(index)])
    else if (isSection(value)) for (const name of Object.keys(value)) visit(value[name], [...path, name])
    else if (typeof value === 'string' && value !== '') {
      const place = `${dotted(path)}${where(path)}`
      if (isSecretKey(key)) {
        problems.push(
          `${place} holds a secret: put the key into an environment variable and name it in apiKeyEnv`,
        )
      } else if (key === 'apiKeyEnv' && !isVariableName(value)) {
        problems.push(
          `${place} must be the name of an environment variable, not the key itself: put the key into an environment variable and name it here`,
        )
      } else if (key === 'endpoint' && /^[a-z]+:\/\/[^/]*@/i.test(value)) {
        problems.push(
          `${place} holds a user name or password: put the key into an environment variable and name it in apiKeyEnv`,
        )
      } else if (key === 'endpoint' && /^[a-z]+:\/\/.*[?#]/i.test(value)) {
        problems.push(
          `${place} has a query: put the key into an environment variable and name it in apiKeyEnv, and write the address without what follows ? or #`,
        )
      }
    }
  }
  visit(data, [])
  return problems
}

/**
 * Whether a text is a variable's name. Keys are long and mix letters with digits; a variable name of that
 * length would contain underscores.
 */
function isVariableName(text: string): boolean {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return false
  return text.length < 24 || text.includes('_') || !/\d/.test(text)
}
