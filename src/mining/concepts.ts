/**
 * Words of work with coding agents that mean the same, in English and German: a line is one meaning, by its first word.
 * Entries are stems; endings are known elsewhere. What is not here still counts, by its own letters; so the table only
 * brings together what letters cannot. With a star: words that say what a request is about. The others go with
 * anything.
 */
const lines = `
fix repair mend resolve solve beheb behob reparier korrigier fixe lös gefix bereinig fail failure failing broken break broke red crash error exception throw bug problem defect wrong fehler fehlschlag fehlgeschlagen schlag kaputt rot green grün absturz stürz ausnahme defekt scheiter issue bricht
* test spec testcase testfall
unit einheit
write create add make generate produce build new schreib erstell erzeug anleg leg hinzufüg füg generier bau neu ergänz implement author
remove rid delete drop strip erase entfern lösch weg wegnehm rauswerf raus
* unused dead unnecessary obsolete ungenutzt unbenutzt tot überflüssig unnötig
* rename umbenenn umbenann benenn heiß
move relocate verschieb verleg
* explain describe understand walkthrough clarify erklär erläuter beschreib versteh
* summarize summarise summary recap tldr overview digest zusammenfass fass zusammenfassung überblick
* review feedback inspect assess audit critique begutacht prüf durchseh kontrollier begutachtung
* refactor restructure simplify cleanup clean tidy refaktorier umstrukturier vereinfach aufräum räum umbau
* translate translation localize übersetz übersetzung lokalisier
update upgrade bump aktualisier aktualisierung anheb heb hochzieh
* dependency dependencies package packages library libraries abhängigkeit paket bibliothek
* version release publish veröffentlich freigab tag
* changelog
* readme
* document documentation docs doc dokumentation dokumentier doku docstring jsdoc
* comment kommentar kommentier
* commit
message nachricht meldung text
* branch zweig
* merge mergen zusammenführ rebase
* conflict konflikt
* pull pr
push
diff patch change changes changed änder änderung geändert modify modification
* deploy deployment rollout ausroll ausliefer deployen
* docker container dockerfile image
* ci pipeline workflow actions
* lint linter eslint biome
* format formatter prettier formatier formatierung
type types typing typescript typ typisier
* typecheck
* performance slow fast speed quick optimize optimise langsam schnell beschleunig optimier leistung performant
* memory speicher ram
* database db datenbank sql
* query queries abfrage
* migration migrate migrier
table tabelle
column field spalte feld
index
* endpoint route api schnittstelle endpunkt
request anfrage
server backend
client frontend
page site seite
* button knopf schaltfläche
* form formular
* style css design layout styling gestalt
* log logs logging logfile protokoll protokollier
* config configuration setting settings settings konfiguration einstellung konfigurier
* environment env umgebung umgebungsvariable
variable variablen
function method funktion methode
class klasse
module modul
file files datei dateien
folder directory ordner verzeichnis
code source quelltext quellcode
line lines zeile
name names
list auflist liste
count number anzahl zähl
find search locate look where such find wo
read open lies les
show display print zeig anzeig ausgab
run execute start ausführ führ lauf lass starte
check verify ensure validate validation sicherstell validier überprüf verifizier
* compare comparison vergleich gegenüberstell
convert transform turn konvertier umwandl wandl
parse parser
export exportier
import importier
data daten
* csv
* json
* excel spreadsheet xlsx
* report bericht auswertung
* chart plot graph diagramm grafik
* email mail mails emails
reply answer respond response antwort beantwort
* customer client kunde kunden
* meeting besprechung termin protocol
note notes notiz
* ticket
user users nutzer benutzer anwender
* login sign authentication auth anmeld anmeldung einlogg
* password passwort kennwort
* permission access rights berechtigung zugriff recht
* security vulnerability secure sicherheit sicherheitslück lücke
* token
* cache zwischenspeicher caching
* timeout zeitüberschreitung
* retry retries wiederhol
* flaky unstable intermittent sporadic sporadically sometimes occasionally random wackelig unzuverlässig instabil manchmal sporadisch
* coverage abdeckung abgedeckt
example sample beispiel
* script skript
* install setup installier einricht
* backup sicherung
old older alt veraltet outdated stale
latest newest current neuest aktuell
week weekly woche wöchentlich
day daily today tag täglich heute
month monthly monat monatlich
yesterday gestern
* hook
* component komponente
* mock stub fake
german deutsch deutsche
english englisch
short shorter brief concise kurz kürz knapp
* spelling grammar typo typos rechtschreib rechtschreibung grammatik tippfehler
* proofread korrekturles
error
warning warnings warnung
* duplicate duplicated duplication duplikat doppelt
* split divide separate aufteil teil zerleg
sort order sortier
date datum
time zeit
number
* invoice bill rechnung
price cost preis kosten
image picture photo bild foto
title titel headline überschrift heading
link url
* secret key schlüssel geheimnis
feature funktionalität
plan
idea suggestion vorschlag idee
question frage
interface
* schema
`

const byStem = new Map<string, string>()
const topics = new Set<string>()
for (const line of lines.trim().split('\n')) {
  const isTopic = line.startsWith('* ')
  const [concept = '', ...stems] = line.slice(isTopic ? 2 : 0).split(' ')
  if (isTopic) topics.add(concept)
  // The first line that has a word decides; a later one would only make the order of lines matter less visibly.
  for (const stem of [concept, ...stems]) if (!byStem.has(stem)) byStem.set(stem, concept)
}

/** Longest first, so that the least is taken for an ending. */
const endings = new Set(
  `s es d ed ing ings er ers or ors e en n t te ten tet st er em et est est ung ungen nen ned ning ted ting ped ping ged ging
   bed bing led ling end ende enden ender ies ied ion ions ment ments able ly r rs tes`
    .trim()
    .split(/\s+/),
)
const longestEnding = 5

/** The meaning of a word by the table: itself, with an ending, as a German participle, or after a prefix. */
function inflected(word: string): string | undefined {
  const whole = byStem.get(word)
  if (whole !== undefined) return whole
  for (let cut = word.length - 1; cut >= Math.max(3, word.length - longestEnding); cut -= 1) {
    const concept = byStem.get(word.slice(0, cut))
    if (concept !== undefined && endings.has(word.slice(cut))) return concept
  }
  return undefined
}

function compound(word: string): readonly string[] {
  for (let cut = word.length - 4; cut >= 4; cut -= 1) {
    const rest = inflected(word.slice(cut))
    const first = inflected(word.slice(0, cut)) ?? inflected(word.slice(0, cut).replace(/s$/, ''))
    if (rest !== undefined && first !== undefined) return [first, rest]
  }
  return []
}

/** One letter too many, too few, another one, or two that changed places. */
function misspelled(word: string): string | undefined {
  if (word.length < 5) return undefined
  const letters = [...word]
  for (let at = 0; at < letters.length - 1; at += 1) {
    const before = word.slice(0, at)
    const swapped = inflected(`${before}${word[at + 1]}${word[at]}${word.slice(at + 2)}`)
    if (swapped !== undefined) return swapped
  }
  // The first letter is nearly always right, and without it too much would be like something else.
  for (let at = 1; at < letters.length; at += 1) {
    const concept = inflected(`${word.slice(0, at)}${word.slice(at + 1)}`)
    if (concept !== undefined) return concept
  }
  return (
    shortened.get(word) ??
    deletions(word)
      .map(part => shortened.get(part))
      .find(found => found !== undefined)
  )
}

const deletions = (word: string): readonly string[] =>
  Array.from({ length: word.length - 1 }, (_, at) => `${word.slice(0, at + 1)}${word.slice(at + 2)}`)

/** The longer entries with one letter left out. */
const shortened = new Map<string, string>()
for (const [stem, concept] of byStem) {
  if (stem.length < 6) continue
  for (const part of deletions(stem)) if (!byStem.has(part)) shortened.set(part, concept)
}

/** Whether it says what a request is about; "write" and "file" do not. */
export const isTopic = (concept: string): boolean => topics.has(concept)

/** Words come back again and again, so each is looked up once. */
const known = new Map<string, readonly string[]>()
const mostKnown = 100_000

/** The meanings of a word in lower case: one, two for a compound, none for a word that the table does not have. */
export function conceptsOf(word: string): readonly string[] {
  const before = known.get(word)
  if (before !== undefined) return before
  const found = lookUp(word)
  if (known.size < mostKnown) known.set(word, found)
  return found
}

function lookUp(word: string): readonly string[] {
  const plain = inflected(word) ?? (word.startsWith('ge') ? inflected(word.slice(2)) : undefined)
  if (plain !== undefined) return [plain]
  const parts = compound(word)
  if (parts.length > 0) return parts
  const guessed = misspelled(word)
  return guessed === undefined ? [] : [guessed]
}
