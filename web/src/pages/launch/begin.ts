import type {
  LaunchStarted,
  LaunchStartRequest,
  ResumeRequest,
} from '../../../../src/dashboard/contract/launch.js'
import { postJson } from '../../api/client.js'

/**
 * A training with many tasks may take minutes to prepare. The server always answers after a while, and the
 * same request is repeated to keep waiting.
 */
export async function untilBegun(
  path: string,
  wish: LaunchStartRequest | ResumeRequest,
  post: typeof postJson<LaunchStarted> = postJson<LaunchStarted>,
): Promise<LaunchStarted> {
  for (;;) {
    const started = await post(path, wish)
    if (started.begun) return started
  }
}
