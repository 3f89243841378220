import { BlockList, isIP, isIPv6 } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether a server that listens on `host` can be reached only from this machine. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  return isIP(host) !== 0 && loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')
}

const everywhere = new Set(['0.0.0.0', '::'])

/** Normalizes a host name that a user typed, including `[::1]`. */
export function plainHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
}

/**
 * Accepted values of the Host header. Any other name indicates DNS rebinding: a site can resolve its own
 * name to this machine, and the browser would then treat it as the dashboard.
 */
export function knownHosts(host: string, port: number): ReadonlySet<string> {
  const names = ['127.0.0.1', 'localhost', '::1', host, ...(everywhere.has(host) ? ownNames() : [])]
  return new Set(names.flatMap(name => authorities(name, port)))
}

/** The values of the Host header for one name. Browsers omit the default port. */
function authorities(name: string, port: number): readonly string[] {
  const authority = authorityOf(name, port)
  return port === 80 ? [authority, authority.replace(/:80$/, '')] : [authority]
}

export function authorityOf(host: string, port: number): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`
}

/** The host name under which users reach a server that listens on `host`. */
export function reachableHost(host: string): string {
  return everywhere.has(host) ? hostname().toLowerCase() : host
}

function ownNames(): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap(each => each ?? [])
  return [hostname().toLowerCase(), ...addresses.map(({ address }) => address)]
}
