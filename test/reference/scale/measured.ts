/** Figures of one request or library, and how they are known. Times are not from AWS, counts and sizes are valid there. */
export const measured = {
  /** `npm run bench:hosted`, on the documentation of six real projects of 440 to 3,060 snippets, 200 and 2,000 times. */
  date: '2026-11-28',
  firstQuestion: { gets: 9, rounds: 2 },
  laterGets: 0,
  /** LanceDB on S3, as it was before. */
  before: { firstGets: 79, firstRounds: 24, laterGets: 37, laterRounds: 8 },
  libraryMb: 1.9,
  peakMb: 374,
  answerKb: 19,
  eventKb: 1,
  /** The library's record. */
  readUnits: 1,
  /** Counting the request against the limit of its key or address. */
  limitWriteUnits: 1,
  /** `npm run bench:hosted -- --only service`, with those six libraries. */
  questionCpuSeconds: 0.013,
  servicePeakMb: 520,
  /** Writing, reading and checking a generation of 5,000 snippets. */
  parsePuts: 63,
  parseGets: 186,
  catalogMbPerLibrary: 0.0048,
  indexSecondsPerLibrary: 0.00015,
  functionGb: 1769 / 1024,
  functionDiskGb: 4,
  serviceTask: { cpus: 2, gb: 4, diskGb: 20 },
  /** Resources that the stacks create. */
  stage: { alarms: 30, webAclRules: 1, dnsZones: 1 },
}

/** Units of the table per counted request, by requests a month: `npm run bench:hosted -- --only traffic`. */
export const counting = [
  { requests: 1e6, writeUnits: 6.7, readUnits: 3.3, perBatch: 1 },
  { requests: 1e8, writeUnits: 5.8, readUnits: 2.6, perBatch: 48 },
  { requests: 1e10, writeUnits: 4, readUnits: 2.3, perBatch: 1206 },
]

/** Figures that only a stage on AWS can show. */
export const assumed = {
  questionSeconds: 0.04,
  roundSeconds: 0.02,
  downloadMbPerSecond: 75,
  initSeconds: 1.5,
  containerHours: 2,
  peak: 3,
  logKb: 1.2,
  tracedShare: 0.05,
  counterKbPerLibrary: 50,
  refreshesPerMonth: 1,
  changedShare: 0.33,
  parseSeconds: 120,
  parseTask: { cpus: 2, gb: 8 },
  oldVersions: 1,
  consumerSecondsPerBatch: 0.1,
}
