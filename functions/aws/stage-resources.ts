import { Resource } from 'sst'
import type { Platform } from '../../shared/reading/git/git-hosts.ts'

/** The resources of the stage, from SST. Reading a resource that is not linked to the function throws. */
type StageResources = {
  Table: { name: string }
  Salts: { name: string }
  Content: { name: string }
  Exports: { name: string }
  Usage: { name: string }
  Jobs: { url: string }
  Bundle: { name: string }
  OriginSecret: { value: string }
  LicenseKey: { value: string }
  BundleKey: { value: string }
  GitTokens: Record<Platform, string>
}

export const stageResources = Resource as unknown as StageResources
