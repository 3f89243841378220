import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Home for tests that name none: test decisions must not end up in the developer's own folder. */
export const testHome = join(tmpdir(), `skillopt-test-home-${process.pid}`)
