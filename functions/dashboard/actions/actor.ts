import type { User } from '../../access/users.ts'

/** A user in an audit entry, by the id: the address of a person is only in their own items. */
export const actor = ({ id }: Pick<User, 'id'>): string => `user ${id}`
