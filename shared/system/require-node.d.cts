export const oldestNode: string
export const supportedNode: string
