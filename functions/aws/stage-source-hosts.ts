import { z } from 'zod'
import { anyHost } from '../../shared/network/allowed-host.ts'
import { type HostRules, operatorChooses } from '../../shared/network/allowed-hosts.ts'
import { SourceHosts } from '../../shared/schemas/source-hosts.ts'
import { readEnvironment } from '../../shared/settings/read-environment.ts'

const Environment = z.object({ SOURCE_HOSTS: SourceHosts.default([anyHost]) })

/** The hosts of websites and other sources of a stage: those of SOURCE_HOSTS, or every public one. Throws validation_error. */
export function stageSourceHosts(env: Record<string, string | undefined>): HostRules {
  const { SOURCE_HOSTS } = readEnvironment(Environment, env)
  return {
    allowedHosts: () => SOURCE_HOSTS,
    mayBePrivate: false,
    httpsOnly: true,
    unlisted: operatorChooses,
  }
}
