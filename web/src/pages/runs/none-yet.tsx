import { useQuery as useServer } from '@tanstack/react-query'
import { Link } from 'wouter'
import { readSession } from '../../api/client.js'
import { visibleLine } from '../../parts/format.js'
import { Empty } from '../../parts/states.js'

/** Empty state of the run list: how to start a first training. */
export function NoneYet() {
  const { data: session } = useServer({ queryKey: ['session'], queryFn: readSession })
  return (
    <Empty title="There are no runs here yet.">
      {session !== undefined && (
        <p>
          The dashboard looks in{' '}
          {session.folders.map((folder, index) => (
            <span key={folder}>
              {index > 0 && ', '}
              <code>{visibleLine(folder)}</code>
            </span>
          ))}
          . A run appears here as soon as it starts.
        </p>
      )}
      <p>
        <Link className="button primary" href="~/launch">
          Train a skill
        </Link>
      </p>
      <p>Or on the command line:</p>
      <dl className="runs-commands">
        <dt>
          <code>skillopt quickstart</code>
        </dt>
        <dd>trains the bundled example with simulated models: no key, no cost.</dd>
        <dt>
          <code>skillopt init my-skill</code>
        </dt>
        <dd>creates a project from your own skill and tasks.</dd>
        <dt>
          <code>skillopt train my-skill</code>
        </dt>
        <dd>trains it.</dd>
      </dl>
    </Empty>
  )
}
