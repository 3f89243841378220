import { describe, expect, it } from 'vitest'
import { lastProgram, programIn, withPaths } from './program.js'

describe('programIn', () => {
  it.each([
    ['of any language, or none', 'So:\n```python\nprint(1)\n```\nand\n```\nprint(2)\n```', 'print(1)\n'],
    ['that is the first one', '```\nprint(2)\n```\n```python\nprint(1)\n```', 'print(2)\n'],
    ['between tildes', '~~~py\nprint(1)\n~~~', 'print(1)\n'],
    ['with another one inside', '````python\ntext = """\n```\n"""\n````', 'text = """\n```\n"""\n'],
    ['that was never closed', 'Here:\n```python\nprint(1)\nprint(2)', 'print(1)\nprint(2)'],
    ['in a list', '1. Program:\n   ```python\nprint(1)\n   ```', 'print(1)\n'],
  ])('finds a block %s', (_, reply, program) => {
    expect(programIn(reply)).toBe(program)
  })

  it.each(['', 'print(1)', 'Use `openpyxl`.', '```python\n```', '```python\n  \n```'])(
    'finds none in %j',
    reply => {
      expect(programIn(reply)).toBeUndefined()
    },
  )

  it('takes the last of an attempt, from the agent only', () => {
    const block = (code: string) => `\`\`\`python\n${code}\n\`\`\``
    const messages = [
      { role: 'user', text: block('asked') },
      { role: 'assistant', text: block('first') },
      { role: 'assistant', text: `${block('second')}\n${block('third')}` },
      { role: 'user', text: block('shown') },
      { role: 'assistant', text: 'DONE' },
    ]
    expect(lastProgram(messages)).toBe('second\n')
    expect(lastProgram(messages.slice(0, 1))).toBeUndefined()
  })
})

describe('withPaths', () => {
  const ours = 'INPUT_PATH = "input.xlsx"\nOUTPUT_PATH = "output.xlsx"\n'

  it.each([
    ['INPUT_PATH = "mine.xlsx"\nload(INPUT_PATH)', 'pass\nload(INPUT_PATH)'],
    ['OUTPUT_PATH: str = "x"', 'pass'],
    ['INPUT_PATH, OUTPUT_PATH = "a", "b"', 'pass'],
    ['if True:\n    OUTPUT_PATH="x"', 'if True:\n    pass'],
    ['if INPUT_PATH == "x": pass', 'if INPUT_PATH == "x": pass'],
    ['MY_INPUT_PATH = INPUT_PATH', 'MY_INPUT_PATH = INPUT_PATH'],
    ['save(OUTPUT_PATH)\nprint("INPUT_PATH = x")', 'save(OUTPUT_PATH)\nprint("INPUT_PATH = x")'],
  ])('puts ours in place of those in %j', (program, rest) => {
    expect(withPaths(program)).toBe(ours + rest)
  })

  it('leaves imports from the future where Python wants them', () => {
    expect(withPaths('from __future__ import annotations\nimport os')).toBe(
      `from __future__ import annotations\n${ours}import os`,
    )
  })
})
