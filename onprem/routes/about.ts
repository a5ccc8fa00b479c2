import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import { AboutAnswer, type AboutPorts, about } from '../queries/about.ts'
import { ThirdPartyPackage, thirdPartyPackages } from '../support/third-party-packages.ts'

const PackageList = z.object({ packages: z.array(ThirdPartyPackage) })

type AboutRoutesPorts = RightPorts & AboutPorts

export const aboutRoutes = (ports: AboutRoutesPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/about',
      describeRoute({
        operationId: 'getAbout',
        tags: ['Support'],
        summary: 'Get the versions of Carrel and of what it uses',
        description: 'Also returns the size of the data directory, and whether other machines can reach the server.',
        responses: { 200: json(AboutAnswer, 'Versions and facts of this install') },
      }),
      requireRight(ports, 'admin'),
      async (c) => c.json(await about(ports)),
    )
    .get(
      '/about/licenses',
      describeRoute({
        operationId: 'getThirdPartyLicenses',
        tags: ['Support'],
        summary: 'List the packages of others in this program, with their licenses',
        description: 'The same packages as in THIRD-PARTY-LICENSES.txt of the npm package; in a checkout, those of the server.',
        responses: { 200: json(PackageList, 'Packages with the texts of their licenses') },
      }),
      requireRight(ports, 'admin'),
      (c) => c.json({ packages: thirdPartyPackages() }),
    )
