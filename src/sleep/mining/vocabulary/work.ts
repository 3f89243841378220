/**
 * Synonyms from programming work, in English and German. Each line is one concept, named by its first word.
 * Entries are stems; the code adds the endings. A star marks concepts that can be the subject of a request.
 * Words that are not listed are compared by their letters, so the table only needs synonyms with different
 * letters.
 */
export const wordsOfWork = `
fix repair mend resolve solve beheb behob reparier korrigier fixe lös gefix bereinig fail failure failing broken break broke red crash error exception throw bug problem defect wrong fehler fehlschlag fehlgeschlagen schlag kaputt rot green grün absturz stürz ausnahme defekt scheiter issue bricht hängt klemm schläg schlägt fehl auflös complain meckert stacktrace traceback
* test spec testcase testfall testfäll testsuite vitest jest pytest
unit einheit
write create add make generate produce build new schreib erstell erzeug anleg leg hinzufüg füg generier bau neu ergänz implement author implementier entwickl develop
remove rid delete drop strip erase entfern lösch weg wegnehm rauswerf raus purge discard beseitig
* unused dead unnecessary obsolete ungenutzt unbenutzt tot überflüssig unnötig
* rename umbenenn umbenann benenn heiß
move relocate verschieb verleg
* explain describe understand walkthrough clarify erklär erläuter beschreib versteh
* review feedback inspect assess audit critique begutacht durchseh kontrollier begutachtung
* refactor restructure simplify cleanup clean tidy refaktorier umstrukturier vereinfach aufräum räum umbau
update upgrade bump aktualisier aktualisierung anheb heb hochzieh
* dependency dependencies package packages library libraries abhängigkeit paket bibliothek
* version release publish veröffentlich freigab freigeb
* changelog
* readme
* document documentation docs doc dokumentation dokumentier doku docstring jsdoc tsdoc
* comment kommentar kommentier
* commit
message nachricht meldung text
* branch zweig
* merge mergen zusammenführ rebase
* conflict konflikt
* revert undo rollback rückgängig zurücknehm zurückroll zurücksetz reset
* repository repo git
* pull pr
push
diff patch change changes changed änder änderung geändert modify modification adjust adapt anpass anpassung
* deploy deployment rollout ausroll ausliefer deployen
* docker container dockerfile
* kubernetes k8s helm pod cluster
* terraform infrastructure infrastruktur ansible pulumi
* cloud aws azure gcp lambda bucket
* ci pipeline workflow actions jenkins gitlab circleci buildserver
* lint linter eslint biome
* format formatter prettier formatier formatierung indentation einrück
* type types typing typescript typ typisier typecheck tsc typfehler
* performance slow fast speed quick optimize optimise langsam schnell beschleunig optimier leistung performant latency bottleneck profil profiling
* memory speicher ram heap
* leak leck speicherleck
* database db datenbank sql postgres mysql sqlite mongo
* query queries abfrage
* migration migrate migrier
table tabelle
column field spalte feld
index
* endpoint route api schnittstelle endpunkt graphql
request anfrage
* webhook websocket socket
server backend
client frontend
page site seite website webseite
* browser chrome firefox safari
* app android ios application anwendung
* mobile responsive phone smartphone handy mobilgerät tablet mobil iphone ipad mobiltauglich
* screen bildschirm display viewport
* button knopf schaltfläche
* menu navigation navbar sidebar menü seitenleiste
* modal dialog popup dropdown tooltip
* form formular
* upload hochlad hochgeladen
* download herunterlad heruntergeladen
* search suche suchfunktion suchfeld
* filter filtern
* pagination paging paginate paginierung seitenweise scroll scrolling
* style css design layout styling gestalt tailwind
* theme dark dunkelmodus darkmode
* color colour farbe farbschema
* font schrift schriftart typography
* icon logo symbol
* animation animate animier transition
* accessibility accessible contrast kontrast a11y aria barrierefrei barrierefreiheit zugänglich screenreader
* seo sitemap metatag suchmaschine
* log logs logging logfile protokollier logdatei
* monitor monitoring metric metrics alert alerting überwach überwachung alarm
* trace tracing telemetry span
* dashboard übersichtsseite
* analytics tracking statistics statistik
* config configuration setting settings konfiguration einstellung konfigurier
* environment env umgebung umgebungsvariable
* flag toggle schalter
variable variablen
function method funktion methode
class klasse
module modul
file files datei dateien
folder directory ordner verzeichnis
code source quelltext quellcode codebase
line lines zeile
name names naming
list auflist liste
count number anzahl zähl
find search locate look where such find wo
read open lies les
show print zeig anzeig ausgab ausgeb
run execute start ausführ führ lauf lass starte
check verify ensure sicherstell überprüf verifizier prüf
* validate validation validier validierung
* compare comparison vergleich gegenüberstell
convert transform turn konvertier umwandl wandl
* parse parser parsing
export exportier
import importier
data daten datensatz record records
* csv tsv
* json
* xml
* yaml toml
* regex regexp regular
* security vulnerability secure sicherheit sicherheitslück lücke exploit
* token jwt
* secret key schlüssel geheimnis credential credentials zugangsdaten
* encryption encrypt verschlüssel verschlüsselung certificate zertifikat ssl tls
* login sign authentication auth anmeld anmeldung einlogg oauth sso session logout
* password passwort kennwort
* permission access rights berechtigung zugriff recht role rolle
* cache zwischenspeicher caching
* queue warteschlange broker kafka
* job worker background hintergrund
* cron cronjob schedule scheduled nightly hourly stündlich nächtlich periodic einplan plane zeitgesteuert regelmäßig
* automate automatic automatically automation automatisch automatisier
* concurrency concurrent parallel race deadlock thread nebenläufig gleichzeitig
* async asynchronous promise asynchron
* timeout zeitüberschreitung
* retry retries wiederhol
* rate throttle throttling limit begrenz limitier drossel
* flaky unstable intermittent sporadic sporadically sometimes occasionally random wackelig unzuverlässig instabil manchmal sporadisch
* coverage cover abdeckung abgedeckt abdeck
example sample beispiel
* seed dummy fixture beispieldaten testdaten demodaten erfunden
* mock stub fake
* script skript
* cli command kommandozeile terminal shell bash
* install setup installier einricht installation
* backup sicherung restore wiederherstell
* extract auslager herauszieh helper hilfsfunktion
* split divide separate aufteil teil zerleg
* duplicate duplicated duplication duplikat doppelt
* algorithm algorithmus
* benchmark
* hook
* component komponente
* interface
* schema
* plugin extension erweiterung addon
old older alt veraltet outdated stale
latest newest current neuest aktuell
warning warnings warnung
feature funktionalität
sort order sortier
link url
user users nutzer benutzer anwender
* outage incident downtime ausfall vorfall störung postmortem
* cause reason ursache grund
draw zeichn sketch skizzier
send sends sent schick sende verschick versend
task aufgabe
hide hidden versteck ausblend verberg
behind hinter
view ansicht
default standard standardmäßig
tenant mandant
* production produktion prod live produktivsystem
* staging
service dienst
process prozess
prepare vorbereit bereite
entry entries eintrag einträg
missing miss lack fehlend fehlt vermiss
label labels beschriftung
keyboard tastatur
load loads loading lad lädt
lock locked sperr gesperrt
empty leer
string strings zeichenkette
* row rows datenzeile
wrap umschließ
rule rules regel
state zustand
* constant konstante magic
* nullable undefined null
* license lizenz
* template vorlage
* notification benachrichtigung notify benachrichtig
* language sprache locale i18n internationalization
* timezone zeitzone utc
* currency währung
* map karte geo location standort
* sensor hardware device gerät
* model training modell
* prompt
* notebook jupyter
* prefix suffix
* header kopfzeile footer fußzeile
* tab tabs reiter
* checkbox radio
* input eingabe eingabefeld
* autocomplete vervollständig
* shortcut tastenkürzel hotkey
* drag ziehen
`
