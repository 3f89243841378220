/**
 * A person's reaction to the preceding work: a correction, an undo, a request to redo it, or praise. The
 * reaction must address the agent's work, at the start of a sentence or with "you". "The total in the report
 * is wrong" and "the word incorrect is misspelled" are about something else, and so are quotations.
 */
export type Reaction = 'correction' | 'undo' | 'again' | 'praise' | 'go-on'

export interface Reacted {
  readonly reaction: Reaction | undefined
  /** What the prompt also requests, as in "Thanks! Now write the changelog." Empty if nothing. */
  readonly rest: string
}

/**
 * Words that refuse the agent's work, in English, German, French and Spanish. Each line is one alternative,
 * matched at the start of a sentence.
 */
const refusals = pattern(`
  no(?:pe|oo+)?(?=[,.!:;–—-]|$)|nah(?=[,.! ]|$)
  nein(?=[,.!:;–—-]|$)|nee(?=[,.! ]|$)|nö(?=[,.! ]|$)
  non(?=[,.!:;–—-]|$)
`)

const corrections = pattern(`
  not (?:like )?th(?:at|is)(?: way)?(?=[,.!:;]|$)|not what i (?:asked|wanted|meant|said)
  (?:that|this|it)(?:['’]?s| is| was) (?:(?:still|just|completely|totally|simply|all|also|plain) )*(?:wrong|incorrect|nonsense)
  (?:that|this|it)(?:['’]?s| is| was)(?:n['’]t| (?:still )?not) (?:(?:quite|at all|really) )*(?:right|correct|it|what|how|working|enough)
  (?:that|this|it) (?:still )?(?:did|does|do)(?:n['’]?t| not) (?:work|help|fix|compile|build|do)
  wrong(?=[,.!:;]|$)|wrong (?:file|branch|folder|way|approach|function|place|language)
  incorrect(?=[,.!:;]|$)
  i (?:meant|told you|already (?:said|told)|asked (?:you )?(?:for|to)|said (?:to|not|no|that|you))
  why (?:did|have|would) you
  you (?:still )?(?:have |['’]ve )?(?:just |also |again )?(?:forgot(?:ten)?|missed|broke|broken|ignored|misunderstood|misread|overlooked|skipped)
  you['’]ve (?:forgotten|missed|broken|ignored|misunderstood|overlooked|skipped)
  you (?:did(?:n['’]?t| not)|have(?:n['’]?t| not)) (?!need|have to)
  did you (?:forget|miss|ignore|even)
  falsch(?=[,.!:;]|$)|so nicht(?=[,.!:;]|$)
  (?:das|es) (?:ist|war) (?:(?:so|leider|immer noch|komplett|völlig|ganz) )*(?:falsch|verkehrt|nicht (?:richtig|korrekt|das|was|so))
  (?:das|es) stimmt (?:so |leider |immer noch )*nicht
  (?:das|es) (?:geht|funktioniert|klappt|läuft|hilft) (?:(?:so|leider|immer noch|noch|auch|jetzt) )*nicht
  ich (?:meinte|sagte|hab(?:e)? (?:doch |dir )?gesagt|wollte doch)
  warum hast du
  du hast .{0,60}(?<!\\p{L})(?:vergessen|übersehen|kaputt|ignoriert|missverstanden|falsch)
  c['’]est (?:toujours )?(?:faux|incorrect|pas (?:ça|bon|correct|ce que))
  ce n['’]est (?:toujours )?pas (?:ça|ce|correct|bon)
  (?:tu as|vous avez) (?:encore )?(?:oublié|cassé|ignoré|mal)
  ça ne (?:marche|fonctionne|compile) (?:toujours )?pas
  je (?:voulais dire|t['’]ai demandé|vous ai demandé)
  (?:eso|esto) (?:no es|está mal|es incorrecto|no funciona|no sirve)|está mal(?=[,.!:;]|$)
  (?:te )?(?:olvidaste|has olvidado|has roto|rompiste|has ignorado)
  (?:quise decir|te pedí|te dije)
`)

const undos = pattern(`
  (?:undo|revert|roll ?back)(?= (?:that|this|it|those|these|everything|all|your|the last (?:change|edit|step))(?!\\p{L})|[,.!:;]|$)
  take (?:that|this|it) back
  mach(?:e|en)? .{0,40}(?<!\\p{L})rückgängig
  nimm (?:das|es|die änderung(?:en)?) (?:wieder )?zurück
  annule(?:r|z)?(?= (?:ça|cela|tout|ce|ces|tes|vos)(?!\\p{L})|[,.!:;]|$)|reviens en arrière
  (?:deshaz|deshacer|revierte)(?= (?:eso|esto|lo|todo|los|el último)(?!\\p{L})|[,.!:;]|$)
`)

const repetitions = pattern(`
  (?:try|do|run|check) (?:(?:it|that|this) )?(?:again|once more|over)(?!\\p{L})
  again(?=[,.!:;]|$)|once more(?=[,.!:;]|$)
  (?:it |that |this )?still (?:fail(?:s|ing)|broken|wrong|not|red|the same|crash(?:es|ing)|does(?:n['’]?t| not))
  (?:same|the same) (?:error|problem|issue|result|thing)(?: again)?(?=[,.!:;]|$)
  (?:nochmal|noch (?:ein)?mal)(?=[,.!:;]|$| bitte)|versuch(?:e|s| es|['’]s)? .{0,20}(?:nochmal|noch (?:ein)?mal)
  (?:geht |das geht )?immer noch (?:nicht|falsch|rot|der|die|das)
  (?:derselbe|gleicher|der gleiche) fehler
  (?:encore|réessaie|recommence|essaie encore)(?=[,.!:;]|$| une fois)|toujours (?:pas|la même|le même)
  (?:otra vez|de nuevo|inténtalo (?:otra vez|de nuevo))(?=[,.!:;]|$)|sigue (?:sin|fallando|igual)|el mismo error
`)

const praises = pattern(`
  (?:thanks|thank you|thx|perfect|great|nice|awesome|excellent|brilliant|lovely|lgtm|cool|good job|well done|very good)(?!\\p{L})
  (?:that|this|it|looks?|works?)(?: (?:that|this|it))? (?:works?(?: now)?|looks? good|is (?:good|great|perfect))(?=[,.!:;]|$)
  (?:looks good|works|worked)(?=[,.!:;]|$| now| great| fine)
  (?:danke|vielen dank|super|perfekt|klasse|prima|sehr gut|passt|toll)(?!\\p{L})
  (?:das |es )?(?:funktioniert|klappt|läuft)(?: jetzt)?(?=[,.!:;]|$)
  (?:merci|parfait|génial|très bien)(?!\\p{L})
  (?:gracias|perfecto|genial|excelente|muy bien)(?!\\p{L})
`)

const goingOn = new RegExp(
  `^(?:${[
    'y|yes|yep|yeah|ok|okay|k|sure|go|go on|go ahead|continue|proceed|next|do it|do that|sounds good|please do|yes please',
    'ja|jo|gerne|weiter|mach weiter|mach das|los|passt so|einverstanden',
    "oui|vas-y|continue|d[’']accord|sí|si|sigue|adelante|vale|dale",
    '(?:option )?[\\da-d]',
  ].join('|')})[.!, ]*(?:please|bitte)?[.!]*$`,
  'iu',
)

/** Introductory words before the reaction itself. */
const leadIn =
  /^(?:(?:(?:no|nope|nein|non)(?=[,.!])|ok|okay|hm+|well|but|and|oh|ah|sorry|please|thanks|great|nice|aber|und|bitte|danke|tja|mais|pero|actually|eigentlich|hey)(?:[,.!…]+\s*|\s+))+/iu

/** Only the first sentences are searched, because a later match is probably about something else. */
const sentencesHeard = 3
const charactersHeard = 2000

/**
 * Classifies a prompt as a reaction. `answersQuestion` says that the agent had asked a question, so that "no"
 * is an answer and not a complaint.
 */
export function reactionTo(text: string, answersQuestion: boolean): Reacted {
  const all = (reaction: Reaction): Reacted => ({ reaction, rest: '' })
  if (goingOn.test(text.trim())) return all('go-on')
  const heard = sentences(withoutQuotes(text.slice(0, charactersHeard))).slice(0, sentencesHeard)
  const said = heard.flatMap(sentence => [sentence, sentence.replace(leadIn, '')])
  const isSaid = (tried: RegExp) => said.some(sentence => tried.test(sentence))
  if (isSaid(undos)) return all('undo')
  if (isSaid(corrections)) return all('correction')
  if (isSaid(repetitions)) return all('again')
  const [first = ''] = heard
  if (refusals.test(first) || refusals.test(first.replace(leadIn, ''))) {
    return all(answersQuestion ? 'go-on' : 'correction')
  }
  const praise = praises.exec(text.trim())
  if (praise === null) return { reaction: undefined, rest: text }
  const rest = text.trim().slice(praise[0].length)
  // Praise must be followed by a pause or the end: "Great circle distance is wrong" is not praise.
  return /^\s*(?:[,.!:;\n–—-]|$)/u.test(rest)
    ? { reaction: 'praise', rest: rest.replace(/^[\s,.!:;–—-]+/u, '') }
    : { reaction: undefined, rest: text }
}

function pattern(lines: string): RegExp {
  return new RegExp(`^(?:${lines.trim().split(/\n\s*/).join('|')})(?!\\p{L})`, 'iu')
}

function withoutQuotes(text: string): string {
  return text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, ' ')
    .replaceAll(/^\s*>.*$/gm, ' ')
    .replaceAll(/`[^`\n]+`|"[^"\n]*"|„[^“”\n]*[“”]|“[^”\n]*”|«[^»\n]*»/g, ' … ')
}

function sentences(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?;…])\s+|\n+/u)
    .map(sentence => sentence.trim())
    .filter(sentence => sentence !== '')
}
