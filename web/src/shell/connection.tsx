import { useConnection } from '../api/client.js'
import { Badge } from '../parts/badge.js'

/** Shows whether the page is up to date. Screen readers announce only that the connection is lost or back. */
export function ConnectionState() {
  const connection = useConnection()
  return (
    <span role="status" className="connection">
      {connection === 'live' && (
        <Badge tone="good" title="What happens is shown as it happens.">
          live
        </Badge>
      )}
      {connection === 'lost' && (
        <Badge
          tone="bad"
          title="The dashboard’s server does not answer. Start `skillopt view` again; the page goes on by itself."
        >
          reconnecting…
        </Badge>
      )}
    </span>
  )
}
