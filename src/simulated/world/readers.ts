import type { ConventionId } from './conventions.js'

/**
 * Parses advice. Each convention has a reader that looks for keywords and numbers, so that paraphrases are
 * recognised. A reader gets the sentence in plain form (see `plainForm`) and as it was written.
 */
type Reader = (plain: string, written: string) => string | undefined

const numberWords: Readonly<Record<string, string>> = {
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
  fifteen: '15',
  fifty: '50',
}

/** Simplifies a sentence: lower case, uniform units and numbers, no values that it advises against. */
function plainForm(sentence: string): string {
  return sentence
    .toLowerCase()
    .replace(/n['’]t\b/g, ' not')
    .replace(/[*_`"'“”]/g, '')
    .replace(/(\d)[, {2}](\d{3})\b/g, '$1$2')
    .replace(/(\d),(\d{1,2})\b/g, '$1.$2')
    .replace(
      /\b(one|two|three|four|five|six|seven|eight|nine|ten|fifteen|fifty)\b/g,
      word => numberWords[word] ?? word,
    )
    .replace(/\b(\d) thousand\b/g, '$1000')
    .replace(/½/g, '0.5')
    .replace(/\bkilo(?:gram(?:me)?)?s?\b/g, 'kg')
    .replace(/\bhalf[- ](?:a )?kg\b/g, '0.5 kg')
    .replace(/\b(?:whole|full|entire) kg\b/g, '1 kg')
    .replace(/€\s?(\d+(?:\.\d+)?)/g, '$1 eur')
    .replace(/\beur (\d+(?:\.\d+)?)/g, '$1 eur')
    .replace(/\beuros?\b|€/g, 'eur')
    .replace(/\b(\d+)[- ]cents?\b/g, (_, cents: string) => `${Number(cents) / 100} eur`)
    .replace(/\b(nearest|whole|full|single|to the) cent\b/g, '$1 0.01 eur')
    .replace(/\b2 decimals?(?: places)?\b/g, '0.01 eur')
    .replace(/\bper ?cent\b/g, '%')
    .replace(/\bday (?:that |when )?(?:the|a) booking (?:is|was) made\b/g, 'booking day')
    .replace(/\b(\d{1,2})(?::(\d{2}))? ?(am|pm)\b/g, (_, hour: string, minutes = '00', half: string) => {
      const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0)
      return `${hours}:${minutes}`
    })
    .replace(/\bnoon\b/g, '12:00')
    .replace(/\b(?:work(?:ing)?[- ]?|business[- ])days?\b/g, 'business day')
    .replace(
      /\b(?:not|never|instead of|rather than|no longer|as opposed to)\s+(?:(?:divide|use|using|apply|charge|add|by|at|to|of|the|a|an|up)\s+){0,3}\d[\d.:]*(?:\s?(?:%|kg|eur))?/g,
      '',
    )
    .replace(/\s+/g, ' ')
    .trim()
}

const moneyWords =
  /\b(price|amount|total|charge[sd]?|premium|cost|quote|fee|bill|invoice|money|figure|sum|eur)\b/

function figure(text: string | undefined): string | undefined {
  const value = Number(text)
  return text === undefined || Number.isNaN(value) ? undefined : String(value)
}

/**
 * Parses a rounding rule to direction and step, such as `up-0.50`. The step is a number with the given unit
 * or without one.
 */
function readRounding(plain: string, unit: 'kg' | 'eur'): string | undefined {
  if (!/\bround|\bnearest\b|\bnext\b|\bmultiple|\bstep|\bincrement|\bexact|\bceil/.test(plain))
    return undefined
  if (/\b(?:not|never|no|without|avoid) round|\bunrounded\b|\bexact\b/.test(plain)) return 'none'
  const withUnit = new RegExp(String.raw`(\d+(?:\.\d+)?) ?${unit}\b`).exec(plain)?.[1]
  const bare =
    /(?:next|nearest|multiples? of|steps? of|increments? of|to) (?:the )?(\d+(?:\.\d+)?)(?! ?(?:kg|eur|%|\d|:))/
  const step = figure(withUnit ?? bare.exec(plain)?.[1])
  if (step === undefined || Number(step) <= 0) return undefined
  const up = /\bup(?:wards?)?\b|\bnext\b|\bceil|\bhigher\b/.test(plain)
  const down = /\bdown(?:wards?)?\b|\blower\b|\btruncate/.test(plain)
  const direction = up ? 'up' : down ? 'down' : 'nearest'
  return `${direction}-${Number(step).toFixed(2)}`
}

const readers: Readonly<Record<ConventionId, Reader>> = {
  'volumetric-divisor': plain => {
    if (!/volum|dimension|cubic|divi|cm3|cm³|l ?[x×*] ?w|length/.test(plain)) return undefined
    return /\b([1-9]\d{3})\b/.exec(plain)?.[1]
  },
  'weight-rounding': plain => {
    if (!/\bkg\b|\bweight/.test(plain)) return undefined
    // "Round the price of each kg" is about money. Its amount must not be taken for a step in kilograms.
    if (/\d ?eur\b/.test(plain) && !/\d ?kg\b/.test(plain)) return undefined
    return readRounding(plain, 'kg')
  },
  'fuel-base': plain => {
    if (!/\bfuel/.test(plain)) return undefined
    const onList =
      /undiscounted|list price|full (?:freight|price)|(?:before|prior to|ahead of|ignor\w+|without) (?:\w+ ){0,4}discount|discount\w* (?:\w+ ){0,4}(?:after|last)|fuel (?:\w+ ){0,4}first|original freight/
    const onDiscounted =
      /(?<!un)discounted|(?:after|once|following|net of) (?:\w+ ){0,4}discount|discount\w* (?:\w+ ){0,3}(?:first|before)|net freight/
    const list = onList.test(plain)
    if (list !== onDiscounted.test(plain)) return list ? 'list' : 'discounted'
    // The sentence mentions both bases. It names the one to use before the one to avoid.
    if (!list) return undefined
    return plain.search(onList) < plain.search(onDiscounted) ? 'list' : 'discounted'
  },
  'money-rounding': plain => {
    if (!moneyWords.test(plain)) return undefined
    if (/\bkg\b|\bweight/.test(plain) && !/\d ?eur\b/.test(plain)) return undefined
    const rule = readRounding(plain, 'eur')
    return rule === 'none' ? undefined : rule
  },
  'money-format': (plain, written) => {
    if (/\bround|\bnearest|\bmultiple|surcharge|remote|insur|discount|divi|\bkg\b|%/.test(plain))
      return undefined
    if (
      !/\b(writ\w+|write|format\w*|giv\w+|stat\w+|show\w*|present\w*|report\w*|express\w*|amounts?|prices?|money|sums?|answers?|currency)\b/.test(
        plain,
      )
    ) {
      return undefined
    }
    if (/\d[.,]\d{2}\s?EUR/.test(written)) return 'amount EUR'
    if (/EUR\s?\d/.test(written)) return 'EUR amount'
    if (/€\s?\d/.test(written)) return '€amount'
    if (
      /(?:without|\bno\b|omit|drop|leave out|leave off) (?:\w+ ){0,3}(?:currency|eur|symbol|unit)/.test(plain)
    ) {
      return 'amount'
    }
    if (/€|euro (?:sign|symbol)/i.test(written)) return '€amount'
    const code = '(?:eur|currency)(?: code)?'
    const number = '(?:amount|number|figure|sum|price|digits)'
    const codeFirst = new RegExp(
      `${code} (?:\\w+ ){0,3}(?:before|in front|ahead|first|precedes|followed by)|(?:start|begin|prefix)\\w* (?:\\w+ ){0,3}${code}|${number} after (?:\\w+ )?${code}`,
    )
    if (codeFirst.test(plain)) return 'EUR amount'
    const codeLast = new RegExp(
      `${code} (?:\\w+ ){0,3}(?:after|behind|last|at the end|follows)|followed by (?:\\w+ ){0,2}${code}|(?:then|end\\w*|suffix\\w*) (?:\\w+ ){0,3}${code}|${number} before (?:\\w+ )?${code}`,
    )
    return codeLast.test(plain) ? 'amount EUR' : undefined
  },
  'remote-surcharge': plain => {
    if (!/\bremote|\boutlying|\bisland/.test(plain)) return undefined
    const percent = figure(/(\d+(?:\.\d+)?) ?%/.exec(plain)?.[1])
    if (percent !== undefined) return `percent-${percent}`
    const flat = figure(/(\d+(?:\.\d+)?) ?eur/.exec(plain)?.[1])
    if (flat !== undefined) return `flat-${flat}`
    return /\b(?:no|without|free of|never) (?:\w+ ){0,3}(?:surcharge|extra|supplement)/.test(plain)
      ? 'flat-0'
      : undefined
  },
  'insurance-rate': plain => {
    if (!/\binsur|\bcover|declared value|\bpremium/.test(plain)) return undefined
    return figure(/(\d+(?:\.\d+)?) ?%/.exec(plain)?.[1])
  },
  'booking-cutoff': plain => {
    if (!/\bcut-?off|\bbook|\bafter\b|\blater\b|\bbefore\b|\buntil\b|\bby\b/.test(plain)) return undefined
    const time = /\b(\d{1,2})[:.h](\d{2})\b/.exec(plain)
    if (time?.[1] === undefined || !/book|cut-?off|order|collect|day/.test(plain)) return undefined
    return Number(time[1]) < 24 ? `${time[1].padStart(2, '0')}:${time[2]}` : undefined
  },
  'first-day': plain => {
    if (/\d:\d|saturday|cut-?off/.test(plain)) return undefined
    if (!/\bday 1\b|\bfirst (?:business )?day|\bcount|\bstart/.test(plain)) return undefined
    const bookingDay = `(?:day of (?:the )?(?:booking|collection)|(?:booking|collection) (?:day|date))`
    const excluded = new RegExp(
      `${bookingDay} (?:itself )?(?:does not|is not|never|not) |(?:not|never|exclud\\w+|without|skip|leave out) (?:\\w+ ){0,2}${bookingDay}`,
    )
    if (excluded.test(plain)) return 'next'
    if (/(?:next|following) business day|day after|(?:next|following) day/.test(plain)) return 'next'
    const included = new RegExp(
      `${bookingDay} (?:itself )?(?:counts|is|as|already)|(?:includ\\w+|with|from|on|count\\w*) (?:\\w+ )?${bookingDay}`,
    )
    return included.test(plain) ? 'same' : undefined
  },
  saturday: plain => {
    if (/monday (?:to|through|-|–) friday/.test(plain)) return 'rest'
    if (!/\bsaturday/.test(plain)) return undefined
    if (/monday (?:to|through|-|–) saturday/.test(plain)) return 'works'
    if (/\bnot\b|never|\bno\b|skip|exclu|closed|rest day|ignore|pass over|leave out|jump/.test(plain))
      return 'rest'
    return /business day|count|includ|deliver|\bwork/.test(plain) ? 'works' : undefined
  },
}

/** All conventions for which a sentence states a value. */
export function readSentence(sentence: string): Map<ConventionId, string> {
  const stated = new Map<ConventionId, string>()
  const plain = plainForm(sentence)
  for (const [id, read] of Object.entries(readers) as [ConventionId, Reader][]) {
    const value = read(plain, sentence)
    if (value !== undefined) stated.set(id, value)
  }
  return stated
}
