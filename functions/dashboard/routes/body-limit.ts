/** The bodies of the dashboard are small. */
export const maxBodyBytes = 16 * 1024
