import { networkInterfaces } from 'node:os'
import { badInputChecks } from './bad-input-checks.ts'
import { onpremChecks } from './onprem-checks.ts'
import { checkSbom } from './sbom-check.ts'
import { check, continueFrom, finish } from './tally.ts'
import { workerChecks } from './worker-checks.ts'

/** Runs in a network namespace with only loopback: `node run-checks.ts IMAGE WORKER-IMAGE LICENSE-KEY PASSED FAILED`. */
const [image = '', worker = '', licenseKey = '', ...before] = process.argv.slice(2)
const interfaces = Object.keys(networkInterfaces())
if (interfaces.join() !== 'lo') throw new Error(`The network is not isolated: ${interfaces}`)

continueFrom(before)
await check('its SBOM is valid and complete', () => checkSbom(image))
await badInputChecks({ image, licenseKey })
await onpremChecks({ image, licenseKey })
await workerChecks(worker)
finish()
