import { describe, expect, it } from 'vitest'
import { source as pi } from '../../pi/transcripts.js'
import { agentFolder } from './homes.js'

const user = (env: Record<string, string>) => ({ home: '/home/dev', platform: 'linux' as const, env })

describe('where an agent writes', () => {
  it('is where its variable says, a leading ~ being the home', () => {
    const folder = (value: string) => agentFolder(user({ AGENT: value }), ['AGENT'], '.agent')
    expect(folder('/else')).toBe('/else')
    expect(folder('~/else')).toBe('/home/dev/else')
    expect(folder('~')).toBe('/home/dev')
    expect(folder('~other/else')).toBe('~other/else')
    expect(folder('')).toBe('/home/dev/.agent')
  })

  it('is for pi where either of its variables says', () => {
    expect(pi.places(user({}))).toEqual(['/home/dev/.pi/agent/sessions'])
    expect(pi.places(user({ PI_CODING_AGENT_DIR: '/pi' }))).toEqual(['/pi/sessions'])
    expect(
      pi.places(user({ PI_CODING_AGENT_DIR: '/pi', PI_CODING_AGENT_SESSION_DIR: '~/sessions' })),
    ).toEqual(['/home/dev/sessions'])
    expect(pi.places(user({ PI_CODING_AGENT_SESSION_DIR: '' }))).toEqual(['/home/dev/.pi/agent/sessions'])
  })
})
