import { describe, expect, it } from 'vitest'
import { fakeIo } from '../../test/support/fake-io.js'
import { exitCodes } from '../core/errors/errors.js'
import type { Library } from './library.js'
import { main } from './main.js'

/** Checks what a Python SkillOpt command line passes on to training and evaluation. */

const result = {
  outcome: 'declined',
  directory: '/nowhere/runs/a',
  view: undefined,
  error: undefined,
  bestSkill: undefined,
} as const

async function given(...argv: readonly string[]) {
  const calls: Record<string, unknown>[] = []
  const take = async (options: object) => {
    calls.push({ ...options })
    return { ...result, splits: [], skills: [], comparisons: [] }
  }
  const library = { train: take, evaluate: take } as unknown as Partial<Library>
  const io = fakeIo<Library>({ library })
  const code = await main(argv, io)
  return { code, err: io.err(), options: calls[0] }
}

describe('flags of the Python SkillOpt', () => {
  it('are passed on under their own names, with what is ours beside them', async () => {
    const { options } = await given(
      ...['train', '--config', 'theirs.yaml', '--split_dir', 'data', '--optimizer_model=gpt-5.5'],
      ...['--cfg-options', 'train.seed=7', 'batch_size=4', '--num_epochs', '2', '--workers', '8'],
      ...['--env', 'searchqa', '--use_gate', 'false', '--max-calls', '9'],
    )
    expect(options).toMatchObject({
      config: 'theirs.yaml',
      cfgOptions: [
        '--split_dir=data',
        '--optimizer_model=gpt-5.5',
        'train.seed=7',
        'batch_size=4',
        '--num_epochs=2',
        '--workers=8',
        '--env=searchqa',
        '--use_gate=false',
      ],
      flags: { 'limits.maxCalls': 9 },
    })
  })

  it('hand the place of the run to --out', async () => {
    expect((await given('train', '--out_root', 'outputs/a')).options).toMatchObject({ out: 'outputs/a' })
    expect((await given('eval', '--out_root=outputs/b')).options).toMatchObject({ out: 'outputs/b' })
  })

  it('go with eval, its skill and its split names', async () => {
    const argv = ['eval', '--config', 'a.yaml', '--skill', 'best.md', '--split', 'valid_unseen']
    const { options } = await given(...argv, '--target_model', 'qwen', '--test_env_num', '5')
    expect(options).toMatchObject({
      skill: ['best.md'],
      split: 'test',
      cfgOptions: ['--target_model=qwen', '--test_env_num=5'],
    })
    expect((await given('eval', '--split', 'selection')).options).toMatchObject({ split: 'val' })
  })

  it('keep values that look strange, but not another flag', async () => {
    const { options } = await given('train', '--azure_openai_endpoint', 'http://a?b=c', '--split_ratio', '-1')
    expect(options).toMatchObject({
      cfgOptions: ['--azure_openai_endpoint=http://a?b=c', '--split_ratio=-1'],
    })
    const { code, err } = await given('train', '--split_dir', '--seed', '7')
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain('--split_dir needs a value.')
    expect((await given('train', '--seed')).err).toContain('--seed needs a value.')
  })

  it('that nobody knows are refused with the nearest', async () => {
    const { code, err } = await given('train', '--num_epoch', '2')
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain(
      '--num_epoch is a flag neither of skillopt train nor of the Python SkillOpt; did you mean --num_epochs?',
    )
    expect((await given('eval', '--zzzzzzzz_qqqqqq', '1')).err).toContain('nor of the Python SkillOpt.\n')
    // A flag without an underscore is not a Python flag.
    expect((await given('train', '--epocs', '2')).err).toContain("unknown option '--epocs'")
  })

  it('are shown by --help --python only', async () => {
    const help = async (...argv: string[]) => {
      const io = fakeIo<Library>()
      expect(await main(argv, io)).toBe(exitCodes.ok)
      return io.out()
    }
    const everyday = await help('train', '--help')
    expect(everyday).not.toMatch(/--cfg-options|--num_epochs/)
    expect(everyday).toContain('Python SkillOpt flags: skillopt train --help --python')
    const python = await help('train', '--help', '--python')
    expect(python).toContain('--cfg-options <section.key=value...>')
    expect(python).toMatch(/^ {2}--num_epochs +train\.epochs$/m)
    expect(python).toContain('--split_dir')
    expect((await given('train', '--python')).err).toContain("unknown option '--python'")
  })

  it('keep their --limit with eval', async () => {
    expect((await given('eval', '--limit', '5')).options).toMatchObject({ cfgOptions: ['--limit=5'] })
  })

  it('are no flags of commands that take no config', async () => {
    expect((await given('runs', '--split_dir', 'data')).err).toContain("unknown option '--split_dir'")
  })
})
