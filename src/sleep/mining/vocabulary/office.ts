/**
 * Vocabulary of other work with agents, in the format of `work.ts`: writing, planning, counting and
 * research.
 */
export const wordsOfOffices = `
* summarize summarise summary recap tldr overview digest zusammenfass fass zusammenfassung überblick
* translate translation localize übersetz übersetzung lokalisier
* report bericht auswertung
* chart plot graph diagramm grafik diagram flowchart visualize visualise mermaid visualisier schaubild
* architecture architektur
* excel spreadsheet xlsx sheet tabellenkalkulation
* formula formel
* email mail mails emails inbox posteingang betreff
* newsletter
reply answer respond response antwort beantwort
customer client kunde kunden
* meeting besprechung termin protocol protokoll sitzung standup
* agenda tagesordnung
* calendar kalender appointment
* reminder remind erinner erinnerung
* todo aufgabenliste
* announce announcement announcing ankündig ankündigung
* slack discord channel chat kanal
* presentation slides slide deck powerpoint präsentation folie vortrag
* blog article essay artikel beitrag blogpost aufsatz
* post tweet linkedin social
* letter anschreiben
* poem gedicht
* story geschichte
* invitation invite einlad einladung
* contract agreement vertrag clause klausel
* offer proposal angebot
* budget
* expense expenses receipt ausgaben beleg spesen
invoice bill rechnung
payment pay zahl zahlung bezahl stripe
* tax steuer
price cost preis kosten
order bestell bestellung cart checkout warenkorb
* survey questionnaire umfrage fragebogen
* interview vorstellungsgespräch bewerbungsgespräch candidate applicant kandidat bewerber
* cv resume lebenslauf
* hiring hire recruit einstell stellenanzeige
* onboarding einarbeit
* estimate estimation effort schätz schätzung abschätz aufwand
* roadmap fahrplan milestone meilenstein
* deadline frist
* travel trip reise flight flug hotel itinerary
* vacation holiday urlaub
* recipe cook meal dinner supper lunch breakfast kochen koch rezept abendessen mittagessen gericht mahlzeit
* shopping einkauf einkaufsliste grocery
* weather wetter
* exercise workout fitness übung
* spelling grammar typo typos rechtschreib rechtschreibung grammatik tippfehler proofread korrekturles korrektur
* tone polite formal höflich freundlich friendly tonfall
* rephrase rewrite reword umformulier formulier phrase
contact kontakt address adresse
* ticket jira
* research recherch recherche investigate untersuch
* pdf
* image picture photo bild foto screenshot
* video
* audio sound podcast ton
note notes notiz
title titel headline überschrift heading
paragraph absatz
sentence satz
german deutsch deutsche
french französisch
spanish spanisch
italian italienisch
english englisch
short shorter brief concise kurz kürz knapp
week weekly woche wöchentlich
day daily today tag täglich heute tage tagen
month monthly monat monatlich
year yearly jahr jährlich
yesterday gestern
date datum
time zeit
plan
idea ideas suggestion suggest vorschlag idee schlag vorschlagen empfehl recommend
question frage fragen
draft entwurf entwirf
`
