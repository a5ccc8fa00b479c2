import { z } from 'zod'

/** What Lambda lays into the S3 bucket for batches that it gave up: the event of the function as a text inside the record of its calls. */
const FailedBatch = z.object({ KinesisBatchInfo: z.object({}), payload: z.string() })
const Payload = z.object({ Records: z.array(z.object({ kinesis: z.object({ data: z.string() }) })).max(10_000) })

/**
 * Lines as they are, but in the place of a batch that Lambda gave up the events that it holds. They are uncertain: some items of the batch may
 * have been written before it failed.
 */
export async function* expandFailedBatches(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) {
    const events = line.includes('"KinesisBatchInfo"') ? eventsOf(line) : undefined
    if (events === undefined) yield line
    else yield* events
  }
}

function eventsOf(line: string): string[] | undefined {
  try {
    const { payload } = FailedBatch.parse(JSON.parse(line))
    const { Records } = Payload.parse(JSON.parse(payload))
    return Records.map(({ kinesis }) =>
      JSON.stringify({ event: parsed(Buffer.from(kinesis.data, 'base64').toString()), uncertain: true }),
    )
  } catch {
    return undefined
  }
}

/** What is no JSON stays as it is, and becomes a problem of its own. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
