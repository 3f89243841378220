import { clean } from '../../core/text/format.js'

/**
 * Finished HTML or SVG. Only `element` creates it and escapes all text, so that no text can become markup.
 */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Child = Markup | string | number | undefined | readonly Child[]
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

const childless = new Set(['meta', 'br'])

export function element(name: string, attributes: Attributes, ...children: readonly Child[]): Markup {
  const given = Object.entries(attributes).map(([key, value]) => attribute(key, value))
  const opening = `<${name}${given.join('')}>`
  return new Markup(childless.has(name) ? opening : `${opening}${children.map(textOf).join('')}</${name}>`)
}

export function fragment(...children: readonly Child[]): Markup {
  return new Markup(children.map(textOf).join(''))
}

function attribute(name: string, value: Attributes[string]): string {
  if (value === undefined || value === false) return ''
  if (value === true) return ` ${name}`
  return ` ${name}="${escaped(typeof value === 'number' ? String(rounded(value)) : value)}"`
}

function textOf(child: Child): string {
  if (child === undefined) return ''
  if (child instanceof Markup) return child.text
  if (typeof child === 'object') return child.map(textOf).join('')
  return escaped(String(child))
}

/** Rounds to hundredths of a pixel, which is exact enough and keeps the file small. */
const rounded = (value: number) => Math.round(value * 100) / 100

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return clean(text).replace(/[&<>"']/g, character => entities[character] ?? '')
}
