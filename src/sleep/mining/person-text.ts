import { withoutBlocks } from '../../core/text/blocks.js'

/** Blocks that agents put into prompts, wherever they stand in them. */
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

/** A name that nobody writes by hand: as the first or the last block, what a newer agent may put there. */
const blockName = '([a-z]+(?:[_-][a-z]+)+)'
const leadingOpening = new RegExp(`^<${blockName}>`)
const trailingClosing = new RegExp(`</${blockName}>$`)
const longestTag = 80

/** What stands for something that was put in, and says nothing itself. */
const marker = /\[(?:pasted text|image|file|request interrupted)[^\]\n]*\]/gi

/** Sentences with which agents begin prompts of their own. */
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

/** What a person wrote in a prompt, without what the agent put around it; empty if it is nothing of a person. */
export function personText(prompt: string): string {
  const query = /<user_query>([\s\S]*?)(?:<\/user_query>|$)/.exec(prompt)?.[1]
  const own = query ?? commandArguments(prompt) ?? withoutInjected(prompt)
  const text = own.replaceAll(marker, ' ').trim()
  if (agentOpening.test(text) || /^<[\s\S]*>$/.test(text) || isCommand(text)) return ''
  return text
}

function withoutInjected(prompt: string): string {
  let text = withoutBlocks(prompt, injected).trim()
  // Without an end it is a block that was cut off; after something else, somebody writes about it.
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

/** A command with a sentence behind it is a request in the sentence's words; with a word or two it is only a command. */
function commandArguments(prompt: string): string | undefined {
  if (!prompt.slice(0, 200).includes('<command-name>')) return undefined
  const given = /<command-args>([\s\S]*?)<\/command-args>/.exec(prompt)?.[1] ?? ''
  return wordsIn(given) >= mostCommandWords ? given : ''
}

/** `/review`, `/model opus`; not `/tmp/a.log is empty`, and not a command with a sentence behind it. */
function isCommand(text: string): boolean {
  return /^[/!][\w:-]+(?:\s|$)/.test(text) && wordsIn(text) <= mostCommandWords
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter(word => word !== '').length
}
