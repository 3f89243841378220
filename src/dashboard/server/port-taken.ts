import { get } from 'node:http'
import { InputError, messageOf } from '../../core/errors/errors.js'
import { authorityOf } from './hosts.js'

/** Builds the error for a port that cannot be used, with a hint on what to do. */
export async function cannotListen(error: unknown, host: string, port: number): Promise<Error> {
  const { code } = error as NodeJS.ErrnoException
  const other = `--port ${port < 65_535 ? port + 1 : port - 1}`
  if (code === 'EADDRINUSE') {
    return (await isDashboard(host, port))
      ? new InputError(`A SkillOpt dashboard runs on port ${port} already.`, {
          hint: `Open the address that it printed, end it with Ctrl-C, or start another one with ${other}.`,
          cause: error,
        })
      : new InputError(`Another program uses port ${port}.`, {
          hint: `Start the dashboard on another port: ${other}.`,
          cause: error,
        })
  }
  if (code === 'EACCES')
    return new InputError(`The system does not let you use port ${port}.`, {
      hint: 'Take one from 1024 on with --port.',
      cause: error,
    })
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EINVAL')
    return new InputError(`This machine has no address ${host}.`, {
      hint: 'Leave out --host for 127.0.0.1, or name an address of this machine.',
      cause: error,
    })
  return error instanceof Error ? error : new Error(messageOf(error))
}

const patienceMs = 1000
const longestAnswer = 1000

/** Asks the process on the port whether it is a dashboard. The request contains no secret. */
function isDashboard(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const request = get(`http://${authorityOf(host, port)}/api/about`, { agent: false }, response => {
      let said = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        said += chunk
        if (said.length > longestAnswer) request.destroy()
      })
      response.on('close', () => resolve(/^\{"dashboard":"skillopt"/.test(said)))
    })
    request.setTimeout(patienceMs, () => request.destroy())
    // A process that speaks another protocol or does not answer is not a dashboard.
    request.on('error', () => resolve(false))
  })
}
