import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Compiler errors of code snippets, each checked as if it were in a file near its page. */
export function typeErrors(pieces: readonly { readonly near: string; readonly text: string }[]): string[] {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(root, 'tsconfig.test.json'),
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: diagnostic => {
        throw new Error(messageOf(diagnostic))
      },
    },
  )
  if (config === undefined) throw new Error('tsconfig.test.json cannot be read')
  const texts = new Map(
    pieces.map(({ near, text }, index) => [join(dirname(near), `block-${index}.ts`), text]),
  )
  const host = ts.createCompilerHost(config.options)
  const { fileExists, readFile } = host
  host.fileExists = file => texts.has(file) || fileExists(file)
  host.readFile = file => texts.get(file) ?? readFile(file)
  const program = ts.createProgram([...texts.keys()], config.options, host)
  return [...texts.keys()].flatMap(file => {
    const source = program.getSourceFile(file)
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    return found.map(diagnostic => `${file}: ${messageOf(diagnostic)}`)
  })
}

function messageOf({ messageText }: ts.Diagnostic): string {
  return ts.flattenDiagnosticMessageText(messageText, '\n')
}
