import { AppError } from '../../shared/errors.ts'
import { excerpt } from '../../shared/text/excerpt.ts'
import type { TeamspaceCaller } from '../access/caller.ts'
import type { KnownIdPorts } from '../access/known-id-for.ts'
import { type BundleStatus, type BundleStatusStore, bundleStatus, type RunBundle, startBundle } from '../bundles/bundle-status.ts'
import type { ExportCatalog, ExportsCatalog } from '../bundles/export-elements.ts'
import { planZip, zipLimits } from '../bundles/plan-zip.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { exportedContents } from './exported-contents.ts'
import { type OfflineLicensesPorts, remainingMs, requireOfflineLicense } from './offline-licenses.ts'
import type { Selections } from './selections.ts'
import type { TeamExport, TeamExports } from './team-exports.ts'
import { currentSelection, distinctLibraries, type FoundSelection } from './team-selections.ts'

export type ExportZipsPorts = OfflineLicensesPorts & {
  catalog: ExportCatalog & ExportsCatalog & KnownIdPorts['catalog']
  gitHosts: KnownIdPorts['gitHosts']
  bundles: BundleStatusStore
  runBundle: RunBundle
  objects: Pick<ObjectStore, 'downloadUrl'>
  selections: Selections
  teamExports: TeamExports
}

export type RequestedExport = { libraries?: string[] | undefined; selection?: string | undefined }

/** Zips of one teamspace that are built at the same time. */
const maxUnfinished = 2

/**
 * Starts building a zip of libraries, or of those of a selection, and returns its id. Throws forbidden without a valid license,
 * not_found for the selection, validation_error, library_not_found, tag_not_found, payload_too_large, library_too_large, and job_active if
 * two are being built.
 */
export async function startExport(
  ports: ExportZipsPorts,
  { caller: { teamspace }, user }: { caller: TeamspaceCaller; user: { id: string } },
  { libraries = [], selection }: RequestedExport,
): Promise<{ id: string }> {
  await requireOfflineLicense(ports, teamspace)
  const chosen = selection === undefined ? libraries : (await foundSelection(ports, teamspace, selection)).libraries
  const ids = await distinctLibraries(ports, chosen)
  await planZip(ports.catalog, ids, zipLimits)
  const listed = await listedExports(ports, teamspace)
  if (listed.filter(({ status }) => status.state === 'building').length >= maxUnfinished)
    throw new AppError('job_active', `${maxUnfinished} exports of this teamspace are being built. Wait until one is done.`, {
      fields: { status: 'building' },
    })
  const contents = await exportedContents(ports.catalog, ids)
  const { id } = await startBundle(ports, ids)
  await ports.teamExports.add(teamspace, {
    id,
    by: user.id,
    startedAt: ports.now().toISOString(),
    libraries: ids,
    ...(selection !== undefined && { selection }),
    contents: Object.fromEntries(Array.from(contents, ([library, { hash }]) => [library, hash])),
  })
  return { id }
}

/** The exports of a teamspace of the last days, newest first, without download addresses. Throws forbidden without a valid license. */
export async function teamExports(ports: ExportZipsPorts, { teamspace }: TeamspaceCaller) {
  const licenses = await requireOfflineLicense(ports, teamspace)
  const listed = await listedExports(ports, teamspace)
  await noteBuilt(ports, teamspace, listed)
  return { licenses, exports: listed.map(({ started, status }) => exportAnswer(started, withoutUrl(status))) }
}

/** One export, with an address that downloads its zip for an hour, or until the license ends. Throws forbidden, not_found. */
export async function teamExport(ports: ExportZipsPorts, { teamspace }: TeamspaceCaller, id: string) {
  const licenses = await requireOfflineLicense(ports, teamspace)
  const started = (await ports.teamExports.list(teamspace)).find((each) => each.id === id)
  if (started === undefined) throw new AppError('not_found', `There is no export ${excerpt(id)}; it may have expired.`)
  const status = await statusOf(ports, id, remainingMs(licenses, ports.now()))
  await noteBuilt(ports, teamspace, [{ started, status }])
  return exportAnswer(started, status)
}

/** Notes the zips of selections that have been built since selections were read last. */
export const noteBuiltZips = async (ports: ExportZipsPorts, teamspace: string): Promise<void> =>
  noteBuilt(ports, teamspace, await listedExports(ports, teamspace))

/** Throws not_found, but not for the current selection. */
export async function foundSelection(
  { selections }: Pick<ExportZipsPorts, 'selections'>,
  teamspace: string,
  id: string,
): Promise<FoundSelection> {
  const selection = (await selections.find(teamspace, id)) ?? (id === currentSelection.id ? currentSelection : undefined)
  if (selection !== undefined) return selection
  throw new AppError('not_found', `There is no selection ${excerpt(id)}.`)
}

type Listed = { started: TeamExport; status: BundleStatus }

async function listedExports(ports: ExportZipsPorts, teamspace: string): Promise<Listed[]> {
  const exports = await ports.teamExports.list(teamspace)
  return Promise.all(exports.map(async (started) => ({ started, status: await statusOf(ports, started.id) })))
}

/** An export whose status has expired before its entry is gone. */
const expired: BundleStatus = { state: 'failed', code: 'not_found', message: 'The zip has expired. Build it again.' }

const statusOf = (ports: ExportZipsPorts, id: string, maxLinkMs?: number): Promise<BundleStatus> =>
  bundleStatus(ports, id, maxLinkMs).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return expired
    throw error
  })

async function noteBuilt({ selections }: ExportZipsPorts, teamspace: string, listed: Listed[]): Promise<void> {
  for (const { started, status } of listed) {
    const { selection, startedAt, contents } = started
    if (status.state === 'built' && selection !== undefined)
      await selections.noteBuilt(teamspace, selection, { at: startedAt, contents })
  }
}

const withoutUrl = (status: BundleStatus) => {
  if (status.state !== 'built') return status
  const { url: _, ...rest } = status
  return rest
}

const exportAnswer = <Status>({ id, startedAt, libraries, selection }: TeamExport, status: Status) => ({
  id,
  startedAt,
  libraries,
  selection: selection ?? null,
  ...status,
})
