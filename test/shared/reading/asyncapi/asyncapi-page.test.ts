import { describe, expect, test } from 'vitest'
import { readPage } from '../../../../shared/reading/read-page.ts'
import { contextOf, pageText } from '../page-text.ts'

const read = (text: string, path = 'events.yaml') => readPage(text, contextOf(path))

const version3 = `asyncapi: 3.0.0
info: {title: Streetlights, version: 1.0.0, description: Turns lights on and off.}
servers:
  production: {host: 'test.example:1883', protocol: mqtt, pathname: /v1, description: The broker}
channels:
  measured:
    address: lights/{lightId}/measured
    description: Readings of one light.
    parameters:
      lightId: {description: The id of the light, location: $message.payload#/id}
    messages:
      lightMeasured: {$ref: '#/components/messages/lightMeasured'}
  turnOn:
    address: lights/turn-on
    messages: {turnOn: {payload: {type: object, properties: {id: {type: integer}}}}}
  unused: {address: a/b, title: Not used yet, messages: {m: {payload: {type: string}}}}
operations:
  receiveMeasured:
    action: receive
    summary: Measured light of a street
    channel: {$ref: '#/channels/measured'}
    traits: [{description: From a trait.}]
  turnOn:
    action: send
    channel: {$ref: '#/channels/turnOn'}
    reply:
      channel: {$ref: '#/channels/unused'}
components:
  messages:
    lightMeasured:
      contentType: application/json
      summary: A reading
      traits: [{headers: {type: object, properties: {trace: {type: string}}}}]
      payload: {$ref: '#/components/schemas/Reading'}
      examples: [{name: bright, payload: {lumens: 900}}]
  schemas:
    Reading:
      type: object
      required: [lumens]
      properties:
        lumens: {type: integer, minimum: 0, description: Light in lumens}
        parent: {$ref: '#/components/schemas/Reading'}
`

const version2 = {
  asyncapi: '2.6.0',
  info: { title: 'Accounts' },
  servers: { main: { url: 'kafka.example:9092', protocol: 'kafka' } },
  channels: {
    'user/signedup': {
      subscribe: {
        operationId: 'onSignedUp',
        message: {
          oneOf: [
            { name: 'UserSignedUp', payload: { type: 'object', properties: { email: { type: 'string', format: 'email' } } } },
            { name: 'Avro', schemaFormat: 'application/vnd.apache.avro', payload: { type: 'record', name: 'User', fields: [] } },
          ],
        },
      },
      publish: { message: { payload: { type: 'string' } } },
    },
  },
}

describe('the page of an AsyncAPI document', () => {
  test('has a section per operation of version 3 with its channel and messages', async () => {
    expect(pageText(await read(version3))).toMatchInlineSnapshot(`
      "# Streetlights

      Turns lights on and off.

      Served at:

      - \`mqtt://test.example:1883/v1\`: The broker

      ## Measured light of a street

      \`receive lights/{lightId}/measured\` (operation \`receiveMeasured\`)

      Readings of one light.

      From a trait.

      Parameters:

      - \`lightId\` (from \`$message.payload#/id\`): The id of the light

      Message \`lightMeasured\` (application/json, Reading): A reading

      Headers:

      - \`trace\` (string)

      Payload:

      - \`lumens\` (integer, required): Light in lumens
      - \`parent\` (Reading)

      ~~~ json, "bright"
      {
        "lumens": 900
      }
      ~~~

      ## send lights/turn-on

      \`send lights/turn-on\` (operation \`turnOn\`)

      Message \`turnOn\` (object)

      Payload:

      - \`id\` (integer)

      The reply is sent to \`a/b\`.

      Reply \`m\` (string)

      ## Not used yet

      \`channel a/b\`

      Message \`m\` (string)"
    `)
  })

  test('has a section per channel and direction of version 2', async () => {
    expect(pageText(await read(JSON.stringify(version2), 'events.json'))).toMatchInlineSnapshot(`
      "# Accounts

      Served at:

      - \`kafka://kafka.example:9092\`

      ## subscribe user/signedup

      \`subscribe user/signedup\` (operation \`onSignedUp\`)

      Message \`UserSignedUp\` (object)

      Payload:

      - \`email\` (string (email))

      Message \`Avro\` (record)

      ~~~ json, "schema"
      {
        "type": "record",
        "name": "User",
        "fields": []
      }
      ~~~

      ## publish user/signedup

      \`publish user/signedup\`

      Message (string)"
    `)
  })

  test('links each operation to its line', async () => {
    const { sections } = await read(version3)
    expect(sections.find(({ headings }) => headings[0] === 'send lights/turn-on')?.line).toBe(23)
  })

  test('names circular references and channels that do not exist', async () => {
    const channels = { a: { $ref: '#/channels/b' }, b: { $ref: '#/channels/a' }, c: { publish: { message: { $ref: '#/m' } } } }
    const { omitted } = await read(JSON.stringify({ asyncapi: '2.0.0', channels }), 'a.json')
    expect(omitted).toMatch(/#\/channels\/\w \(circular\).*#\/m \(not found\)/)
  })

  test('has a bounded size with 20,000 channels that share a deep schema', async () => {
    const deep = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`p${i}`, { $ref: '#/x' }])),
    }
    const channels = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [`c${i}`, { publish: { message: { payload: { $ref: '#/x' } } } }]),
    )
    const { sections } = await read(JSON.stringify({ asyncapi: '2.0.0', channels, x: deep }), 'a.json')
    const chars = sections
      .flatMap(({ blocks }) => blocks)
      .reduce((sum, block) => sum + (block.kind === 'prose' ? block.text.length : 0), 0)
    expect([sections.length, chars < 20_000_000]).toEqual([20_000, true])
  })
})
