import type { SleepLog } from '../../../../src/dashboard/contract/sleep.js'
import { Empty } from '../../parts/states.js'
import { Answered, Command, SleepHeader } from './parts.js'
import { useOverview, useSleep } from './use-sleep.js'

/** The tail of the scheduled nights' output. */
export function LogPage({ project }: { readonly project: string }) {
  const overview = useOverview(project)
  const query = useSleep<SleepLog>(project, 'log')
  const schedule = overview.data?.commands.schedule
  return (
    <>
      <SleepHeader
        project={project}
        folder={overview.data?.line.folder}
        title="What scheduled nights printed"
        trail={[]}
      />
      <Answered query={query} what="the log">
        {({ path, text, isWhole }) =>
          text === undefined || text === '' ? (
            <Empty title="No scheduled night has printed anything yet.">
              <p>
                Nights that the system starts print into <code>{path}</code>. One that you start yourself
                prints into its terminal.
              </p>
              {schedule !== undefined && <Command text={schedule} does="To have nights run by themselves:" />}
            </Empty>
          ) : (
            <div className="stack">
              <p className="muted">
                <code>{path}</code>
                {!isWhole && ': its end, since the whole is long.'}
              </p>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
              <section className="sleep-log" aria-label="The end of the log" tabIndex={0}>
                <pre>{text}</pre>
              </section>
            </div>
          )
        }
      </Answered>
    </>
  )
}
