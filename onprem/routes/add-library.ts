import type { Context } from 'hono'
import { addLibraryRoutes } from '../../shared/api/add-library.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import type { HidePrivatePorts } from '../access/hide-private.ts'
import { addForCaller, refreshForCaller } from '../actions/parse-for-caller.ts'
import type { ParsePorts } from '../actions/queue-parse.ts'

type InstallAddRoutesPorts = RightPorts & HidePrivatePorts & ParsePorts

/** The routes of the public API that add and refresh libraries. */
export const installAddRoutes = (ports: InstallAddRoutesPorts) =>
  addLibraryRoutes(
    {
      add: ({ docsRepoUrl }, platform, c: Context<CallerEnv>) => addForCaller(ports, c.get('caller'), docsRepoUrl, platform),
      refresh: ({ libraryName, branch }, c: Context<CallerEnv>) => refreshForCaller(ports, c.get('caller'), libraryName, branch),
    },
    { add: requireRight(ports, 'parse'), refresh: requireRight(ports, 'refresh') },
    { refresh: [502, 504] },
  )
