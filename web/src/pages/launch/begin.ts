import type {
  LaunchStarted,
  LaunchStartRequest,
  ResumeRequest,
} from '../../../../src/dashboard/contract/launch.js'
import { postJson } from '../../api/client.js'

/**
 * Waits until a training has started, which may take minutes with many tasks. The server answers after a
 * while in any case, and the page repeats the request to keep waiting.
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
