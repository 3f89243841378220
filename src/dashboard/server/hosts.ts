import { BlockList, isIP, isIPv6 } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether nobody but this machine can reach a server that listens there. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  return isIP(host) !== 0 && loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')
}

const everywhere = new Set(['0.0.0.0', '::'])

/** As a person writes it, `[::1]` too. */
export function plainHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
}

/**
 * What may stand in the header Host. Any other name leads here by a trick: a site can have its own name resolve to this
 * machine, and would be taken for the dashboard by the browser.
 */
export function knownHosts(host: string, port: number): ReadonlySet<string> {
  const names = ['127.0.0.1', 'localhost', '::1', host, ...(everywhere.has(host) ? ownNames() : [])]
  return new Set(names.flatMap(name => authorities(name, port)))
}

/** A browser leaves out the port that is usual. */
function authorities(name: string, port: number): readonly string[] {
  const authority = authorityOf(name, port)
  return port === 80 ? [authority, authority.replace(/:80$/, '')] : [authority]
}

export function authorityOf(host: string, port: number): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`
}

/** Where a person who sits at this machine, or knows its name, finds a server that listens on `host`. */
export function reachableHost(host: string): string {
  return everywhere.has(host) ? hostname().toLowerCase() : host
}

function ownNames(): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap(each => each ?? [])
  return [hostname().toLowerCase(), ...addresses.map(({ address }) => address)]
}
