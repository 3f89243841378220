import { conceptsOf, isTopic } from './concepts.js'

/**
 * Decides whether a prompt after an answer is about that answer or asks for something new. Only the prompt's
 * form counts: its length, words of closed classes (negation, repetition, sequence, question words) in
 * English, German, French and Spanish, and whether it names an object that was not mentioned before.
 */

export interface FollowUp {
  readonly text: string
  /** The previous request. The agent's answer to it is in `answer`. */
  readonly request: string
  readonly answer: string
}

/** Builds a pattern from alternatives, separated by bars and lines. Each matches only as whole words. */
const words = (lines: string, flags = 'iu', before = '(?<![\\p{L}\\d])'): RegExp =>
  new RegExp(`${before}(?:${lines.trim().split(/\n\s*/).join('|')})(?![\\p{L}\\d])`, flags)
const opening = (lines: string): RegExp => words(lines, 'iu', '^')

const recalled = words(`
  i (?:\\w+ )?(?:said|told|asked|meant|mentioned)|told you|as (?:i )?(?:said|agreed|discussed)|(?:like|as) i (?:said|told)
  we (?:agreed|discussed|talked)|how (?:many times|often)|last time
  wie (?:schon )?(?:gesagt|besprochen|vereinbart)|(?:hab|habe|hatte) ich (?:\\w+ )?gesagt|ich (?:hab|habe|hatte) (?:\\w+ ){0,3}gesagt
  comme (?:je l['’]ai |je t['’]ai |je vous l['’]ai )?(?:déjà )?(?:dit|convenu)|(?:on|nous) (?:en )?(?:avait|avions|avons) (?:parlé|dit|convenu)|je (?:l['’]|te l['’]|vous l['’])?(?:ai|avais) (?:déjà )?dit
  (?:te|se|ya) (?:lo )?dije|como (?:te )?(?:dije|acordamos|quedamos)|(?:habíamos|hemos) (?:dicho|quedado|acordado)
`)

const repeated = words(`
  again|still|once more|yet again|back|as always
  wieder|schon wieder|immer noch|nochmals?|erneut
  encore(?: une fois)?|toujours|de nouveau
  otra vez|de nuevo|todavía|sigue|siguen|aún
`)

const negated = words(`
  no|not|never|none|nobody|nothing|nowhere|without|neither|nor|nonstarter|missing|lacks?
  (?:do|does|did|is|are|was|were|has|have|had|can|could|should|would|must|wo|ca|ai)n['’]?t|cannot
  kein|keine|keinen|keinem|keiner|nicht|nie|niemals|nichts|niemand|ohne|fehlt|fehlen
  pas|jamais|aucune?|rien|sans|ne|personne|manque|manquent
  nunca|ningún|ninguna|nadie|nada|sin|falta|faltan
`)

const norm = words(`
  should|shouldn['’]?t|must|always|only|rather|instead|supposed to|belongs?|too|as well|max|at most|at least|enough|prefer|we (?:only|always|never|don['’]t|write|use|keep|do)
  soll|sollen|sollte|sollten|muss|müssen|immer|nur|lieber|statt|stattdessen|gehört|gehören|höchstens|mindestens|eigentlich|doch|halt
  faut|doit|doivent|devrait|devraient|seulement|uniquement|plutôt|au plus|au moins|aussi
  debe|deben|debería|deberían|hay que|solo|sólo|solamente|siempre|mejor|como mucho|también
`)

const hesitation = opening(`
  h+m+|a+h+|o+h+|u+h+|a+a+nd|wait|hold on|well|but|and again|whoa|argh|ugh|eh|please
  ach|och|nee+|nö|aber|moment|halt|und wieder|bitte|naja
  mais|attends|attendez|euh|et|ah non
  pero|espera|espere|bueno|y|por favor
`)

/** Words that refer to the work just done. */
const anaphora = words(`
  it|its|that|this|these|those|them|they|there|in there|the (?:same|others?|rest|last)
  das|es|dies|diese[mnrs]?|dran|drin|davon|dazu|dabei|damit|darin|da
  ça|cela|ce|ceci|là|là-dedans|celle-ci|celui-ci|les|l['’]
  eso|esto|ese|esa|ahí|lo|los|ello
`)

/**
 * Matches the start of a sentence about what was just done: "that hides it", "das ist", "c'est", "eso está".
 */
const subject = opening(`
  that|this|it|its|it['’]s|that['’]s|there['’]s|those|these|they
  das|dies|es|da|hier
  ça|cela|c['’]est|ce sont|ce n['’]est|il|elle|ils|elles
  eso|esto|está|están|ese|esa
`)

/** Matches the start of a prompt that moves on to the next task: "now", "als nächstes". */
const sequence = new RegExp(
  `^(?:(?:ok(?:ay)?|so+|and|oh|und|et|y|great|thanks|danke|merci|gracias)[,.!… ]+)*(?:${[
    'now|next|then|also|btw|by the way|one more thing|another thing|separately|different topic|next one|finally|after that|after this|additionally',
    'jetzt|nun|dann|danach|als nächstes|übrigens|außerdem|sag mal|noch was|noch eine?|anderes thema|zum schluss|anschließend',
    'maintenant|ensuite|puis|au passage|après ça|autre chose|sinon|par ailleurs|enfin',
    'ahora|luego|después|además|por cierto|otra cosa|a continuación|por último',
  ].join('|')})(?![\\p{L}\\d])`,
  'iu',
)
const addition = words(
  'also|as well as|in addition|außerdem|zusätzlich|également|además|one more|another|and we need',
)

const question = new RegExp(
  `^(?:(?:ok(?:ay)?|so+|and|but|hm+|und|aber|et|mais|y|pero)[,.… ]+)*(?:${[
    "what(?:['’]?s)?(?! about)|where|which|who|whose|when|how(?! about)|why(?! (?:did|have|would) you)",
    'is there|are there|is it|does|do (?:we|i)|can we|could we|may i|should we|am i|did (?:we|i)',
    'was(?! soll)|wo|welche[nrs]?|wer|wann|wie(?! gesagt| besprochen| vereinbart)|warum(?! hast du)|wieso|gibt es|kann man|können wir|haben wir',
    'comment|pourquoi|où|quel(?:le)?s?|combien|qui|est-ce|y a-t-il|peut-on|que',
    '¿(?!y )(?:qué|cómo|dónde|cuál|cuánto|cuándo|quién|por qué|hay|se puede|podemos)?|qué|cómo|dónde|cuál|cuánto|por qué|hay(?! que)',
  ].join('|')})(?![\\p{L}\\d])`,
  'iu',
)

const asking = words(`
  (?:can|could|would|will) you|i(?:['’]d| would) (?:like|love|be)|i (?:need|want)|we need|(?:is|would) it (?:be )?possible|let['’]?s|please make
  kannst du|könntest du|könnten sie|können sie|magst du|würdest du|ich (?:brauche|möchte|hätte)|mach(?:e)? (?:mal |mir |bitte )+
  peux-tu|peux tu|pourrais-tu|pourriez-vous|pouvez-vous|j['’](?:ai besoin|aimerais)|je (?:voudrais|veux)
  puedes|podrías|podría|puede|necesito|quiero|quisiera|me gustaría
`)

/** Imperatives that ask for new work. The verbs in the request vocabulary count as well. */
const task = opening(`
  ajoute[rz]?|crée[rz]?|écri(?:s|vez|re)|explique[rz]?|supprime[rz]?|renomme[rz]?|corrige[rz]?|lance[rz]?|cherche[rz]?|fai(?:s|tes)|génère[rz]?|tradui(?:s|re|sez)|documente[rz]?
  añade|agrega|crea|escribe|explica|elimina|renombra|corrige|ejecuta|busca|haz|genera|traduce|documenta|actualiza
  squash|bisect|port|grep|sum|fuzz|tag|push|profile|benchmark|swap|list|show|find|print|count|estimate|draft|sketch|dump
  zeig(?:e)?|such(?:e)?|find(?:e)?|zähl(?:e)?|list(?:e)?|sortier(?:e)?
`)

/** Imperatives that change the work just done. */
const mending = opening(`
  drop|remove|cut|skip|keep|leave|lose|kill|trim|shorten|undo|revert|strip|throw|put .{1,30} back|take|use|stick|stop|less|more
  lass|nimm|kürz(?:e|er)?|streich(?:e)?|weg|raus|behalt(?:e)?|leg|schreib was
  enlève|retire|garde|laisse|remets|raccourcis|arrête|moins|plus
  quita|deja|mantén|acorta|vuelve|usa|menos|más
`)

/** Words of approval. A short prompt that contains one, but no "but" or "not", is an approval. */
const approval = words(`
  y|yes|yep|yeah|ok|okay|sure|fine|good|great|nice|cool|love|loved|perfect(?:ly)?|best|thanks|thank you|thx|ty|lgtm|wonderful|lovely|awesome|amazing|exactly|works|done|go on|go ahead|ship it
  ja+|jo|jep|gut|super|top|klasse|toll|prima|perfekt|genau|passt|danke|stimmt|weiter|mach weiter|wunderbar|einverstanden
  oui|ouais|d['’]accord|bien|super|parfait(?:e|ement)?|merci|génial|nickel|exactement|vas-y|continue
  sí|si|vale|bien|perfecto|gracias|genial|exacto|estupendo|adelante|de acuerdo|dale
`)

const wordPattern = /[\p{L}][\p{L}'’-]*/gu
const literalPattern = /`[^`]+`|[\w-]*[/_.][\w/_.-]*\w|\b\w*\d\w*\b/gu

/** "Find it" and "mach das" refer to the work just done, so they do not ask for new work. */
const onPronoun =
  /(?:^|[.!?;:,]\s+)(?:please |bitte )?\p{L}+ (?:it|that|this|them|those|das|es|sie|ihn|ça|cela|eso|esto)(?![\p{L}])/iu

const longestReaction = 28
const listen = 1_000

/** A prompt with at least this score counts as a reaction. */
const threshold = 1

/** Classifies a prompt that follows an answer. */
export function followUpKind(given: FollowUp): 'reaction' | 'approval' | 'request' {
  if (isApproval(given.text)) return 'approval'
  return reactionScore(given) >= threshold ? 'reaction' : 'request'
}

const longestApproval = 8

function isApproval(text: string): boolean {
  const all = text.match(wordPattern) ?? []
  const isPlain = ![negated, repeated, norm, recalled].some(pattern => pattern.test(text))
  return isPlain && (all.length === 1 || (all.length <= longestApproval && approval.test(text)))
}

function reactionScore({ text, request, answer }: FollowUp): number {
  const said = withoutQuotes(text.slice(0, listen)).trim()
  if (/^[/!$]\w/.test(said)) return Number.NEGATIVE_INFINITY
  const all = said.match(wordPattern) ?? []
  if (all.length === 0) return 0
  const bare = said.replace(lead, '')
  const has = (pattern: RegExp) => pattern.test(said) || pattern.test(bare)
  const spoken = new Set(
    [...(request.match(wordPattern) ?? []), ...(answer.match(wordPattern) ?? [])].map(fold),
  )
  const isMending = mending.test(bare)
  const isTask =
    !isMending &&
    !onPronoun.test(said) &&
    (task.test(bare) || isAction(all[0]) || isAction((bare.match(wordPattern) ?? [])[0]))
  const fresh = newObjects(all, spoken) + newLiterals(said, `${request} ${answer}`)
  const shared = all.filter(word => word.length > 3 && spoken.has(fold(word)) && !isCommon(word)).length
  let score = 0.75
  if (has(recalled)) score += 2
  if (has(repeated)) score += 1
  if (has(negated)) score += 1
  if (has(norm)) score += 1
  if (hesitation.test(said)) score += 0.75
  if (has(anaphora)) score += 0.5
  if (subject.test(bare)) score += 0.75
  if (isMending) score += 0.75
  if (shared > 0) score += 0.5
  // A prompt of a few words that names no new object can only be about the work just done.
  if (all.length <= 4) score += fresh === 0 ? 0.75 : 0.25
  else if (all.length <= 9 && fresh === 0) score += 0.25
  else if (all.length > longestReaction) score -= 1.5
  if (/[?!]{2,}|…|\.\.\./.test(said)) score += 0.25
  if (sequence.test(said)) score -= 2
  if (has(addition)) score -= 0.75
  if (question.test(said)) score -= 2
  if (asking.test(said)) score -= 1.25
  if (isTask) score -= 1.5
  const isUnrelated = fresh > 0 && shared === 0 && !hesitation.test(said)
  return score - Math.min(1.5, fresh / 2) - (isUnrelated ? 0.5 : 0)
}

/** Filler words before the actual request. */
const lead =
  /^(?:(?:please|pls|plz|bitte|svp|stp|por favor|ok(?:ay)?|so+|and|but|und|aber|et|mais|y|pero|hm+|a+h+|o+h+|ach|nee+|non|no|nein|hey|well|just|mal)[,.!… ]+)+/iu

/** True for a verb of the request vocabulary in its base form, such as "write" or "update". */
function isAction(word: string | undefined): boolean {
  if (word === undefined) return false
  const [concept] = conceptsOf(word.toLowerCase())
  return concept !== undefined && !isTopic(concept)
}

/** Counts the topics in the prompt that neither the previous request nor its answer mentioned. */
function newObjects(all: readonly string[], spoken: ReadonlySet<string>): number {
  const known = new Set([...spoken].flatMap(word => conceptsOf(word)))
  const named = all.flatMap(word => conceptsOf(word.toLowerCase())).filter(isTopic)
  return new Set(named.filter(concept => !known.has(concept))).size
}

function newLiterals(said: string, before: string): number {
  return (said.match(literalPattern) ?? []).filter(literal => !before.includes(literal)).length
}

const fold = (word: string): string => word.toLowerCase().replace(/(?:es|en|er|s|e|n)$/u, '')

const isCommon = (word: string): boolean =>
  negated.test(word) || norm.test(word) || anaphora.test(word) || repeated.test(word)

function withoutQuotes(text: string): string {
  return text.replaceAll(/```[\s\S]*?(?:```|$)/g, ' ').replaceAll(/^\s*>.*$/gm, ' ')
}
