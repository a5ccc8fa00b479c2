import { networkInterfaces } from 'node:os'
import { badInputChecks } from './bad-input-checks.ts'
import { onpremChecks } from './onprem-checks.ts'
import { checkSbom } from './sbom-check.ts'
import { serviceChecks } from './service-checks.ts'
import { check, continueFrom, finish } from './tally.ts'
import { workerChecks } from './worker-checks.ts'

/** Runs in a network namespace with only loopback: `node run-checks.ts IMAGE WORKER-IMAGE SERVICE-IMAGE LICENSE-KEY MODEL PASSED FAILED`. */
const [image = '', worker = '', service = '', licenseKey = '', model = '', ...before] = process.argv.slice(2)
const hasModel = model !== 'none'
const interfaces = Object.keys(networkInterfaces())
if (interfaces.join() !== 'lo') throw new Error(`The network is not isolated: ${interfaces}`)

continueFrom(before)
await check('its SBOM is valid and complete', () => checkSbom(image, hasModel))
await badInputChecks({ image, licenseKey })
await onpremChecks({ image, licenseKey, hasModel })
await workerChecks(worker)
await serviceChecks({ service, worker })
finish(hasModel ? '' : '; the model was not tested')
