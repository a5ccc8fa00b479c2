import { secretBox } from '../../../shared/settings/secret-box.ts'
import { withDatabaseForReading } from '../../../shared/store/database.ts'
import { sqliteSettings } from '../../../shared/store/settings-store.ts'
import { privateWarning } from '../../store/catalog/private-warning.ts'
import { sqliteCatalog } from '../../store/catalog/sqlite-catalog.ts'
import { type DoctorPorts, type Finding, warning } from './finding.ts'

/** Checks if the readers of private libraries were chosen. A running server reports it in its health. */
export async function checkPrivate({ install, server, hasDatabase }: DoctorPorts): Promise<Finding[]> {
  if (server || !hasDatabase) return []
  const { dataDirPath: dataDir, now } = install
  const problem = await withDatabaseForReading(dataDir, async (db) =>
    privateWarning({ settings: sqliteSettings(db, secretBox(dataDir)), catalog: sqliteCatalog(db, now) }),
  )
  return problem === undefined ? [] : [warning(problem)]
}
