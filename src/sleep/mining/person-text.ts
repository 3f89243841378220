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
 * Names that nobody types by hand. A block with such a name at the start or end of a prompt was probably
 * injected by a newer agent.
 */
const blockName = '([a-z]+(?:[_-][a-z]+)+)'
const leadingOpening = new RegExp(`^<${blockName}>`)
const trailingClosing = new RegExp(`</${blockName}>$`)
const longestTag = 80

/** Placeholders for attachments. They carry no content of their own. */
const marker = /\[(?:pasted text|image|file|request interrupted)[^\]\n]*\]/gi

/** Opening words of prompts that agents write themselves. */
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

/** Returns what a person wrote in a prompt, without injected blocks. Empty if the agent wrote all of it. */
export function personText(prompt: string): string {
  const query = /<user_query>([\s\S]*?)(?:<\/user_query>|$)/.exec(prompt)?.[1]
  const own = query ?? commandArguments(prompt) ?? withoutInjected(prompt)
  const text = own.replaceAll(marker, ' ').trim()
  if (agentOpening.test(text) || /^<[\s\S]*>$/.test(text) || isCommand(text)) return ''
  return text
}

function withoutInjected(prompt: string): string {
  let text = withoutBlocks(prompt, injected).trim()
  // An opening tag at the start without its end is a truncated block. Elsewhere the person is writing about
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
 * Returns the arguments of a command such as `/review`. If they are a sentence, they are the request. If they
 * are a few words, such as a number, the command itself is the request, since nothing recurs more clearly
 * than a command.
 */
function commandArguments(prompt: string): string | undefined {
  if (!prompt.slice(0, 200).includes('<command-name>')) return undefined
  const given = /<command-args>([\s\S]*?)<\/command-args>/.exec(prompt)?.[1]?.trim() ?? ''
  if (wordsIn(given) >= mostCommandWords || given === '') return given
  return `${/<command-name>\s*([^<\s]*)/.exec(prompt)?.[1] ?? ''} ${given}`
}

/** Commands built into agents. They steer the session and ask for no work. */
const builtIn = new Set(
  `add-dir agents approvals bashes branch chat clear compact compress config context copy cost cd doctor editor exit export
   fast feedback bug help hooks ide init install login logout mcp memory model models new permissions plan plugin plugins
   privacy-settings quit rename reset restore resume rewind sandbox sandbox-mode settings share skills status statusline
   stats theme themes think thinking tools undo upgrade usage vim effort provider quota directory auth approval-mode mode`
    .trim()
    .split(/\s+/),
)

/** Matches `/model opus`, but not `/review 845`, `/tmp/a.log is empty` or a command followed by a sentence. */
function isCommand(text: string): boolean {
  const [, mark, name = ''] = /^([/!])([\w:-]+)(?:\s|$)/.exec(text) ?? []
  if (mark === undefined || wordsIn(text) > mostCommandWords) return false
  return mark === '!' || builtIn.has(name.toLowerCase()) || wordsIn(text) === 1
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter(word => word !== '').length
}
