const names: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }
const characters = new Map(Object.entries(names).map(([character, name]) => [name, character]))

export function xmlText(text: string): string {
  return text.replace(/[&<>"']/g, character => `&${names[character]};`)
}

/** Decodes an element's text, including the numeric character references that other programs write. */
export function readXmlText(xml: string): string {
  return xml.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return characters.get(name) ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code > 0x10ffff ? whole : String.fromCodePoint(code)
  })
}

/** Returns the text of the first element with that name that contains nothing but text. */
export function elementText(xml: string, name: string): string | undefined {
  const [, text] = new RegExp(`<${name}(?:\\s[^>]*)?>([^<]*)</${name}>`).exec(xml) ?? []
  return text === undefined ? undefined : readXmlText(text)
}
