import { matchesIn } from './sensitive-paths.js'

const url =
  /\b(?:[a-z][a-z0-9+.-]{1,20}:\/\/|hxxps?:\/\/|data:[a-z]+\/|javascript:|mailto:)[^\s<>"'`|\\]{1,500}/gi
const email = /(?<![\w.+-])[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}\b/gi
/** Domain endings that are neither file extensions nor names in code, so that they always count. */
const plainEndings =
  'com|net|org|io|dev|ai|app|xyz|onion|ru|cn|uk|eu|top|site|online|edu|gov|cloud|biz|mobi|de|fr|nl|ch|se|dk|fi|br|jp|kr|tw|hk|sg|vn|ua|kz|ir|il|nz|au|ca|mx|ar|cl|cz|sk|hu|ro|bg|gr|lt|lv|ee|tk|ga|cf|gq|tv|gg|ly|icu|pw|su|website|club|vip|click|corp|intranet|example'
/**
 * Domain endings that may also be file extensions or names in code. They count only before a path or a port.
 */
const otherEndings =
  'info|me|co|to|in|at|is|it|so|us|be|no|es|pt|pl|ml|cc|ws|tr|id|my|sh|rs|st|la|im|fm|am|link|live|store|shop|tech|space|pro|page|zone|host|press|fun|work|life|world|today|news|agency|digital|network|systems|local|internal|lan|zip|mov'
const hostName = String.raw`(?<![\w./@-])(?:[a-z0-9][a-z0-9-]{0,62}(?:\.|\[\.\])){1,6}`
const rest = String.raw`\/[^\s<>"'${'`'}|\\)]{0,300}`
const host = new RegExp(
  [
    String.raw`${hostName}(?:${plainEndings})(?![\w(-]|\.\w)(?::\d{2,5})?(?:${rest})?`,
    String.raw`${hostName}(?:${otherEndings})(?::\d{4,5}(?:${rest})?|(?=/[\w?~@-])${rest})`,
    String.raw`(?<![:\w/])//(?:[a-z0-9][a-z0-9-]{0,62}\.){1,6}[a-z]{2,24}(?![\w(-])(?::\d{2,5})?(?:${rest})?`,
  ].join('|'),
  'g',
)
/** Domain endings that are also extensions of programs. They do not count where a file is likely. */
const fileEndings = 'sh|rs|so|pl|ml|st|in|zip|mov'
const label = '[a-z0-9][a-z0-9-]{0,62}'
const anyHost = `(?<![\\w./@-])(?<host>(?:${label}\\.){1,6}(?:${otherEndings}))(?![\\w(/-]|\\.\\w)`
const hostOnly = anyHost.replace(otherEndings, without(otherEndings, fileEndings))
/** Up to eight words, none of which ends the sentence. */
const words = String.raw`(?:[\w'’,-]{1,30} ){0,8}?`
const quoted = '[`"\'*_<(]{0,3}'

/** Hosts with an ambiguous ending, recognised by the words before or after them. */
const inContext = [
  String.raw`\b(?:[Ss]end|[Pp]ost|[Uu]pload|[Ss]ubmit|[Rr]eport|[Ff]orward|[Tt]ransmit|[Ee]xfiltrate|[Ll]eak|[Bb]eacon) ${words}(?:to|via|through|at) ${quoted}${anyHost}`,
  String.raw`\b(?:[Cc]onnect|[Tt]alk|[Tt]unnel|[Ll]og in|[Rr]edirect|[Pp]oint) (?:to|through|into) ${quoted}${anyHost}`,
  String.raw`\b(?:[Dd]ownload|[Ff]etch|[Pp]ull|[Rr]equest) ${words}from ${quoted}${hostOnly}`,
  String.raw`\b(?:[Dd]ownload|[Ff]etch) ${words}from ${quoted}(?<host>(?:get|raw|cdn|dl)\.(?:${label}\.){1,5}(?:${otherEndings}))(?![\w(/-])`,
  String.raw`\b(?:[Vv]isit|[Pp]ing|[Bb]rowse(?: to)?|[Cc]ontact|[Rr]esolve|[Gg]o to|[Nn]avigate to) ${quoted}${anyHost}`,
  String.raw`\b(?:host|server|domain|website|site|proxy|endpoint|mirror|registry|address)(?: name)?(?: is| at| named|:| =)? ${quoted}${hostOnly}`,
  String.raw`\b(?:domain|website|host name|server) ${quoted}${anyHost}`,
  String.raw`${anyHost} as (?:the |a |your )?(?:${words})(?:host|server|domain|proxy|endpoint|mirror|registry)\b`,
  // In Markdown: the target of a link or an image, and the alternative text of an image.
  String.raw`\]\(\s?<?${hostOnly}(?=[\s>)])`,
  String.raw`^ {0,3}\[[^\]\n]{1,80}\]:\s?<?${hostOnly}(?=[\s>]|$)`,
  String.raw`!\[[^\]\n]{0,200}?${hostOnly}`,
  String.raw`\b(?:src|href|action)\s?=\s?["']?${hostOnly}`,
  String.raw`(?<![\w./@-])(?<host>www\.(?:${label}\.){1,5}[a-z]{2,24})(?![\w(-])`,
  // Hosts with capital letters. Only few endings count, because names of frameworks look alike.
  String.raw`(?<![\w./@-])(?<host>(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,6}(?:com|org|xyz|ru|cn|onion|COM|ORG|XYZ|RU|ONION))(?![\w(-]|\.\w)`,
  // Hosts that contain a variable: looking up such a name sends its value to the domain's owner.
  String.raw`(?<host>(?:\$\([^)\n]{1,80}\)|\$\{?\w{1,30}\}?|\{\{?\s?\w{1,30}\s?\}?\}|<\w{1,30}>)\.(?:${label}\.){0,5}(?:${plainEndings}))(?![\w(-]|\.\w)`,
  // Numbers and names that are addresses in other notations or on other networks.
  String.raw`\b(?:to|from|at|via|host|server) (?<host>0x[0-9a-fA-F]{8}|\d{8,10}:\d{2,5})\b`,
  String.raw`(?<host>\[[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}\]:\d{2,5}|\[[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){4,7}\])`,
  String.raw`(?<![\w.])(?<host>@\w{3,32}) (?:on|via|in|over|through) (?:Telegram|Discord|WhatsApp|Signal|Matrix|Slack|IRC)\b`,
  // Addresses written so that no program turns them into a link.
  String.raw`(?<![\w./@-])(?<host>${label}(?:[[({]\.[\])}]| ?[[({]dot[\])}] ?)(?:${label}\.)?[a-z]{2,24})(?![\w-])`,
  String.raw`\b(?:to|from|at|via|visit|ask|host|server) (?<host>${label} dot (?:com|net|org|io|co|ru|xyz|me|sh|dev))(?![\w-])`,
].map(source => new RegExp(source, 'gm'))

function without(endings: string, excluded: string): string {
  const left = excluded.split('|')
  return endings
    .split('|')
    .filter(ending => !left.includes(ending))
    .join('|')
}

const ipAddress = /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])(?::\d{2,5})?(?:\/[^\s<>"'`|\\)]{0,300})?/g

export function addressesIn(text: string): string[] {
  const urls = matchesIn(text, url)
  const withoutUrls = text.replaceAll(url, ' ')
  const emails = matchesIn(withoutUrls, email)
  const withoutEmails = withoutUrls.replaceAll(email, ' ')
  const hosts = matchesIn(withoutEmails, host)
  const bare = withoutEmails.replaceAll(host, ' ')
  return [
    ...urls,
    ...emails,
    ...hosts,
    ...inContext.flatMap(pattern => [...bare.matchAll(pattern)].map(match => match.groups?.host ?? match[0])),
    ...matchesIn(bare, ipAddress),
  ]
}
