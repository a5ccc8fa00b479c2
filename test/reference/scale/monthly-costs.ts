import { assumed, counting, measured } from './measured.ts'
import { prices } from './prices.ts'

export type Load = { requests: number; libraries: number }
export type Compute = 'lambda' | 'service'
export type CostLine = { what: string; usd: number }

const monthHours = 730
const monthSeconds = monthHours * 3600
const { perMillion, perGb, perHour, perMonth } = prices

const sum = (values: number[]): number => values.reduce((total, each) => total + each, 0)
export const totalOf = (lines: CostLine[]): number => sum(lines.map(({ usd }) => usd))

/** The sum of 1/n up to `count`: by Zipf's law, the share of the library with number n is 1/n of this. */
const harmonic = (count: number): number => (count < 1 ? 0 : Math.log(count) + 0.5772 + 1 / (2 * count))

/** How many containers or tasks serve a load, on average, and the share of questions whose library has no copy there. */
export function fleetOf({ requests, libraries }: Load, compute: Compute): { size: number; coldShare: number } {
  const perSecond = requests / monthSeconds
  const { cpus, diskGb } = measured.serviceTask
  const size =
    compute === 'lambda'
      ? Math.max(1, perSecond * assumed.questionSeconds * assumed.peak)
      : Math.max(2, Math.ceil((perSecond * measured.questionCpuSeconds) / (cpus * 0.6)))
  const diskMb = compute === 'lambda' ? 0.8 * measured.functionDiskGb * 1024 : Math.min(8, 0.8 * diskGb) * 1024
  const copies = Math.min(libraries, diskMb / measured.libraryMb)
  const missed = 1 - harmonic(copies) / harmonic(libraries)
  const hours = compute === 'lambda' ? assumed.containerHours : 24 * 7
  const questions = Math.max(1, (requests / monthHours / size) * hours)
  return { size, coldShare: Math.min(1, Math.max(missed, distinctOf(questions, libraries) / questions)) }
}

/** The expected number of different libraries among some questions. Libraries are taken in steps that grow, because there may be millions. */
function distinctOf(questions: number, libraries: number): number {
  const all = harmonic(libraries)
  let distinct = 0
  for (let first = 1; first <= libraries; ) {
    const next = Math.min(libraries + 1, Math.max(first + 1, Math.floor(first * 1.02)))
    distinct += (next - first) * (1 - (1 - 1 / (first * all)) ** questions)
    first = next
  }
  return distinct
}

/** The costs of a month. Each line is a part of the bill. */
export function monthlyCosts(load: Load, compute: Compute): CostLine[] {
  return [...requestCosts(load, compute), ...libraryCosts(load), ...idleCosts()]
}

function requestCosts(load: Load, compute: Compute): CostLine[] {
  const { requests } = load
  const millions = requests / 1e6
  const { coldShare } = fleetOf(load, compute)
  const gets = coldShare * measured.firstQuestion.gets + (1 - coldShare) * measured.laterGets
  const units = counting.find((each) => each.requests >= requests) ?? counting[counting.length - 1]
  const kinesis = perGb.kinesisIn + perGb.kinesisOut + perGb.kinesisRetention
  return [
    { what: 'S3, questions', usd: millions * gets * perMillion.s3Get },
    ...(compute === 'lambda' ? functionCosts(load, coldShare) : serviceCosts(load)),
    {
      what: 'CloudFront: requests, function, KeyValueStore',
      usd: millions * (perMillion.cloudFrontRequest + perMillion.cloudFrontFunction + perMillion.keyValueStoreRead),
    },
    { what: 'WAF, requests', usd: millions * perMillion.wafRequest },
    { what: 'transfer', usd: transferCost((requests * measured.answerKb) / 1e6) },
    {
      what: 'DynamoDB, requests and limits',
      usd: millions * (measured.readUnits * perMillion.dynamoRead + measured.limitWriteUnits * perMillion.dynamoWrite),
    },
    {
      what: 'DynamoDB, counting',
      usd: millions * ((units?.writeUnits ?? 0) * perMillion.dynamoWrite + (units?.readUnits ?? 0) * perMillion.dynamoRead),
    },
    { what: 'Kinesis, records', usd: (requests / 1e6) * measured.eventKb * kinesis },
    { what: 'consumer', usd: (millions / (units?.perBatch ?? 1)) * lambdaCost(assumed.consumerSecondsPerBatch, 1) },
    { what: 'logs', usd: millions * assumed.logKb * perGb.log },
    ...(compute === 'lambda' ? [{ what: 'traces', usd: millions * assumed.tracedShare * perMillion.trace }] : []),
  ]
}

/** The price of a million runs. */
const lambdaCost = (seconds: number, gb: number): number => perMillion.lambdaCall + seconds * gb * perMillion.lambdaGbSecond

function functionCosts(load: Load, coldShare: number): CostLine[] {
  const millions = load.requests / 1e6
  const { rounds } = measured.firstQuestion
  const copySeconds = rounds * assumed.roundSeconds + measured.libraryMb / assumed.downloadMbPerSecond
  const seconds = assumed.questionSeconds + coldShare * copySeconds
  const { size } = fleetOf(load, 'lambda')
  const inits = (size * monthHours) / assumed.containerHours
  const disk = (measured.functionDiskGb - 0.5) * seconds * perMillion.lambdaDiskGbSecond
  return [
    { what: 'Lambda, requests and their copies', usd: millions * (lambdaCost(seconds, measured.functionGb) + disk) },
    { what: 'Lambda, INIT', usd: (inits / 1e6) * lambdaCost(assumed.initSeconds, measured.functionGb) },
    {
      what: 'API Gateway',
      usd: Math.min(millions, 300) * perMillion.apiGateway + Math.max(0, millions - 300) * perMillion.apiGatewayMore,
    },
  ]
}

function serviceCosts(load: Load): CostLine[] {
  const { size } = fleetOf(load, 'service')
  const { cpus, gb } = measured.serviceTask
  const perSecond = load.requests / monthSeconds
  // A unit is 25 new connections, 3,000 open ones or 1 GB an hour; CloudFront keeps its connections open.
  const units = Math.max(1, (perSecond * 3600 * measured.answerKb) / 1e6)
  const task = cpus * perHour.fargateCpu + gb * perHour.fargateGb + perHour.publicAddress
  return [
    { what: 'Fargate, tasks of the API', usd: size * task * monthHours },
    {
      what: 'load balancer',
      usd: (perHour.loadBalancer + 2 * perHour.publicAddress + units * perHour.loadBalancerUnit) * monthHours,
    },
  ]
}

function libraryCosts({ libraries }: Load): CostLine[] {
  const contentGb = (libraries * measured.libraryMb * (1 + assumed.oldVersions)) / 1024
  const tableGb = (libraries * assumed.counterKbPerLibrary) / 1e6
  const { cpus, gb } = assumed.parseTask
  const parses = libraries * assumed.refreshesPerMonth * assumed.changedShare
  const parse = ((cpus * perHour.fargateCpu + gb * perHour.fargateGb + perHour.publicAddress) * assumed.parseSeconds) / 3600
  return [
    { what: 'content on S3, with old versions', usd: contentGb * perGb.s3Month },
    { what: 'the table', usd: tableGb * perGb.dynamoMonth },
    {
      what: 'point-in-time recovery and 35 daily backups',
      usd: tableGb * (perGb.pointInTimeRecoveryMonth + 35 * perGb.backupMonth),
    },
    {
      what: 'parsing',
      usd: parses * parse + (parses / 1e6) * (measured.parsePuts * perMillion.s3Put + measured.parseGets * perMillion.s3Get),
    },
  ]
}

/** The costs of a stage that nobody uses. */
export function idleCosts(): CostLine[] {
  const { alarms, dnsZones, webAclRules } = measured.stage
  // Every five minutes, one second with 1,024 MB.
  const scheduleRuns = monthSeconds / 300
  return [
    { what: 'the usage stream', usd: perHour.stream * monthHours },
    { what: 'web ACL and its rules', usd: perMonth.webAcl + webAclRules * perMonth.webAclRule },
    { what: 'alarms and dashboard', usd: alarms * perMonth.alarm + perMonth.dashboard },
    { what: 'private DNS zones', usd: dnsZones * perMonth.dnsZone },
    { what: 'the key of tokens', usd: perMonth.key },
    { what: 'the schedule', usd: (scheduleRuns / 1e6) * lambdaCost(1, 1) },
  ]
}

/** The price of a GB falls with their number. */
function transferCost(gb: number): number {
  let [left, from, usd] = [gb, 0, 0]
  for (const { untilTb, perGb: price } of prices.transfer) {
    const part = Math.min(left, untilTb * 1000 - from)
    usd += part * price
    left -= part
    from = untilTb * 1000
  }
  return usd
}
