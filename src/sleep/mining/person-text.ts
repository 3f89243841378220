import { withoutBlocks } from '../../core/text/blocks.js'

/** Blocks that agents inject anywhere into prompts. */
const injected = [
  'system-reminder',
  'system_reminder',
  'environment_context',
  'user_instructions',
  'session_context',
  'loaded_context',
  'project_context',
  'untrusted_context',
  'current_datetime',
  'skills_instructions',
  'permissions instructions',
  'ide_opened_file',
  'ide_selection',
  'ide_diagnostics',
  'local-command-caveat',
  'local-command-stdout',
  'local-command-stderr',
  'bash-input',
  'bash-stdout',
  'bash-stderr',
  'command-message',
  'command-contents',
  'persisted-output',
  'task-notification',
  'INSTRUCTIONS',
]

const injectedOpening = new RegExp(`^<(?:${injected.join('|')})>`)

/**
 * Names that nobody types by hand: a first or last block with such a name is probably injected by a newer
 * agent.
 */
const blockName = '([a-z]+(?:[_-][a-z]+)+)'
const leadingOpening = new RegExp(`^<${blockName}>`)
const trailingClosing = new RegExp(`</${blockName}>$`)
const longestTag = 80

/** Placeholders for attachments, without content of their own. */
const marker = /\[(?:pasted text|image|file|request interrupted)[^\]\n]*\]/gi

/** Openings of prompts that agents write themselves. */
const agentOpening = new RegExp(
  [
    'caveat: the messages below',
    'this session is being continued from a previous conversation',
    'please continue the conversation from where we left',
    'base directory for this skill:',
    'stop hook feedback',
    'the user (?:opened|sent) ',
    '# agents\\.md instructions',
    '# /',
    'api error',
    'warmup$',
  ]
    .map(opening => `^${opening}`)
    .join('|'),
  'i',
)

const mostCommandWords = 3

/**
 * Returns the text that a person wrote in a prompt, without injected blocks; empty if the person wrote none
 * of it.
 */
export function personText(prompt: string): string {
  const query = /<user_query>([\s\S]*?)(?:<\/user_query>|$)/.exec(prompt)?.[1]
  const own = query ?? commandArguments(prompt) ?? withoutInjected(prompt)
  const text = own.replaceAll(marker, ' ').trim()
  if (agentOpening.test(text) || /^<[\s\S]*>$/.test(text) || isCommand(text)) return ''
  return text
}

function withoutInjected(prompt: string): string {
  let text = withoutBlocks(prompt, injected).trim()
  // An opening tag at the start without an end is a truncated block; elsewhere, the person is writing about
  // the tag.
  if (injectedOpening.test(text)) return ''
  for (let before = ''; before !== text; ) {
    before = text
    text = withoutTrailingBlock(withoutLeadingBlock(text))
  }
  return text
}

function withoutLeadingBlock(text: string): string {
  const closing = leadingOpening.exec(text.slice(0, longestTag))?.[1]
  const end = closing === undefined ? -1 : text.indexOf(`</${closing}>`)
  return closing === undefined || end === -1 ? text : text.slice(end + closing.length + 3).trimStart()
}

function withoutTrailingBlock(text: string): string {
  const opening = trailingClosing.exec(text.slice(-longestTag))?.[1]
  const start = opening === undefined ? -1 : text.lastIndexOf(`<${opening}>`)
  return start === -1 ? text : text.slice(0, start).trimEnd()
}

/**
 * A command followed by a sentence is a request with the sentence's text; with only a word or two it is just
 * a command.
 */
function commandArguments(prompt: string): string | undefined {
  if (!prompt.slice(0, 200).includes('<command-name>')) return undefined
  const given = /<command-args>([\s\S]*?)<\/command-args>/.exec(prompt)?.[1] ?? ''
  return wordsIn(given) >= mostCommandWords ? given : ''
}

/** Matches `/review` and `/model opus`, but not `/tmp/a.log is empty` or a command followed by a sentence. */
function isCommand(text: string): boolean {
  return /^[/!][\w:-]+(?:\s|$)/.test(text) && wordsIn(text) <= mostCommandWords
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter(word => word !== '').length
}
