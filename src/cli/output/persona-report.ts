import type { Interval } from '../../core/statistics/intervals.js'
import type { Effect } from '../../experiment/harm.js'
import type { Measured } from '../../experiment/measure.js'
import type { NightRow, TriedEdit } from '../../experiment/night-rows.js'
import type { Arm, PersonaResult } from '../../experiment/run-persona.js'
import {
  type Colors,
  clean,
  count,
  oneLine,
  plural,
  points,
  shortCount,
  signedPoints,
  table,
} from './text.js'

/** Output of `sleep experiment --persona`. */
export function personaText({ persona, title, seed, arms }: PersonaResult, colors: Colors): string {
  const head = `${colors.bold(persona)} (simulated): ${title}. Seed ${seed}.`
  const parts = arms.map(arm => armText(arm, colors))
  return [head, ...parts, ...(arms.length > 1 ? [comparisonText(arms, colors)] : [])].join('\n\n')
}

function armText(arm: Arm, colors: Colors): string {
  const { gate, nights, learned } = arm
  return [
    colors.bold(gate ? 'With the gate' : 'Without a gate: every proposal is accepted'),
    nightTable(nights, colors),
    ...reasonsOf(nights),
    measuredText(arm),
    harmText(arm),
    `What was learned:\n${learned === '' ? 'nothing' : clean(learned.replaceAll(/\n{2,}/g, '\n'))}`,
  ].join('\n\n')
}

function nightTable(nights: readonly NightRow[], colors: Colors): string {
  const rows = nights.map(({ number, outcome, sessions, tasks, test, edits, calls, tokens }) => [
    count(number),
    outcome,
    count(sessions),
    `${tasks.train}/${tasks.val}/${tasks.test}`,
    test === undefined ? '–' : `${scored(test.before)} →\n${scored(test.after)}`,
    `${accepted(edits).length} of ${edits.length}`,
    count(calls),
    shortCount(tokens),
  ])
  const head = ['night', 'outcome', 'sessions', 'tasks train/val/test', 'test tasks', 'edits accepted']
  return table([...head, 'calls', 'tokens'], rows, { colors, right: [0, 2, 6, 7] })
}

/** Lists the reasons why nights proposed nothing. */
function reasonsOf(nights: readonly NightRow[]): string[] {
  const without = nights.filter(({ outcome }) => outcome !== 'proposed')
  const lines = without.map(({ number, reason }) => `Night ${number}: ${oneLine(reason)}`)
  return lines.length === 0 ? [] : [lines.join('\n')]
}

const accepted = (edits: readonly TriedEdit[]) => edits.filter(({ outcome }) => outcome === 'accepted')

const scored = ({ mean, low, high }: Interval): string =>
  `${points(mean)} (${points(low)} to ${points(high)})`

function measuredText({ heldOut, control }: Arm): string {
  return [
    `Held-out tasks (${plural(heldOut.attempts, 'attempt')}): ${change(heldOut)}`,
    `Requests that no night saw (${count(control.tasks)}, scored without a model): ${change(control)}`,
  ].join('\n')
}

const change = ({ before, after, difference: { mean, low, high } }: Measured): string =>
  `${points(before.mean)} → ${points(after.mean)} (${signedPoints(mean)} points, ${signedPoints(low)} to ${signedPoints(high)})`

function harmText({ harmful }: Arm): string {
  if (harmful === undefined) return 'Single edits are not tested for harm here; --compare-gate tests them.'
  const list = (effects: readonly Effect[]) =>
    effects.map(({ text, difference }) => `  ${signedPoints(difference.mean)} points: ${oneLine(text)}`)
  const said = (effects: readonly Effect[], verb: string) =>
    effects.length === 0
      ? `No ${verb} edit does harm by itself.`
      : [
          `${verb[0]?.toUpperCase()}${verb.slice(1)} edits that do harm by themselves:`,
          ...list(effects),
        ].join('\n')
  return [said(harmful.turnedDown, 'rejected'), said(harmful.accepted, 'accepted')].join('\n')
}

function comparisonText(arms: readonly Arm[], colors: Colors): string {
  const rows = arms.map(({ gate, heldOut, control, harmful }) => [
    gate ? 'with' : 'without',
    scored(heldOut.after),
    scored(control.after),
    ...[harmful?.turnedDown, harmful?.accepted].map(edits =>
      edits === undefined ? '–' : count(edits.length),
    ),
  ])
  const head = ['gate', 'held out', 'never seen', 'harmful edits rejected', 'accepted']
  return table(head, rows, { colors, right: [3, 4] })
}

/** Why the experiment does not show the expected effect; undefined if it does. */
export function personaProblem({ persona, arms }: PersonaResult): string | undefined {
  const [first, second] = arms
  if (first === undefined) return `${persona}: no night ran.`
  const { heldOut, control, harmful } = first
  if (heldOut.difference.low <= 0 || control.difference.low <= 0)
    return `${persona}: the score did not improve beyond chance.`
  if (second === undefined) return undefined
  if (harmful === undefined || harmful.turnedDown.length === 0)
    return `${persona}: with this seed, no harmful edit was proposed and rejected.`
  if (second.heldOut.after.mean >= heldOut.after.mean || second.control.after.mean >= control.after.mean)
    return `${persona}: with this seed, the result is no worse without the gate.`
  return undefined
}
