// Converts captured terminal output (text with colour codes, on standard input) to an SVG on standard
// output, so that the picture in the README shows a real run: `tmux capture-pane -e -p | node
// scripts/terminal-picture.mjs > picture.svg`.
import { text } from 'node:stream/consumers'

const colours = ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4']
const [background, foreground, dim] = ['#0d1117', '#e6edf3', '#8b949e']
const [cellWidth, lineHeight, padding] = [8.4, 19, 18]

const escapeXml = value => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const escapeCharacter = String.fromCharCode(27)
const colourCode = new RegExp(`(${escapeCharacter}\\[[\\d;]*m)`)
const withoutColour = line =>
  line
    .split(colourCode)
    .filter(part => !part.startsWith(escapeCharacter))
    .join('')

/** Splits the line into runs of characters with the same style. */
function runsOf(line) {
  let style = {}
  return line.split(colourCode).flatMap(part => {
    if (!part.startsWith(escapeCharacter)) return part === '' ? [] : [{ text: part, style }]
    for (const code of part.slice(2, -1).split(';').map(Number)) {
      if (code === 0) style = {}
      else if (code === 1) style = { ...style, bold: true }
      else if (code === 2) style = { ...style, fill: dim }
      else if (code === 22)
        style = { ...style, bold: false, fill: style.fill === dim ? undefined : style.fill }
      else if (code === 39) style = { ...style, fill: undefined }
      else if (code >= 30 && code <= 37) style = { ...style, fill: colours[code - 30] }
      else if (code >= 90 && code <= 97) style = { ...style, fill: code === 90 ? dim : colours[code - 90] }
    }
    return []
  })
}

const lines = (await text(process.stdin)).replace(/\s+$/, '').split('\n')
const plain = lines.map(withoutColour)
const width = Math.max(...plain.map(line => [...line].length)) * cellWidth + 2 * padding
const height = lines.length * lineHeight + 2 * padding

const body = lines.map((line, row) => {
  let column = 0
  const y = padding + (row + 0.75) * lineHeight
  return runsOf(line)
    .map(({ text: content, style }) => {
      const x = padding + column * cellWidth
      const length = [...content].length
      column += length
      const weight = style.bold ? ' font-weight="700"' : ''
      const fill = style.fill === undefined ? '' : ` fill="${style.fill}"`
      return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" textLength="${(length * cellWidth).toFixed(1)}" xml:space="preserve"${fill}${weight}>${escapeXml(content)}</text>`
    })
    .join('')
})

process.stdout.write(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height.toFixed(0)}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${foreground}">
<rect width="100%" height="100%" rx="8" fill="${background}"/>
${body.join('\n')}
</svg>
`)
