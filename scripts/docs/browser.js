const root = document.documentElement.dataset.root
const find = selector => document.querySelector(selector)

// The menu of narrow screens
const menu = find('.menu')
menu.addEventListener('click', () => {
  const open = find('#navigation').classList.toggle('open')
  menu.setAttribute('aria-expanded', String(open))
})

// Light or dark: what the system says until the reader chooses
find('.colors').addEventListener('click', () => {
  const { style } = document.documentElement
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  style.colorScheme = (style.colorScheme || system) === 'dark' ? 'light' : 'dark'
  localStorage.setItem('colors', style.colorScheme)
})

// Search: every word must occur in a section; headings count most
const input = find('.search input')
const results = find('.results')
let loading

function load() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = `${root}search-index.js`
    script.onload = () => resolve(window.searchIndex)
    script.onerror = () => reject(new Error('The search index cannot be loaded.'))
    document.head.append(script)
  })
  return loading
}

function score(entry, words) {
  const [heading, page, text] = [entry.heading, entry.page, entry.text].map(part => part.toLowerCase())
  const each = words.map(
    word => 8 * heading.includes(word) + 4 * page.includes(word) + Math.min(3, text.split(word).length - 1),
  )
  return each.includes(0) ? 0 : each.reduce((sum, value) => sum + value, 0)
}

function element(tag, text) {
  const made = document.createElement(tag)
  made.textContent = text
  return made
}

/** The text around the first word of the search that it has, with that word marked. */
function excerpt(text, words) {
  const word = words.find(candidate => text.toLowerCase().includes(candidate)) ?? ''
  const at = text.toLowerCase().indexOf(word)
  const start = Math.max(0, at - 60)
  const before = `${start > 0 ? '…' : ''}${text.slice(start, at)}`
  return [before, element('mark', text.slice(at, at + word.length)), text.slice(at + word.length, at + 110)]
}

function resultLink(entry, words) {
  const link = document.createElement('a')
  link.href = root + entry.href
  const title = entry.heading === entry.page ? entry.page : `${entry.page} › ${entry.heading}`
  link.append(element('b', title), ...excerpt(entry.text, words))
  return link
}

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  results.hidden = words.length === 0
  if (words.length === 0) return
  const found = (await load())
    .map(entry => ({ entry, points: score(entry, words) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, 8)
  const links = found.map(({ entry }) => resultLink(entry, words))
  results.replaceChildren(...(links.length > 0 ? links : [element('p', 'Nothing found.')]))
}

input.addEventListener('input', search)
input.addEventListener('focus', search)
document.addEventListener('click', event => {
  if (!find('.search').contains(event.target)) results.hidden = true
})
document.addEventListener('keydown', event => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault()
    input.focus()
  } else if (event.key === 'Escape') {
    results.hidden = true
  } else if (event.key === 'Enter' && document.activeElement === input) {
    results.querySelector('a')?.click()
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    const links = [...results.querySelectorAll('a')]
    const next = links.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)
    if (results.hidden || links.length === 0 || !find('.search').contains(document.activeElement)) return
    event.preventDefault()
    ;(links[next] ?? input).focus()
  }
})
