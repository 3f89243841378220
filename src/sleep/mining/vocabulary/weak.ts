/** English and German words that say little about a request. They count less than other unknown words. */
export const weakWords = new Set(
  `work works working job thing things stuff way ways part parts place places kind sort bit lot set put take takes took give gives
   given keep keeps tell say says said know think see look looks seem come comes came help use uses used using try tried turn
   happen happens happened call called ask sure able easy hard good nice great better best bad fine proper properly right
   correct simple usual usually normal small big large long little own other others another else different first last next
   previous second two three four five ten half whole full complete
   today tonight tomorrow morning evening noon lunch friday monday tuesday wednesday thursday saturday sunday weekend minute
   minutes hour hours moment soon later ago already always never once twice often yet finally currently everything everywhere
   nothing something anything everyone everybody nobody somebody someone people person team colleague colleagues boss
   maria project repo base following below above wait waits demo doubt side state case cases point points
   arbeit arbeiten sache sachen ding dinge teil art weise stelle stellen gut besser beste schlecht richtig einfach normal
   üblich klein kleine groß große lang lange eigene eigenen andere anderen anders erste ersten letzte letzten nächste nächsten
   vorige zwei drei vier fünf zehn halb ganz ganze morgen abend nacht mittag freitag montag dienstag mittwoch donnerstag
   samstag sonntag wochenende minute minuten stunde stunden moment bald später schon immer nie einmal zweimal oft endlich
   etwas nichts jemand niemand leute kollege kollegin kollegen chef projekt folgende folgenden unten oben überall
   geht gehen geh kommt kommen sagen sag siehst sehen schau denke weiß helfen hilf nutzen benutzen nimm nehmen gibt geben
   bekommen bekomme lassen stimmt reicht brauchen braucht versuche versuch damals genug mehr weniger viele viel
   during until instead together along around through against toward towards across within itself themselves whose
   launch smaller larger included include service bigger shared reicht kleinere größere zweite dritte unserer unseren enthalten welche welcher welches macht fertig momentan usable terrible believable realistic rough grobe natural
   währenddessen bevor nachdem obwohl sondern außerdem trotzdem bisher seit beim ins vielleicht ungefähr etwa`
    .trim()
    .split(/\s+/),
)
