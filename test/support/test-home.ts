import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Stands for the user's own folder in tests that name no home: decisions of tests must not stay with the developer. */
export const testHome = join(tmpdir(), `skillopt-test-home-${process.pid}`)
