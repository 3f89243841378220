import type { Canary } from '../canaries.js'
import { makeCanaries } from '../canaries.js'
import { type Addition, forms, type PlaceInSession } from './world.js'

/** Number of canaries per place, in the order in which they are distributed. */
const dealt: Readonly<Record<PlaceInSession, number>> = {
  request: 2,
  answer: 64,
  correction: 2,
  input: 22,
  output: 22,
  branch: 1,
  skill: 1,
  id: 1,
  strange: 2,
}
/** Places are either spoken or done: each of the two groups gets every canary. */
const isSpoken = (place: PlaceInSession) =>
  place === 'request' || place === 'answer' || place === 'correction'
/** A name can hold only the secret itself, and only if that is a single word. */
const isName = (place: PlaceInSession) => ['branch', 'skill', 'id'].includes(place)

export interface Planted {
  readonly canaries: readonly Canary[]
  readonly add: Addition
  /** Canaries planted in the spoken places of a format. */
  spokenIn(form: string): ReadonlySet<Canary>
}

/** Plants secrets of every kind in every format and place. Each format starts with a different one. */
export function plantCanaries(): Planted {
  const canaries = makeCanaries()
  const words = canaries.filter(({ isKnownByForm, secret }) => isKnownByForm && /^[\w.-]+$/.test(secret))
  const spoken = new Map(Object.keys(forms).map(form => [form, new Set<Canary>()]))
  const next = new Map<string, number>()
  const names = Object.keys(forms)

  const deal = (form: string, hand: string, from: readonly Canary[], count: number) => {
    const begin = next.get(`${form} ${hand}`) ?? names.indexOf(form) * 17
    next.set(`${form} ${hand}`, begin + count)
    return Array.from({ length: count }, (_, index) => from[(begin + index) % from.length]).filter(
      canary => canary !== undefined,
    )
  }
  return {
    canaries,
    spokenIn: form => spoken.get(form) ?? new Set(),
    add(form, place) {
      if (isName(place)) return deal(form, place, words, dealt[place])[0]?.secret ?? ''
      const some = deal(form, isSpoken(place) ? 'spoken' : 'done', canaries, dealt[place])
      if (isSpoken(place)) for (const canary of some) spoken.get(form)?.add(canary)
      return some.map(({ text }) => text).join('\n')
    },
  }
}

const shortestPart = 12

/** Everything that must not be found: the secret, either half of it, and its encoded forms. */
export function tracesOf({ secret, text }: Canary): readonly string[] {
  const half = Math.max(shortestPart, Math.ceil(secret.length / 2))
  const halves = secret.length > half ? [secret.slice(0, half), secret.slice(-half)] : []
  // Without its end, which depends on the following text.
  const base64 = Buffer.from(secret).toString('base64').slice(0, -4)
  return [
    ...new Set([secret, text, ...halves, base64, JSON.stringify(secret).slice(1, -1), encodeURI(secret)]),
  ]
}

/** Finds secrets, or parts of them, in texts. Reports which one rather than the whole text. */
export function leaksIn(texts: Readonly<Record<string, string>>, canaries: readonly Canary[]) {
  const traces = canaries.flatMap(canary => tracesOf(canary).map(trace => ({ trace, kind: canary.kind })))
  return Object.entries(texts).flatMap(([where, text]) =>
    traces.filter(({ trace }) => text.includes(trace)).map(({ trace, kind }) => ({ where, kind, trace })),
  )
}
