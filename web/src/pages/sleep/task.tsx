import { Link } from 'wouter'
import type { SleepExample, SleepTaskDetail } from '../../../../src/dashboard/contract/sleep.js'
import { dayOf, failureWords } from '../../../../src/sleep/model/wording.js'
import { Badge } from '../../parts/badge.js'
import { count, plural } from '../../parts/format.js'
import { Stat, Stats } from '../../parts/stat.js'
import { Answered, Command, Notice, SleepHeader } from './parts.js'
import { TaskMarks } from './tasks.js'
import { useSleep } from './use-sleep.js'
import { whenText } from './words.js'

/** The page of one task: its definition and where it comes from. */
export function TaskPage({ project, task }: { readonly project: string; readonly task: string }) {
  const query = useSleep<SleepTaskDetail>(project, 'tasks', task)
  const { data } = query
  return (
    <>
      <SleepHeader
        project={project}
        folder={data?.project.folder}
        title={`Task ${task}`}
        trail={[{ href: `~/sleep/${encodeURIComponent(project)}/tasks`, name: 'Tasks' }]}
        badges={data !== undefined && <TaskMarks task={data.line} />}
      />
      <Answered query={query} what="the task">
        {detail => <Task project={project} detail={detail} />}
      </Answered>
    </>
  )
}

function Task({ project, detail }: { readonly project: string; readonly detail: SleepTaskDetail }) {
  const { line, weakness, commands } = detail
  return (
    <div className="stack">
      <p className="sleep-words">{line.intent}</p>
      <p className="small muted">{factsOf(detail)}</p>
      {weakness !== undefined && <Notice tone="warn" title={weakness} />}
      <Evidence detail={detail} />
      <Taught project={project} taught={detail.taught} />
      <Scoring detail={detail} />
      <Failures failures={detail.failures} />
      <Examples examples={detail.examples} />
      <section className="stack" aria-labelledby="task-commands">
        <h2 id="task-commands">To change it</h2>
        <Command text={commands.edit} does="To mend its words, its rubric or its checks in your editor:" />
        {line.droppedAt === undefined ? (
          <Command text={commands.drop} does="If it is not what you want to be learned:" />
        ) : (
          <Command
            text={commands.restore}
            does={`It was dropped on ${dayOf(line.droppedAt)}. To have it back:`}
          />
        )}
      </section>
    </div>
  )
}

function factsOf({ line, family, derivedFrom }: SleepTaskDetail): string {
  return [
    `Written by ${line.writtenBy}`,
    line.reviewed ? 'reviewed by a person' : 'not reviewed by a person',
    line.skill === undefined ? 'asked without a skill' : `asked with the skill ${line.skill}`,
    ...(family === undefined ? [] : [`in one family with ${family}`]),
    ...(derivedFrom === undefined ? [] : [`derived from ${derivedFrom}`]),
  ].join(', ')
}

/** Counted facts about a task, without any model's opinion. */
function Evidence({ detail }: { readonly detail: SleepTaskDetail }) {
  const { line, wordings, projects, period, usedTools, sessionNames } = detail
  return (
    <section className="stack" aria-labelledby="task-evidence">
      <h2 id="task-evidence">How often it came up</h2>
      <Stats>
        <Stat label="Occasions" value={count(line.occasions)} note={period} />
        <Stat label="Requests" value={count(line.requests)} note={`in ${plural(wordings, 'wording')}`} />
        <Stat label="Days" value={count(line.days)} />
        <Stat label="Sessions" value={count(line.sessions)} note={`in ${plural(projects, 'project')}`} />
        <Stat
          label="Reworked"
          value={line.reworked === 0 ? 'never' : plural(line.reworked, 'occasion')}
          note="corrected, taken back or asked again"
        />
      </Stats>
      {usedTools.length > 0 && <p className="small">The agent used {usedTools.join(', ')}.</p>}
      {sessionNames.length > 0 && (
        <details>
          <summary>{plural(sessionNames.length, 'session')} in which it was asked for</summary>
          <ul className="sleep-names">
            {sessionNames.map(name => (
              <li key={name}>
                <code>{name}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function Taught({ project, taught }: { readonly project: string } & Pick<SleepTaskDetail, 'taught'>) {
  return (
    <section className="stack" aria-labelledby="task-taught">
      <h2 id="task-taught">What was learned from it</h2>
      {taught.length === 0 ? (
        <p className="muted">No edit of a proposal was made from it.</p>
      ) : (
        <ul className="sleep-plain">
          {taught.map(({ night, edits }) => (
            <li key={night}>
              <Link href={`/${encodeURIComponent(project)}/nights/${night}`}>Night {night}</Link>:{' '}
              {plural(edits, 'edit')}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Scoring({ detail: { line, rubric, checks, tools } }: { readonly detail: SleepTaskDetail }) {
  return (
    <section className="stack" aria-labelledby="task-scoring">
      <h2 id="task-scoring">What a good answer does</h2>
      {rubric.length === 0 && checks.length === 0 && <p className="muted">Nothing says so.</p>}
      {rubric.length > 0 && (
        <ul className="sleep-points">
          {rubric.map(point => (
            <li key={point}>{point}</li>
          ))}
        </ul>
      )}
      {checks.length > 0 && (
        <>
          <h3>{line.scoredBy === 'rubric' ? 'Checks, which do not count beside the rubric' : 'Checks'}</h3>
          <ul className="sleep-points">
            {checks.map(check => (
              <li key={check}>
                <code>{check}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {tools.length > 0 && (
        <p className="small">When it is tried, these tools say what they said once: {tools.join(', ')}.</p>
      )}
    </section>
  )
}

function Failures({ failures }: Pick<SleepTaskDetail, 'failures'>) {
  if (failures.length === 0) return null
  return (
    <section className="stack" aria-labelledby="task-failures">
      <h2 id="task-failures">What went wrong</h2>
      <ul className="sleep-quotes">
        {failures.map(({ kind, text, session, at }) => (
          <li key={`${session} ${at} ${kind} ${text}`}>
            <p className="row small muted">
              <Badge tone="warn">{failureWords[kind]}</Badge>
              <Source session={session} at={at} />
            </p>
            <p className="sleep-words">{text}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Examples({ examples }: { readonly examples: readonly SleepExample[] }) {
  return (
    <section className="stack" aria-labelledby="task-examples">
      <h2 id="task-examples">In your words</h2>
      {examples.length === 0 && (
        <p className="muted">No request is kept: it is tried by its description alone.</p>
      )}
      <ul className="sleep-quotes">
        {examples.map(({ request, session, at, branch, text, before, answer }) => (
          <li key={request}>
            <p className="row small muted">
              <Source session={session} at={at} />
              {branch !== undefined && <span>on {branch}</span>}
            </p>
            <p className="sleep-words">{text}</p>
            {before.length > 0 && (
              <details>
                <summary>What was asked before it</summary>
                <ul className="sleep-points">
                  {before.map(earlier => (
                    <li key={earlier} className="sleep-words">
                      {earlier}
                    </li>
                  ))}
                </ul>
              </details>
            )}
            {answer !== undefined && (
              <details>
                <summary>What the agent said last</summary>
                <p className="sleep-words">{answer}</p>
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Source({ session, at }: { readonly session: string; readonly at: string | undefined }) {
  return (
    <>
      <code>{session}</code>
      {at !== undefined && <time dateTime={at}>{whenText(at)}</time>}
    </>
  )
}
