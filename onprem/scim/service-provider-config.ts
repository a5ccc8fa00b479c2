import { groupSchema } from './group-resource.ts'
import { maxPage, type Resource } from './list-answer.ts'
import { ScimError } from './scim-error.ts'
import { userSchema } from './user-resource.ts'

const config = 'urn:ietf:params:scim:schemas:core:2.0:'

/** The parts of SCIM that this server can do (RFC 7643, section 5). */
export const serviceProviderConfig = (base: string): Resource => ({
  schemas: [`${config}ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: maxPage },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The provisioning token in the settings of the issuer',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})

export const resourceTypes = (base: string): Resource[] =>
  [
    { name: 'User', endpoint: '/Users', schema: userSchema },
    { name: 'Group', endpoint: '/Groups', schema: groupSchema },
  ].map((type) => ({
    schemas: [`${config}ResourceType`],
    id: type.name,
    ...type,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.name}` },
  }))

export const schemas = (base: string): Resource[] =>
  [
    { id: userSchema, name: 'User', attributes: userAttributes },
    { id: groupSchema, name: 'Group', attributes: groupAttributes },
  ].map((schema) => ({
    schemas: [`${config}Schema`],
    ...schema,
    description: `A ${schema.name.toLowerCase()} of this server`,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }))

/** One of these, by its id. Throws ScimError. */
export function oneOf(resources: readonly Resource[], id: string): Resource {
  const resource = resources.find((each) => each.id === id)
  if (!resource) throw new ScimError(404, 'There is nothing with this id.')
  return resource
}

type Attribute = Record<string, unknown> & { name: string }

const attribute = (name: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  description: name,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
})

const references = (name: string, to: string, mutability: string, description: string): Attribute =>
  attribute(name, {
    type: 'complex',
    multiValued: true,
    mutability,
    description,
    subAttributes: [
      attribute('value', { caseExact: true, mutability: mutability === 'readOnly' ? mutability : 'immutable' }),
      attribute('$ref', { type: 'reference', referenceTypes: [to], caseExact: true, mutability: 'readOnly' }),
      attribute('display', { mutability: 'readOnly' }),
    ],
  })

const userAttributes = [
  attribute('userName', { required: true, uniqueness: 'server', description: 'The name of the user' }),
  attribute('externalId', { caseExact: true, uniqueness: 'server', description: 'Equals a claim of the token at sign-in' }),
  attribute('active', { type: 'boolean', description: 'Nobody signs in as a user who is not active' }),
  references('groups', 'Group', 'readOnly', 'The groups of the user'),
]

const groupAttributes = [
  attribute('displayName', {
    required: true,
    uniqueness: 'server',
    description: 'The name of the group, which rules follow after that of the issuer',
  }),
  attribute('externalId', { caseExact: true, uniqueness: 'server', description: 'The id of the group at the provider' }),
  references('members', 'User', 'readWrite', 'The users in the group'),
]
