import { type Bottleneck, bottlenecksOf } from './bottlenecks.ts'
import { assumed, counting, measured } from './measured.ts'
import { type Compute, fleetOf, idleCosts, type Load, monthlyCosts, totalOf } from './monthly-costs.ts'
import { prices } from './prices.ts'

const months = [1e6, 1e8, 1e10]
const libraryCounts = [1e3, 1e5, 1e6]
const loads: Load[] = months.flatMap((requests) => libraryCounts.map((libraries) => ({ requests, libraries })))

/** `docs/scale.md`: the measured counts of a request times the prices of AWS. */
export const scalePage = (): string => `# Scale and cost of the hosted half

\`npm run reference\` writes this page from \`test/reference/scale/\`: what a request needs and what is assumed
(\`measured.ts\`), and the price list (\`prices.ts\`). Change these files, not this page.

**Nothing was measured on AWS.** Counts of requests, units and bytes are from \`npm run bench:hosted\` on ${measured.date}
against emulators, and are valid on AWS. Times are assumptions. Prices are list prices of us-east-1 without free
tiers, from the ${prices.source}, as known in ${prices.year}. **They were not
checked since**: check them before you rely on them.

**An idle stage costs at least ${usd(totalOf(idleCosts()))} a month**:

${idleCosts()
  .map(({ what, usd: price }) => `- ${what}: ${usd(price)}`)
  .join('\n')}

## What a request needs

A request is a question without a key, for a library of ${measured.libraryMb} MB on S3, about 1,300 snippets.

| step | what | how known |
|---|---|---|
| CloudFront, its function, KeyValueStore, WAF | 1 each | \`stacks/api.ts\` |
| API Gateway, or the load balancer | 1 | \`stacks/api.ts\` |
| response | ${measured.answerKb} kB before compression | measured |
| DynamoDB: the library's record | ${measured.readUnits} unit of reading | measured |
| DynamoDB: the limit of the address | ${measured.limitWriteUnits} unit of writing | \`functions/dynamo/dynamo-request-counts.ts\` |
| S3: first question of a library in a container | ${measured.firstQuestion.gets} GETs in ${measured.firstQuestion.rounds} rounds | measured |
| S3: later questions | ${measured.laterGets === 0 ? 'none' : measured.laterGets} | measured |
| time of a run | ${1000 * assumed.questionSeconds} ms; the first of a library ${Math.round(1000 * (assumed.questionSeconds + copySeconds))} ms | assumed: ${1000 * assumed.roundSeconds} ms a round, ${assumed.downloadMbPerSecond} MB/s |
| processor time of a question in a service | ${1000 * measured.questionCpuSeconds} ms: ${Math.round((measured.serviceTask.cpus * 0.6) / measured.questionCpuSeconds)} questions a second and task at 60 % of 2 vCPU | measured on x86_64 |
| INIT of a container | ${assumed.initSeconds} s every ${assumed.containerHours} hours | assumed |
| Kinesis: one record | ${measured.eventKb} kB | computed |
| log lines; traces of ${100 * assumed.tracedShare} % | ${assumed.logKb} kB | estimated |

Before functions copied libraries to their disk, the first question took ${measured.before.firstGets} GETs in ${measured.before.firstRounds} rounds, and each later one
${measured.before.laterGets} in ${measured.before.laterRounds}.

Each request is counted later, in batches. The more events share a batch, the less one costs (20,000 libraries by Zipf's
law, 5 s windows):

| requests a month | events a batch | units of writing an event | of reading |
|---|---|---|---|
${counting.map((each) => `| ${power(each.requests)} | ${each.perBatch.toLocaleString('en-US')} | ${each.writeUnits} | ${each.readUnits} |`).join('\n')}

An item is billed by its size, and a topic item grows to 8 kB: in a library with 1,000 topics and 16 shards, one event
alone in its batch takes 24 units of writing.

## What a month costs

By requests and libraries, with \`API_COMPUTE=lambda\` and \`service\`. Libraries are asked by Zipf's law, and each is read
again once a month.

| requests | libraries | lambda | a million requests | service | questions that copy their library |
|---|---|---|---|---|---|
${loads.map(totalRow).join('\n')}

**From about ${power2(breakEven())} requests a month on, a service is cheaper**, with ${power(1e3)} libraries. Below that, its two tasks and the
load balancer cost more than the functions.

### Parts, with ${power(1e3)} libraries and \`lambda\`

${partsTable('lambda')}

### Parts, with ${power(1e3)} libraries and \`service\`

${partsTable('service')}

### Libraries without requests

${librariesTable()}

KMS requests, exports (60 MB: half a cent of transfer each) and support of AWS are not included.

## What breaks first

Peaks are ${assumed.peak} times the mean. Each cell names the limits that a peak exceeds, the most exceeded first, or the one that is
nearest. AWS raises quotas on request.

| requests | libraries | \`lambda\` | \`service\` |
|---|---|---|---|
${loads.map((load) => `| ${power(load.requests)} | ${power(load.libraries)} | ${bottlenecks(load, 'lambda')} | ${bottlenecks(load, 'service')} |`).join('\n')}

| what breaks | what then |
|---|---|
${remedies()}

Before all that, the stage's own ceiling (\`REQUESTS_PER_SECOND\`, 100) rejects requests: at ${power(1e8)} a month the peak is
${Math.round((1e8 / (730 * 3600)) * assumed.peak)} a second. In a service, the number of tasks is the ceiling.

## Limits that remain

| what | limit |
|---|---|
| libraries above 200 MB (about 100,000 snippets) | only their statistics are copied; the rest is read from S3 as before |
| memory of a function that asks 2,000 libraries in turn | ${measured.peakMb} MB at most, of ${Math.round(1024 * measured.functionGb).toLocaleString('en-US')} |
| memory of a service that asks six libraries | ${measured.servicePeakMb} MB, of 4,096 |
| JSON of an export | 200 MB; 50,000 snippets are 60 MB, 72 to 94 MB of memory above idle |
| zip | 50 libraries, 100 MB, 2 GB unpacked; 60,000 snippets take 4 to 9 s and 75 MB above idle |
| events that one core counts | 120,000/s of one library, 55,000/s spread over 200, if DynamoDB responds immediately |
| recording | delays an answer by 0.02 ms; by 40 ms, plus the lateness of timers, if neither stream nor salts respond |
| libraries in the snapshot of names | 68 bytes each packed; in memory 0.55 kB each, and 4.2 kB in the index of names (measured at 20,000) |
`

const copySeconds = measured.firstQuestion.rounds * assumed.roundSeconds + measured.libraryMb / assumed.downloadMbPerSecond

function totalRow(load: Load): string {
  const [lambda, service] = [totalOf(monthlyCosts(load, 'lambda')), totalOf(monthlyCosts(load, 'service'))]
  const cold = (['lambda', 'service'] as const).map((compute) => percent(fleetOf(load, compute).coldShare)).join(', ')
  const million = usd(lambda / (load.requests / 1e6))
  return `| ${power(load.requests)} | ${power(load.libraries)} | ${usd(lambda)} | ${million} | ${usd(service)} | ${cold} |`
}

function partsTable(compute: Compute): string {
  const columns = months.map((requests) => monthlyCosts({ requests, libraries: 1e3 }, compute))
  const rows = columns[0]?.map(({ what }, i) => `| ${what} | ${columns.map((lines) => usd(lines[i]?.usd ?? 0)).join(' | ')} |`)
  return [
    `| | ${months.map(power).join(' | ')} |`,
    `|---|${months.map(() => '---|').join('')}`,
    ...(rows ?? []),
    `| **all** | ${columns.map((lines) => `**${usd(totalOf(lines))}**`).join(' | ')} |`,
  ].join('\n')
}

function librariesTable(): string {
  const ofLibraries = /content|table|recovery|parsing/
  const columns = libraryCounts.map((libraries) => monthlyCosts({ requests: 0, libraries }, 'lambda'))
  const rows = columns[0]?.flatMap(({ what }, i) =>
    ofLibraries.test(what) ? [`| ${what} | ${columns.map((lines) => usd(lines[i]?.usd ?? 0)).join(' | ')} |`] : [],
  )
  return [
    `| | ${libraryCounts.map(power).join(' | ')} |`,
    `|---|${libraryCounts.map(() => '---|').join('')}`,
    ...(rows ?? []),
  ].join('\n')
}

function bottlenecks(load: Load, compute: Compute): string {
  const all = bottlenecksOf(load, compute)
  const broken = all.filter(({ use }) => use > 1)
  const shown = (each: Bottleneck | undefined) => (each ? `${each.what} (${percent(each.use)})` : '')
  return broken.length > 0 ? `**${broken.map(shown).join('; ')}**` : shown(all[0])
}

function remedies(): string {
  const all = loads.flatMap((load) => [...bottlenecksOf(load, 'lambda'), ...bottlenecksOf(load, 'service')])
  const broken = new Map(all.filter(({ use }) => use > 1).map(({ what, remedy }) => [what, remedy]))
  return [...broken].map(([what, remedy]) => `| ${what} | ${remedy} |`).join('\n')
}

/** The number of requests from which a service costs less. */
function breakEven(): number {
  const difference = (requests: number) =>
    totalOf(monthlyCosts({ requests, libraries: 1e3 }, 'lambda')) - totalOf(monthlyCosts({ requests, libraries: 1e3 }, 'service'))
  let [low, high] = [1e5, 1e9]
  while (high / low > 1.05) {
    const middle = Math.sqrt(low * high)
    if (difference(middle) > 0) high = middle
    else low = middle
  }
  return high
}

const superscript = '⁰¹²³⁴⁵⁶⁷⁸⁹'
const power = (value: number): string =>
  `10${[...String(Math.round(Math.log10(value)))].map((digit) => superscript[Number(digit)]).join('')}`
const power2 = (value: number): string => {
  const exponent = Math.floor(Math.log10(value))
  return `${Math.round(value / 10 ** exponent)} · ${power(10 ** exponent)}`
}
const percent = (share: number): string => (share < 0.01 ? 'under 1 %' : `${Math.round(100 * share)} %`)

/** Two digits that count. */
function usd(value: number): string {
  if (value < 0.01) return 'under $0.01'
  const digits = value < 1 ? 2 : value < 100 ? 1 : 0
  const rounded = value < 1000 ? Number(value.toFixed(digits)) : Number(value.toPrecision(3))
  return `$${rounded.toLocaleString('en-US', { maximumFractionDigits: 2 })}`
}
