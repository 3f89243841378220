import { execFileSync } from 'node:child_process'

/** Systems other than Linux refuse names that are not UTF-8. */
export const hasByteNames = process.platform === 'linux'

/**
 * Creates files that can break a reader of the folder: names that are not UTF-8, a path of more than 4,095
 * bytes, deeply nested folders, and one plain file, `ok`.
 */
export function leaveHostileNames(folder: string): void {
  const code = `import os
open("ok", "w").write("fine")
open(b"not-\\xff-text", "w").write("x")
os.mkdir(b"folder-\\xfe"); open(b"folder-\\xfe/in", "w").write("x")
start = os.getcwd()
for name, count in {"n" * 250: 17, "d": 1500}.items():
  os.chdir(start)
  for _ in range(count):
    os.mkdir(name); os.chdir(name)
  open("last", "w").write("x")`
  execFileSync('python3', ['-c', code], { cwd: folder })
}
